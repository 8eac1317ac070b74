// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <smem/access_rule.hpp>
#include <smem/gpu_spec.hpp>

namespace smem {

/// Whose value is in memory after one store, stmatrix, exchange or asynchronous copy. The lanes of
/// an access are aligned to one width, so two lanes write either the same bytes or none in common:
/// a lane's bytes survive together or are lost together.
struct StoreOutcome {
  std::uint32_t writing_lanes = 0;  ///< lanes that write: active, and with an address of their own
  std::uint32_t surviving_lanes = 0;  ///< lanes whose bytes are in memory afterwards
  /// For each writing lane, the lane whose value stays at its bytes (itself when it survives).
  std::array<std::uint8_t, kLanesPerWarp> winner_lanes{};

  [[nodiscard]] constexpr std::uint32_t lost_lanes() const {
    return writing_lanes & ~surviving_lanes;
  }
  /// Bit b set: byte b of `lane`'s value stays. All of its `bytes_per_lane` bits, or none.
  [[nodiscard]] constexpr std::uint32_t surviving_bytes(unsigned lane,
                                                        std::uint8_t bytes_per_lane) const {
    return ((surviving_lanes >> lane) & 1u) != 0 ? (1u << bytes_per_lane) - 1u : 0u;
  }

  friend constexpr bool operator==(const StoreOutcome&, const StoreOutcome&) = default;
};

namespace detail {

/// The lanes of an access in the order in which their values reach memory.
struct WriteOrder {
  unsigned count = 0;
  std::array<std::uint8_t, kLanesPerWarp> lanes{};
};

[[nodiscard]] constexpr WriteOrder write_order(const AccessRule& rule, const LaneGroups& groups) {
  WriteOrder order;
  for (unsigned index = 0; index < groups.count; ++index) {
    for (std::uint32_t left = groups.masks[index]; left != 0;) {
      const int lane = rule.store_winner == StoreWinner::lowest_lane ? 31 - std::countl_zero(left)
                                                                     : std::countr_zero(left);
      order.lanes[order.count++] = static_cast<std::uint8_t>(lane);
      left &= ~(1u << lane);
    }
  }
  return order;
}

}  // namespace detail

/// Of the lanes of one group, those whose bytes are in memory once the group has been served.
[[nodiscard]] constexpr std::uint32_t group_survivors(const AccessRule& rule,
                                                      const WarpAccess& access,
                                                      std::uint32_t lanes) noexcept {
  std::uint32_t survivors = 0;
  LaneGroups group;
  group.add(lanes);
  const detail::WriteOrder order = detail::write_order(rule, group);
  for (unsigned place = order.count; place-- > 0;) {
    const unsigned lane = order.lanes[place];
    bool is_overwritten = false;
    for (std::uint32_t left = survivors; left != 0; left &= left - 1) {
      const unsigned later = static_cast<unsigned>(std::countr_zero(left));
      is_overwritten |= access.offsets_bytes[later] == access.offsets_bytes[lane];
    }
    if (!is_overwritten) survivors |= 1u << lane;
  }
  return survivors;
}

/// What stays of a store: groups are written in order, a later one over an earlier one; inside a
/// group the rule's `store_winner` stays (H200: measured on 18,133 contested bytes, no exception;
/// exchange and stmatrix use the same rule unmeasured). Empty for operations that write nothing,
/// and for additions and compare-and-swap, whose outcome depends on values. Precondition as
/// `analyze`.
[[nodiscard]] constexpr StoreOutcome store_outcome(const GpuSpec& spec,
                                                   const WarpAccess& access) noexcept {
  StoreOutcome outcome;
  if (!traits(access.operation).stores_values) return outcome;
  const AccessRule& rule = spec.rule_of(access);
  const detail::WriteOrder order = detail::write_order(rule, lane_groups(rule, access));
  for (unsigned place = order.count; place-- > 0;) {
    const unsigned lane = order.lanes[place];
    const std::uint32_t bit = 1u << lane;
    outcome.writing_lanes |= bit;
    unsigned winner = lane;
    for (std::uint32_t left = outcome.surviving_lanes; left != 0; left &= left - 1) {
      const unsigned later = static_cast<unsigned>(std::countr_zero(left));
      if (access.offsets_bytes[later] == access.offsets_bytes[lane]) winner = later;
    }
    if (winner == lane) outcome.surviving_lanes |= bit;
    outcome.winner_lanes[lane] = static_cast<std::uint8_t>(winner);
  }
  return outcome;
}

}  // namespace smem
