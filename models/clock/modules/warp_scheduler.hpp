// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <clock/idle_state.hpp>
#include <clock/modules/refusals.hpp>
#include <clock/modules/warp_state.hpp>
#include <clock/timing.hpp>

namespace smem::clock {

/// One instruction a cycle of a sub-partition's warps: when each could issue, and whose turn it is.
/// Holds what warps of a sub-partition share: the intervals of its units and the places of its
/// queue.
class WarpScheduler {
 public:
  void reset(const TimingSpec& timing);
  /// What earlier blocks left behind; after reset().
  void resume(const IdleState::SubPartition& left) {
    next_access_cycle_ = left.next_access_cycle;
    gate(Want::access) = left.next_access_cycle;
    gate(Want::alu) = left.next_alu_cycle;
    gate(Want::barrier) = left.next_barrier_cycle;
    refusals_.resume(left.room_cycle);
  }

  /// The first cycle in which `warp` could issue its next instruction; kNever while it waits for a
  /// message.
  [[nodiscard]] Cycle issue_cycle(const WarpState& warp) const {
    return std::max(warp.own_cycle, gate_cycles_[static_cast<std::size_t>(warp.want)]);
  }

  /// The warp that issues in `now`, by its place; -1 when none can.
  int choose(std::span<const WarpState> warps, Cycle now);

  void alu_issued(Cycle now) { gate(Want::alu) = now + timing_.alu_interval_cycles; }
  void barrier_issued(Cycle now) {
    gate(Want::barrier) = now + timing_.barrier_issue_interval_cycles;
  }
  /// The access takes a place of the queue.
  void access_issued(WarpState& warp, Cycle now) {
    refusals_.take_place(warp, now);
    warp.next_access_cycle = now + timing_.warp_memory_interval_cycles;
    next_access_cycle_ = now + timing_.sub_partition_memory_interval_cycles;
    gate(Want::access) = refusals_.is_full() ? kNever : next_access_cycle_;
  }
  /// An access of `warp`, one of `warps`, left the queue; its place is free in `cycle`.
  void access_departed(std::span<WarpState> warps, WarpState& warp, Cycle cycle) {
    refusals_.free_place(warps, warp, cycle, next_access_cycle_);
    gate(Want::access) = next_access_cycle_;
  }

  [[nodiscard]] const Refusals& refusals() const { return refusals_; }

 private:
  friend class AluRun;

  Cycle& gate(Want want) { return gate_cycles_[static_cast<std::size_t>(want)]; }
  /// `choose` by asking the order of warps.
  int pick(std::span<const WarpState> warps, Cycle now);
  int issues(std::size_t place) {
    last_issued_ = place;
    return static_cast<int>(place);
  }
  /// Whether the warp that issued last is in a run, or at the access behind it, and can go on: it
  /// keeps its turn, whatever the order of warps.
  [[nodiscard]] bool keeps_turn(const WarpState& warp, Cycle now) const;

  TimingSpec timing_;
  Turn turn_ = Turn::unknown;  ///< of the order of warps
  std::vector<WarpCandidate> candidates_;
  std::size_t last_issued_ = 0;
  Refusals refusals_;
  Cycle next_access_cycle_ = 0;  ///< with room in the queue
  /// By what a warp wants: the first cycle in which its sub-partition lets any warp have it.
  std::array<Cycle, kWants> gate_cycles_{};
};

}  // namespace smem::clock
