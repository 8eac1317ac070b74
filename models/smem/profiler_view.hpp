// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <smem/analyzer.hpp>

namespace smem {

/// Whether the profiler's software merges two neighbouring groups, `lower` and `upper`, into one
/// (rule and measurements: traces/measured/h200/two_counters/README.md).
constexpr bool profiler_merges(const GpuSpec& spec, const AccessRule& rule,
                               const WarpAccess& access, unsigned lower, unsigned upper) {
  const std::uint32_t pair = rule.group_masks[lower] | rule.group_masks[upper];
  const std::uint32_t lanes = pair & addressing_lanes(access);
  // Each pair by itself, with a distance of its own; the hardware asks the whole warp.
  if (!partners_agree(rule.merge, access, lanes)) return false;
  // Of several pairs the first does not merge when the warp's last lane is active and lanes of its
  // own are not.
  const bool last_lane_is_active = (access.active_mask >> (kLanesPerWarp - 1)) != 0;
  if (rule.group_count > 2 && lower == 0 && last_lane_is_active && lanes != pair) return false;
  return bank_load(spec.bank_map, rule.equal_words, access, lanes).turns <= 1;
}

/// The wavefronts of one access as the profiler's software counts them from its addresses
/// (`sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared…`, the source page). It is what the
/// hardware takes, but for loads whose groups can merge: it merges a pair of groups only where the
/// pair then takes one wavefront. No exception in traces/measured/h200/two_counters. The same
/// preconditions as `analyze`.
constexpr std::uint16_t profiler_wavefronts(const GpuSpec& spec,
                                            const WarpAccess& access) noexcept {
  if (traits(access.operation).rule_kind == RuleKind::none || access.active_mask == 0) return 0;
  const AccessRule& rule = spec.rule_of(access);
  const bool can_merge = rule.grouping == Grouping::masks && rule.merge.groups_per_merge == 2 &&
                         rule.merge.partner_distances != 0;
  if (!can_merge) return analyze(spec, access).wavefronts;
  unsigned turns = 0;
  for (unsigned lower = 0; lower + 1 < rule.group_count; lower += 2) {
    if (profiler_merges(spec, rule, access, lower, lower + 1)) {
      const std::uint32_t pair = rule.group_masks[lower] | rule.group_masks[lower + 1];
      turns += (pair & access.active_mask) != 0 ? 1 : 0;
      continue;
    }
    for (const unsigned group : {lower, lower + 1}) {
      const std::uint32_t lanes = rule.group_masks[group] & addressing_lanes(access);
      if (lanes != 0) turns += bank_load(spec.bank_map, rule.equal_words, access, lanes).turns;
    }
  }
  return static_cast<std::uint16_t>(turns * rule.wavefront_factor);
}

/// What of a cost the profiler's views show: its wavefronts, `ideal`, and as `bank_conflicts` what
/// its source page calls excessive, wavefronts beyond the ideal.
constexpr AccessCost profiler_cost(const GpuSpec& spec, const WarpAccess& access,
                                   const AccessCost& hardware) noexcept {
  AccessCost cost = hardware;
  cost.wavefronts = profiler_wavefronts(spec, access);
  cost.bank_conflicts =
      static_cast<std::uint16_t>(cost.wavefronts > cost.ideal ? cost.wavefronts - cost.ideal : 0);
  return cost;
}

}  // namespace smem
