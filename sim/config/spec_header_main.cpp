// SPDX-License-Identifier: Apache-2.0
// Build-time tool: GPU descriptions in, a C++ header on standard output: with `spec` as the first
// argument smem/gpus.hpp, with `timing` clock/gpu_timings.hpp.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>

#include <clock/policies/policy_kinds.hpp>
#include <clock/timing.hpp>

#include <sim/config/config_loader.hpp>
#include <sim/config/gpu_description.hpp>

namespace {

using namespace smem;

/// h200 -> kH200.
std::string constant_name(const std::string& file) {
  std::string name = "k";
  bool starts_word = true;
  for (const char letter : std::filesystem::path(file).stem().string()) {
    const auto code = static_cast<unsigned char>(letter);
    if (std::isalnum(code) == 0) {
      starts_word = true;
      continue;
    }
    name += starts_word ? static_cast<char>(std::toupper(code)) : letter;
    starts_word = false;
  }
  return name;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + "\"";
}

template <std::size_t kSize>
std::string masks(const std::array<std::uint32_t, kSize>& values, std::size_t count) {
  std::stringstream text;
  text << "{{" << std::hex;
  for (std::size_t index = 0; index < count; ++index) {
    text << (index == 0 ? "" : ", ") << "0x" << values[index] << 'u';
  }
  text << "}}";
  return text.str();
}

constexpr std::array<std::string_view, 3> kGroupings = {"masks", "packed", "per_lane"};
constexpr std::array<std::string_view, 2> kEqualWords = {"share", "serialize"};
constexpr std::array<std::string_view, 2> kStoreWinners = {"lowest_lane", "highest_lane"};
constexpr std::array<std::string_view, 2> kMergeScopes = {"warp", "group"};

template <class Enum, std::size_t kCount>
std::string enumerator(std::string_view type, const std::array<std::string_view, kCount>& names,
                       Enum value) {
  return std::string(type) + "::" + std::string(names.at(static_cast<std::size_t>(value)));
}

/// One ".name = value," per line.
class Initializer {
 public:
  Initializer(std::ostream& out, unsigned indent) : out_(out), indent_(indent, ' ') {}

  void field(std::string_view name, const std::string& value) {
    out_ << indent_ << '.' << name << " = " << value << ",\n";
  }
  void field(std::string_view name, std::uint32_t value) { field(name, std::to_string(value)); }

