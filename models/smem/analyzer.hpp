// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <smem/gpu_spec.hpp>
#include <smem/touched_rows.hpp>

namespace smem {

/// What one access costs by itself, on an idle SM.
struct AccessCost {
  std::uint16_t wavefronts = 0;  ///< passes through the data stage
  std::uint16_t ideal = 0;       ///< wavefronts if no two lanes of a group collided
  std::uint16_t bank_conflicts =
      0;  ///< as the profiler counts them: turns beyond the first per group
  std::uint16_t transfer_cycles =
      0;  ///< cycles its data occupies the way in (stores) or back (loads)
  std::uint8_t groups = 0;
  bool merged = false;

  /// Steady-state cycles per instruction when nothing else limits: the slower of the two paths.
  [[nodiscard]] constexpr std::uint16_t cycles_per_inst() const {
    return std::max(wavefronts, transfer_cycles);
  }

  friend constexpr bool operator==(const AccessCost&, const AccessCost&) = default;
};

/// Wavefronts each group of an access needs, in service order.
struct GroupWavefronts {
  LaneGroups groups;
  std::array<std::uint16_t, AccessRule::kMaxGroups> wavefronts{};
};

/// Splits an access into groups and counts the wavefronts of each.
[[nodiscard]] constexpr GroupWavefronts group_wavefronts(const GpuSpec& spec,
                                                         const WarpAccess& access) noexcept {
  const AccessRule& rule = spec.rule_of(access);
  GroupWavefronts result{lane_groups(rule, access), {}};
  for (unsigned index = 0; index < result.groups.count; ++index) {
    const BankLoad load =
        bank_load(spec.bank_map, rule.equal_words, access, result.groups.masks[index]);
    result.wavefronts[index] = static_cast<std::uint16_t>(load.turns * rule.wavefront_factor);
  }
  return result;
}

/// Wavefronts, ideal, conflicts and transfer of one access. Precondition: `spec.supports` it, and
/// its offsets are aligned (readers check both). Allocates nothing, throws nothing.
[[nodiscard]] constexpr AccessCost analyze(const GpuSpec& spec, const WarpAccess& access) noexcept {
  const OperationTraits& operation = traits(access.operation);
  if (operation.rule_kind == RuleKind::none || access.active_mask == 0) return {};
  const AccessRule& rule = spec.rule_of(access);
  const LaneGroups groups = lane_groups(rule, access);
  unsigned turns = 0;
  unsigned ideal_turns = 0;
  for (unsigned index = 0; index < groups.count; ++index) {
    const BankLoad load = bank_load(spec.bank_map, rule.equal_words, access, groups.masks[index]);
    turns += load.turns;
    const std::uint32_t banks = spec.bank_map.bank_count();
    ideal_turns += rule.grouping == Grouping::packed ? (load.served_words + banks - 1) / banks : 1;
  }
  const unsigned transfer = groups.merged ? rule.merged_transfer_cycles : rule.transfer_cycles;
  return {static_cast<std::uint16_t>(turns * rule.wavefront_factor),
          static_cast<std::uint16_t>(ideal_turns * rule.wavefront_factor),
          static_cast<std::uint16_t>(turns - ideal_turns),
          static_cast<std::uint16_t>(transfer * operation.matrices),
          groups.count,
          groups.merged};
}

/// Wavefronts of one access; short for static_asserts.
[[nodiscard]] constexpr unsigned wavefronts(const GpuSpec& spec,
                                            const WarpAccess& access) noexcept {
  return analyze(spec, access).wavefronts;
}

}  // namespace smem
