// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include <smem/access_rule.hpp>
#include <smem/bank_map.hpp>

namespace smem {

/// What limits how many blocks an SM holds. Units in the names; sources in configs/*.yaml.
struct OccupancyLimits {
  std::uint32_t threads_per_block = 0;
  std::uint32_t threads_per_sm = 0;
  std::uint32_t blocks_per_sm = 0;
  std::uint32_t registers_per_sm = 0;
  std::uint32_t register_files_per_sm = 1;  ///< sub-partitions; a warp's registers lie in one
  std::uint32_t registers_per_thread = 0;
  std::uint32_t register_allocation_unit_per_warp = 1;
  std::uint32_t shared_memory_per_sm_bytes = 0;
  std::uint32_t shared_memory_per_block_bytes = 0;
  std::uint32_t shared_memory_reserved_per_block_bytes = 0;
  std::uint32_t shared_memory_allocation_unit_bytes = 1;

  friend constexpr bool operator==(const OccupancyLimits&, const OccupancyLimits&) = default;
};

/// The key of an access rule: what is done, at which width.
struct RuleKey {
  static constexpr unsigned kWidths = 5;  // 1, 2, 4, 8 and 16 bytes a lane

  RuleKind kind = RuleKind::load;
  std::uint8_t bytes_per_lane = 4;

  [[nodiscard]] constexpr bool valid() const {
    return kind != RuleKind::none && std::has_single_bit(bytes_per_lane) && bytes_per_lane <= 16;
  }
  [[nodiscard]] constexpr std::size_t index() const {
    return static_cast<std::size_t>(kind) * kWidths +
           static_cast<std::size_t>(std::countr_zero(bytes_per_lane));
  }
};

/// One GPU as the model sees it: a value, read from a file of configs/.
struct GpuSpec {
  std::array<char, 48> name{};
  std::uint32_t sm_count = 0;
  std::uint32_t sm_clock_mhz = 0;
  BankMap bank_map;
  std::uint32_t shared_window_bytes = 0;  ///< highest byte offset an access may touch, plus one
  OccupancyLimits occupancy;
  std::array<AccessRule, kRuleKindCount * RuleKey::kWidths> rules{};

  [[nodiscard]] constexpr std::string_view name_view() const {
    std::size_t length = 0;
    while (length < name.size() && name[length] != '\0') ++length;
    return {name.data(), length};
  }
  [[nodiscard]] constexpr const AccessRule& rule(RuleKey key) const { return rules[key.index()]; }
  constexpr const AccessRule& rule_of(const WarpAccess& access) const {
    return rule({traits(access.operation).rule_kind, access.bytes_per_lane});
  }
  /// Whether this GPU has a rule for such an access; readers refuse what has none.
  [[nodiscard]] constexpr bool supports(Operation operation, std::uint8_t bytes_per_lane) const {
    const RuleKey key{traits(operation).rule_kind, bytes_per_lane};
    return key.valid() && rule(key).supported;
  }

  friend constexpr bool operator==(const GpuSpec&, const GpuSpec&) = default;
};

}  // namespace smem
