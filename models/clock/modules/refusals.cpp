// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <clock/modules/refusals.hpp>

namespace smem::clock {

void Refusals::reset(const TimingSpec& timing) {
  wake_cycles_ = timing.refused_wake_cycles;
  room_ = timing.queue_entries;
  room_cycle_ = 0;
  full_cycle_ = 0;
}

void Refusals::note_refusals(std::span<WarpState> warps, Cycle next_access_cycle) const {
  for (WarpState& warp : warps) {
    if (warp.was_refused || warp.want != Want::access) continue;
    const Cycle cycle = std::max({warp.own_cycle, next_access_cycle, full_cycle_ + 1});
    if (cycle >= room_cycle_) continue;
    warp.was_refused = true;
    warp.asleep = warp.in_queue != 0;
  }
}

}  // namespace smem::clock