 private:
  std::ostream& out_;
  std::string indent_;
};

void print_bank_map(std::ostream& out, const BankMap& map) {
  out << "    .bank_map = {\n";
  Initializer fields(out, 8);
  fields.field("bank_count_log2", map.bank_count_log2);
  fields.field("word_bytes_log2", map.word_bytes_log2);
  fields.field("bank_bit_masks", masks(map.bank_bit_masks, map.bank_bit_masks.size()));
  out << "    },\n";
}

void print_occupancy(std::ostream& out, const OccupancyLimits& limits) {
  out << "    .occupancy = {\n";
  Initializer fields(out, 8);
  fields.field("threads_per_block", limits.threads_per_block);
  fields.field("threads_per_sm", limits.threads_per_sm);
  fields.field("blocks_per_sm", limits.blocks_per_sm);
  fields.field("registers_per_sm", limits.registers_per_sm);
  fields.field("register_files_per_sm", limits.register_files_per_sm);
  fields.field("registers_per_thread", limits.registers_per_thread);
  fields.field("register_allocation_unit_per_warp", limits.register_allocation_unit_per_warp);
  fields.field("shared_memory_per_sm_bytes", limits.shared_memory_per_sm_bytes);
  fields.field("shared_memory_per_block_bytes", limits.shared_memory_per_block_bytes);
  fields.field("shared_memory_reserved_per_block_bytes",
               limits.shared_memory_reserved_per_block_bytes);
  fields.field("shared_memory_allocation_unit_bytes", limits.shared_memory_allocation_unit_bytes);
  out << "    },\n";
}

void print_rule(std::ostream& out, const AccessRule& rule, std::size_t index) {
  out << "        // " << kRuleKindNames[index / RuleKey::kWidths] << ", "
      << (1u << (index % RuleKey::kWidths)) << " bytes a lane\n";
  if (!rule.supported) {
    out << "        AccessRule{},\n";
    return;
  }
  out << "        AccessRule{\n";
  Initializer fields(out, 12);
  fields.field("supported", "true");
  fields.field("grouping", enumerator("Grouping", kGroupings, rule.grouping));
  fields.field("group_count", rule.group_count);
  fields.field("group_masks", masks(rule.group_masks, rule.group_count));
  fields.field("merge",
               "{.partner_distances = " + std::to_string(rule.merge.partner_distances) +
                   "u, .scope = " + enumerator("MergeScope", kMergeScopes, rule.merge.scope) +
                   ", .groups_per_merge = " + std::to_string(rule.merge.groups_per_merge) + "}");
  fields.field("equal_words", enumerator("EqualWords", kEqualWords, rule.equal_words));
  fields.field("wavefront_factor", rule.wavefront_factor);
  fields.field("store_winner", enumerator("StoreWinner", kStoreWinners, rule.store_winner));
  fields.field("transfer_cycles", rule.transfer_cycles);
  fields.field("merged_transfer_cycles", rule.merged_transfer_cycles);
  out << "        },\n";
}

void print_spec(std::ostream& out, const std::string& file) {
  const GpuSpec spec = load_gpu_spec(file);
  const std::string source = std::filesystem::path(file).filename().string();
  out << "\n/// " << spec.name_view() << ", from configs/" << source
      << ", which names the source of every number.\n"
      << "inline constexpr GpuSpec " << constant_name(file) << " = {\n";
  Initializer fields(out, 4);
  fields.field("name", "{" + quoted(spec.name_view()) + "}");
  fields.field("sm_count", spec.sm_count);
  fields.field("sm_clock_mhz", spec.sm_clock_mhz);
  print_bank_map(out, spec.bank_map);
  fields.field("shared_window_bytes", spec.shared_window_bytes);
  print_occupancy(out, spec.occupancy);
  out << "    .rules = {{\n";
  for (std::size_t index = 0; index < spec.rules.size(); ++index) {
    print_rule(out, spec.rules[index], index);
  }
  out << "    }},\n};\n";
}

/// warp_order -> kWarpOrders.
std::string table_name(const std::string& key) {
  return constant_name(key) + "s";
}

/// Nothing where the file has no `timing`.
void print_timing(std::ostream& out, const std::string& file) {
  const GpuDescription gpu = load_gpu_description(file);
  if (gpu.timing == nullptr) return;
  const clock::TimingSpec& timing = *gpu.timing;
  out << "\n/// The clock of " << gpu.spec.name_view() << ", from configs/"
      << std::filesystem::path(file).filename().string() << ".\n"
      << "inline constexpr TimingSpec " << constant_name(file) << "Timing = [] {\n"
      << "  TimingSpec timing;\n";
  const auto assign = [&](std::string_view name, const std::string& value) {
    out << "  timing." << name << " = " << value << ";\n";
  };
  clock::for_each_policy_kind([&](const char* key, const auto& table, auto member) {
    assign(key, "policy_named(" + table_name(key) + ", " +
                    quoted(clock::name_of(table, timing.*member)) + ")");
  });
  for (const clock::TimingField& field : clock::kTimingFields) {
    assign(field.name, std::to_string(timing.*field.member));
  }
  out << "  return timing;\n}();\n";
}

/// A header that this program can write.
struct Header {
  std::string_view name;
  std::string_view include;
  std::string_view name_space;
  void (*print)(std::ostream& out, const std::string& file);
};
constexpr std::array kHeaders = {
    Header{"spec", "smem/gpu_spec.hpp", "smem", print_spec},
    Header{"timing", "clock/policies/policy_kinds.hpp", "smem::clock", print_timing},
};

void print_header(std::ostream& out, const Header& header, std::span<char* const> files) {
  out << "// SPDX-License-Identifier: Apache-2.0\n"
         "// Generated from configs/*.yaml when smemsim was built; edit those.\n"
         "#pragma once\n\n#include <"
      << header.include << ">\n\nnamespace " << header.name_space << " {\n";
  for (const char* file : files) header.print(out, file);
  out << "\n}  // namespace " << header.name_space << '\n' << std::flush;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::span<char* const> arguments(argv, static_cast<std::size_t>(argc));
    const std::string name = argc > 1 ? arguments[1] : "";
    const auto header = std::find_if(kHeaders.begin(), kHeaders.end(),
                                     [&](const Header& known) { return known.name == name; });
    if (header == kHeaders.end()) throw std::runtime_error("expected spec or timing, and files");
    print_header(std::cout, *header, arguments.subspan(2));
    return std::cout ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
