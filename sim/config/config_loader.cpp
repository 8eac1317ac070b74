// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <clock/policies/policy_kinds.hpp>
#include <clock/timing.hpp>

#include <sim/config/config_loader.hpp>
#include <sim/config/gpu_description.hpp>
#include <sim/config/installation.hpp>
#include <sim/config/yaml_cursor.hpp>

namespace smem {
namespace {

/// "0-15" or "0-3,8-11" -> lane mask.
std::uint32_t parse_lanes(const YamlCursor& at) {
  std::uint32_t mask = 0;
  std::stringstream parts(at.text());
  for (std::string part; std::getline(parts, part, ',');) {
    unsigned first = 0;
    unsigned last = 0;
    const char* end = part.data() + part.size();
    auto parsed = std::from_chars(part.data(), end, first);
    last = first;
    if (parsed.ec == std::errc() && parsed.ptr != end && *parsed.ptr == '-') {
      parsed = std::from_chars(parsed.ptr + 1, end, last);
    }
    if (parsed.ec != std::errc() || parsed.ptr != end || first > last || last >= kLanesPerWarp) {
      at.fail("lanes such as \"0-15\" or \"0-3,8-11\"");
    }
    for (unsigned lane = first; lane <= last; ++lane) mask |= 1u << lane;
  }
  return mask;
}

void parse_groups(const YamlCursor& at, AccessRule& rule) {
  if (at.is_scalar()) {
    constexpr std::array<std::string_view, 2> kIdealised = {"packed", "per_lane"};
    rule.grouping = at.one_of(kIdealised) == 0 ? Grouping::packed : Grouping::per_lane;
    rule.group_count = 1;
    rule.group_masks = {kFullMask};
    return;
  }
  rule.grouping = Grouping::masks;
  rule.group_count = 0;
  rule.group_masks = {};
  std::uint32_t seen = 0;
  for (const YamlCursor& item : at.items()) {
    const std::uint32_t mask = parse_lanes(item);
    if ((seen & mask) != 0) item.fail("lanes that no earlier group has");
    if (rule.group_count == AccessRule::kMaxGroups) item.fail("at most 32 groups");
    seen |= mask;
    rule.group_masks[rule.group_count++] = mask;
  }
  if (seen != kFullMask) at.fail("groups that cover all 32 lanes");
}

MergeRule parse_merge(YamlCursor at) {
  MergeRule merge;
  for (const YamlCursor& distance : at.at("partner_distances").items()) {
    merge.partner_distances |= 1u << distance.unsigned_value(1, kLanesPerWarp - 1);
  }
  constexpr std::array<std::string_view, 2> kScopes = {"warp", "group"};
  merge.scope = at.at("scope").one_of(kScopes) == 0 ? MergeScope::warp : MergeScope::group;
  merge.groups_per_merge =
      static_cast<std::uint8_t>(at.at("groups_per_merge").unsigned_value(2, kLanesPerWarp));
  at.finish();
  return merge;
}

void parse_rule(YamlCursor at, GpuSpec& spec) {
  AccessRule rule;
  rule.supported = true;
  parse_groups(at.at("groups"), rule);
  if (at.has("merge")) rule.merge = parse_merge(at.at("merge"));
  if (at.has("equal_words")) {
    constexpr std::array<std::string_view, 2> kNames = {"share", "serialize"};
    rule.equal_words =
        at.at("equal_words").one_of(kNames) == 0 ? EqualWords::share : EqualWords::serialize;
  }
  if (at.has("store_winner")) {
    constexpr std::array<std::string_view, 2> kNames = {"lowest_lane", "highest_lane"};
    rule.store_winner = at.at("store_winner").one_of(kNames) == 0 ? StoreWinner::lowest_lane
                                                                  : StoreWinner::highest_lane;
  }
  if (at.has("wavefront_factor")) {
    rule.wavefront_factor =
        static_cast<std::uint8_t>(at.at("wavefront_factor").unsigned_value(1, 64));
  }
  rule.transfer_cycles = static_cast<std::uint8_t>(at.at("transfer_cycles").unsigned_value(1, 64));
  rule.merged_transfer_cycles = rule.transfer_cycles;
  if (at.has("merged_transfer_cycles")) {
    rule.merged_transfer_cycles =
        static_cast<std::uint8_t>(at.at("merged_transfer_cycles").unsigned_value(1, 64));
  }
  YamlCursor operations = at.at("operations");
  YamlCursor widths = at.at("bytes_per_lane");
  at.finish();
  for (const YamlCursor& operation : operations.items()) {
    const auto kind = static_cast<RuleKind>(operation.one_of(kRuleKindNames));
    for (const YamlCursor& width : widths.items()) {
      const RuleKey key{kind, static_cast<std::uint8_t>(width.unsigned_value(1, 16))};
      if (!key.valid()) width.fail("1, 2, 4, 8 or 16");
      AccessRule& slot = spec.rules[key.index()];
      if (slot.supported) width.fail("an operation and width that no earlier rule has");
      slot = rule;
    }
  }
}

BankMap parse_bank_map(YamlCursor at) {
  BankMap map;
  YamlCursor count = at.at("bank_count");
  const std::uint32_t banks = count.unsigned_value(1, 1u << BankMap::kMaxBankCountLog2);
  if (!std::has_single_bit(banks)) count.fail("a power of two");
  map.bank_count_log2 = static_cast<std::uint8_t>(std::countr_zero(banks));
  YamlCursor width = at.at("word_bytes");
  const std::uint32_t word_bytes = width.unsigned_value(1, 16);
  if (!std::has_single_bit(word_bytes)) width.fail("a power of two");
  map.word_bytes_log2 = static_cast<std::uint8_t>(std::countr_zero(word_bytes));
  YamlCursor bits = at.at("bank_bits");
  if (bits.is_scalar()) {
    constexpr std::array<std::string_view, 1> kNames = {"linear"};
    bits.one_of(kNames);
  } else {
    const std::vector<YamlCursor> rows = bits.items();
    if (rows.size() != map.bank_count_log2) {
      bits.fail("`linear` or one list of word-address bits per bank bit (" +
                std::to_string(map.bank_count_log2) + ")");
    }
    for (std::size_t bit = 0; bit < rows.size(); ++bit) {
      map.bank_bit_masks[bit] = 0;
      for (const YamlCursor& source : rows[bit].items()) {
        map.bank_bit_masks[bit] ^= 1u << source.unsigned_value(0, 31);
      }
    }
    if (!map.is_bijective_in_row())
      bits.fail("rows that put the words of a row on different banks");
  }
  at.finish();
  return map;
}

OccupancyLimits parse_occupancy(YamlCursor at) {
  constexpr std::uint32_t kMost = 1u << 30;
  OccupancyLimits limits;
  const auto take = [&](const char* key, std::uint32_t& field) {
    field = at.at(key).unsigned_value(1, kMost);
  };
  take("threads_per_block", limits.threads_per_block);
  take("threads_per_sm", limits.threads_per_sm);
  take("blocks_per_sm", limits.blocks_per_sm);
  take("registers_per_sm", limits.registers_per_sm);
  take("register_files_per_sm", limits.register_files_per_sm);
  take("registers_per_thread", limits.registers_per_thread);
  take("register_allocation_unit_per_warp", limits.register_allocation_unit_per_warp);
  take("shared_memory_per_sm_bytes", limits.shared_memory_per_sm_bytes);
  take("shared_memory_per_block_bytes", limits.shared_memory_per_block_bytes);
  limits.shared_memory_reserved_per_block_bytes =
      at.at("shared_memory_reserved_per_block_bytes").unsigned_value(0, kMost);
  take("shared_memory_allocation_unit_bytes", limits.shared_memory_allocation_unit_bytes);
  at.finish();
  return limits;
}

clock::TimingSpec parse_timing(YamlCursor at) {
  clock::TimingSpec timing;
  clock::for_each_policy_kind([&](const char* key, const auto& table, auto member) {
    std::vector<std::string_view> names;
    for (const auto& row : table) names.push_back(row.name);
    timing.*member = table[at.at(key).one_of(names)].policy;
  });
  for (const clock::TimingField& field : clock::kTimingFields) {
    timing.*field.member = at.at(std::string(field.name)).unsigned_value(field.least, field.most);
  }
  at.finish();
  return timing;
}

GpuDescription parse_description(YamlCursor root) {
  GpuDescription gpu;
  GpuSpec& spec = gpu.spec;
  YamlCursor name = root.at("name");
  const std::string text = name.text();
  if (text.size() >= spec.name.size()) name.fail("at most 47 characters");
  std::copy(text.begin(), text.end(), spec.name.begin());
  spec.sm_count = root.at("sm_count").unsigned_value(1, 1u << 16);
  spec.sm_clock_mhz = root.at("sm_clock_mhz").unsigned_value(1, 100000);
  spec.bank_map = parse_bank_map(root.at("bank_map"));
  spec.shared_window_bytes = root.at("shared_window_bytes").unsigned_value(1, 1u << 24);
  spec.occupancy = parse_occupancy(root.at("occupancy"));
  if (root.has("timing")) {
    gpu.timing = std::make_shared<const clock::TimingSpec>(parse_timing(root.at("timing")));
  }
  YamlCursor rules = root.at("access_rules");
  for (const std::string& key : rules.keys()) parse_rule(rules.at(key), spec);
  root.finish();
  return gpu;
}

/// Key path of a "key.path=value".
std::string override_path(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == 0 || equals == std::string::npos) {
    throw ConfigError("--set " + assignment + ": expected key.path=value");
  }
  return assignment.substr(0, equals);
}

void apply_override(const YAML::Node& root, const std::string& assignment) {
  const auto fail = [&](const std::string& message) {
    throw ConfigError("--set " + assignment + ": expected " + message);
  };
  const std::string path = override_path(assignment);
  YAML::Node node = root;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string step = path.substr(begin, end - begin);
    if (node.IsSequence()) {
      std::size_t index = 0;
      const auto [stop, error] = std::from_chars(step.data(), step.data() + step.size(), index);
      if (error != std::errc() || stop != step.data() + step.size() || index >= node.size()) {
        fail("an index below " + std::to_string(node.size()) + ", found '" + step + "'");
      }
      node.reset(node[index]);
    } else if (node.IsMap()) {
      const bool is_last = end == path.size();
      if (step.empty() || (!is_last && !std::as_const(node)[step])) {
        fail("a key of the file, found '" + step + "'");
      }
      node.reset(node[step]);
    } else {
      fail("a key with keys below it, found a value above '" + step + "'");
    }
    begin = end + 1;
  }
  try {
    node = YAML::Load(assignment.substr(path.size() + 1));
  } catch (const YAML::Exception& error) {
    fail("a YAML value: " + error.msg);
  }
}

