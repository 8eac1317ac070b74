// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <fstream>
#include <sstream>

#include <sim/config/yaml_cursor.hpp>

namespace smem {

YamlCursor::YamlCursor(std::string file, const YAML::Node& node, std::string path)
    : file_(std::move(file)), node_(node), path_(std::move(path)) {}

void YamlCursor::add_origin(std::string path, std::string origin) {
  origins_[std::move(path)] = std::move(origin);
}

std::string YamlCursor::path_below(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

YamlCursor YamlCursor::below(const std::string& key, const YAML::Node& node) const {
  YamlCursor result(file_, node, path_below(key));
  result.origins_ = origins_;
  return result;
}

YamlCursor YamlCursor::at(const std::string& key) {
  if (!has(key)) {
    throw ConfigError(where(path_) + path_below(key) + ": expected this key, found none");
  }
  return below(key, node_[key]);
}

bool YamlCursor::has(const std::string& key) {
  if (!node_.IsMap()) fail("a mapping");
  asked_.insert(key);
  return static_cast<bool>(std::as_const(node_)[key]);
}

std::vector<std::string> YamlCursor::keys() const {
  if (!node_.IsMap()) fail("a mapping");
  std::vector<std::string> result;
  for (const auto& entry : node_) result.push_back(entry.first.as<std::string>());
  return result;
}

std::vector<YamlCursor> YamlCursor::items() const {
  if (!node_.IsSequence()) fail("a list");
  std::vector<YamlCursor> result;
  for (std::size_t index = 0; index < node_.size(); ++index) {
    result.push_back(below(std::to_string(index), node_[index]));
  }
  return result;
}

void YamlCursor::finish() const {
  std::set<std::string> seen;
  for (const auto& entry : node_) {
    const std::string key = entry.first.as<std::string>();
    const YamlCursor place = below(key, entry.first);
    if (!asked_.contains(key)) {
      std::string known;
      for (const std::string& name : asked_) known += (known.empty() ? "" : ", ") + name;
      place.fail("one of the keys " + known);
    }
    if (!seen.insert(key).second) place.fail("this key once");
  }
}

std::uint32_t YamlCursor::unsigned_value(std::uint32_t least, std::uint32_t most) const {
  const std::string wanted =
      "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  if (!node_.IsScalar()) fail(wanted);
  const std::string& scalar = node_.Scalar();
  std::uint32_t value = 0;
  const bool hex = scalar.starts_with("0x");
  const char* begin = scalar.data() + (hex ? 2 : 0);
  const char* end = scalar.data() + scalar.size();
  const auto [stop, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (error != std::errc() || stop != end || value < least || value > most) fail(wanted);
  return value;
}

std::string YamlCursor::text() const {
  if (!node_.IsScalar() || node_.Scalar().empty()) fail("text");
  return node_.Scalar();
}

std::size_t YamlCursor::one_of(std::span<const std::string_view> names) const {
  std::string wanted = "one of";
  for (std::size_t index = 0; index < names.size(); ++index) {
    if (node_.IsScalar() && node_.Scalar() == names[index]) return index;
    wanted += (index == 0 ? " " : ", ") + std::string(names[index]);
  }
  fail(wanted);
}

void YamlCursor::fail(const std::string& expected) const {
  throw ConfigError(where(path_) + (path_.empty() ? "" : path_ + ": ") + "expected " + expected +
                    ", found " + found());
}

std::string YamlCursor::where(const std::string& path) const {
  for (const auto& [below_path, origin] : origins_) {
    if (path == below_path || path.starts_with(below_path + ".")) return origin + ": ";
  }
  const YAML::Mark mark = node_.Mark();
  if (mark.is_null()) return file_ + ": ";
  return file_ + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1) + ": ";
}

std::string YamlCursor::found() const {
  if (!node_.IsDefined() || node_.IsNull()) return "nothing";
  if (node_.IsScalar()) return "'" + node_.Scalar() + "'";
  return node_.IsSequence() ? "a list" : "a mapping";
}

std::string config_text(const std::string& file, const std::string& what) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  if (!in || text.str().empty()) {
    throw ConfigError(file + ": expected a readable " + what + ", found none");
  }
  return text.str();
}

}  // namespace smem
