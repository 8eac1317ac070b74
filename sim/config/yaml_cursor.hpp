// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <yaml-cpp/yaml.h>

#include <sim/config/config_error.hpp>

namespace smem {

/// A place in a YAML file: the node, its key path, and the file's name for messages. Mappings are
/// read key by key; `finish` then refuses every key nobody asked for.
class YamlCursor {
 public:
  YamlCursor(std::string file, const YAML::Node& node, std::string path = {});

  /// Says where values came from that are not in the file: messages about the key path `path`, and
  /// below it, name `origin` ("--set key=value") instead of a line of the file.
  void add_origin(std::string path, std::string origin);

  /// The mapping's entry `key`; throws ConfigError when it is missing or this is no mapping.
  YamlCursor at(const std::string& key);
  /// Whether the mapping has `key`; counts as asking for it.
  bool has(const std::string& key);
  /// The keys of a mapping in file order.
  std::vector<std::string> keys() const;
  /// The entries of a sequence.
  std::vector<YamlCursor> items() const;
  /// Throws ConfigError for the first key of this mapping that was never asked for, or stands
  /// twice.
  void finish() const;

  std::uint32_t unsigned_value(std::uint32_t least, std::uint32_t most) const;
  std::string text() const;
  /// The index of the scalar in `names`; throws ConfigError listing them when it is none of them.
  std::size_t one_of(std::span<const std::string_view> names) const;
  bool is_scalar() const { return node_.IsScalar(); }

  [[noreturn]] void fail(const std::string& expected) const;

 private:
  /// The same file's place `key` below this one.
  YamlCursor below(const std::string& key, const YAML::Node& node) const;
  std::string path_below(const std::string& key) const;
  std::string where(const std::string& path) const;
  std::string found() const;

  std::string file_;
  YAML::Node node_;
  std::string path_;
  std::map<std::string, std::string> origins_;  ///< key path -> where its value came from
  std::set<std::string> asked_;
};

/// A file's text. Throws ConfigError, naming `what` it should be, when there is none.
std::string config_text(const std::string& file, const std::string& what);

/// What `read` makes of the mapping in `text`; `name` stands in messages. Throws ConfigError for
/// what is no YAML or no mapping, and what `read` throws.
template <class Read>
auto read_yaml(const std::string& text, const std::string& name, Read read) {
  try {
    const YAML::Node root = YAML::Load(text);
    if (!root.IsMap()) throw ConfigError(name + ":1:1: expected a mapping");
    return read(root);
  } catch (const YAML::Exception& error) {
    throw ConfigError(name + ":" + std::to_string(error.mark.line + 1) + ":" +
                      std::to_string(error.mark.column + 1) + ": expected YAML: " + error.msg);
  }
}

}  // namespace smem