std::vector<std::filesystem::path> config_folders() {
  std::vector<std::filesystem::path> folders;
  if (const char* own = std::getenv("SMEMSIM_CONFIGS")) folders.emplace_back(own);
  if (const auto prefix = installation_prefix()) folders.push_back(*prefix / SMEMSIM_DATA_CONFIGS);
  folders.emplace_back(SMEMSIM_SOURCE_CONFIGS);
  folders.emplace_back(SMEMSIM_INSTALLED_CONFIGS);
  return folders;
}

}  // namespace

std::string find_config(const std::string& gpu) {
  if (gpu.find('/') != std::string::npos || gpu.ends_with(".yaml")) return gpu;
  std::vector<std::string> names;
  for (const std::filesystem::path& folder : config_folders()) {
    const std::filesystem::path file = folder / (gpu + ".yaml");
    std::error_code error;
    if (std::filesystem::exists(file, error)) return file.string();
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  throw ConfigError("--gpu: expected a YAML file or one of " + known + ", found '" + gpu + "'");
}

GpuDescription parse_gpu_description(const std::string& text, const std::string& name,
                                     std::span<const std::string> overrides) {
  return read_yaml(text, name, [&](const YAML::Node& root) {
    YamlCursor cursor(name, root);
    for (const std::string& assignment : overrides) {
      apply_override(root, assignment);
      cursor.add_origin(override_path(assignment), "--set " + assignment);
    }
    return parse_description(cursor);
  });
}

GpuDescription load_gpu_description(const std::string& file,
                                    std::span<const std::string> overrides) {
  return parse_gpu_description(config_text(file, "GPU description"), file, overrides);
}

GpuSpec load_gpu_spec(const std::string& file, std::span<const std::string> overrides) {
  return load_gpu_description(file, overrides).spec;
}

GpuSpec parse_gpu_spec(const std::string& text, const std::string& name,
                       std::span<const std::string> overrides) {
  return parse_gpu_description(text, name, overrides).spec;
}

}  // namespace smem
