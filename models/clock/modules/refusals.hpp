// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include <clock/modules/warp_state.hpp>
#include <clock/timing.hpp>

namespace smem::clock {

/// The places of a sub-partition's queue, and the warps it refuses while it is full: one that finds
/// no place sleeps until an access of its own has left the queue; where it has none there, it looks
/// every cycle. Who was refused is worked out when there is room again.
class Refusals {
 public:
  void reset(const TimingSpec& timing);
  /// When the full queue last got room, in a simulation before; after reset().
  void resume(Cycle room_cycle) { room_cycle_ = room_cycle; }

  [[nodiscard]] bool is_full() const { return room_ == 0; }
  /// When the full queue last got room.
  [[nodiscard]] Cycle room_cycle() const { return room_cycle_; }

  /// An access of `warp` takes a place.
  void take_place(WarpState& warp, Cycle now) {
    if (--room_ == 0) full_cycle_ = now;
    warp.was_refused = false;
    ++warp.in_queue;
  }
  /// An access of `warp`, one of `warps`, left the queue: its place is free in `cycle`, and the
  /// warp wakes if it sleeps. Accesses could issue from `next_access_cycle` on.
  void free_place(std::span<WarpState> warps, WarpState& warp, Cycle cycle,
                  Cycle next_access_cycle) {
    if (room_++ == 0) {
      room_cycle_ = cycle;
      note_refusals(warps, next_access_cycle);
    }
    --warp.in_queue;
    if (!warp.asleep) return;
    warp.asleep = false;
    warp.next_issue_cycle = cycle - 1 + wake_cycles_;
    warp.look_again();
  }

 private:
  /// The queue that was full has room from `room_cycle_` on: which warps it refused until then.
  void note_refusals(std::span<WarpState> warps, Cycle next_access_cycle) const;

  std::uint32_t wake_cycles_ = 0;
  std::uint32_t room_ = 0;
  Cycle room_cycle_ = 0;
  Cycle full_cycle_ = 0;  ///< when the queue last became full
};

inline void Refusals::reset(const TimingSpec& timing) {
  wake_cycles_ = timing.refused_wake_cycles;
  room_ = timing.queue_entries;
  room_cycle_ = 0;
  full_cycle_ = 0;
}

inline void Refusals::note_refusals(std::span<WarpState> warps, Cycle next_access_cycle) const {
  for (WarpState& warp : warps) {
    if (warp.was_refused || warp.want != Want::access) continue;
    const Cycle cycle = std::max({warp.own_cycle, next_access_cycle, full_cycle_ + 1});
    if (cycle >= room_cycle_) continue;
    warp.was_refused = true;
    if (warp.in_queue == 0) continue;
    warp.asleep = true;
    warp.look_again();
  }
}

}  // namespace smem::clock
