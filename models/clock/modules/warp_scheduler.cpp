// SPDX-License-Identifier: Apache-2.0
#include <clock/modules/warp_scheduler.hpp>

namespace smem::clock {

void WarpScheduler::reset(const TimingSpec& timing) {
  timing_ = timing;
  turn_ = timing.warp_order->turn();
  last_issued_ = 0;
  refusals_.reset(timing);
  next_access_cycle_ = 0;
  gate_cycles_ = {};
  gate(Want::nothing) = kNever;
}

bool WarpScheduler::keeps_turn(const WarpState& warp, Cycle now) const {
  if (warp.next == warp.end || warp.next->run_instructions() == 0) return false;
  const bool is_between =
      warp.run_left == 0 && (warp.independent_left != 0 || warp.chain_left != 0);
  return !is_between && issue_cycle(warp) <= now;
}

int WarpScheduler::choose(std::span<const WarpState> warps, Cycle now) {
  if (warps.empty()) return -1;
  if (keeps_turn(warps[last_issued_], now)) return static_cast<int>(last_issued_);
  std::size_t first = 0;
  switch (turn_) {
    case Turn::unknown:
      return pick(warps, now);
    case Turn::after_last:
      first = last_issued_ + 1;
      break;
    case Turn::last_then_lowest:
      if (issue_cycle(warps[last_issued_]) <= now) return static_cast<int>(last_issued_);
      break;
    case Turn::lowest:
      break;
  }
  for (std::size_t place = first; place < warps.size(); ++place) {
    if (issue_cycle(warps[place]) <= now) return issues(place);
  }
  for (std::size_t place = 0; place < first; ++place) {
    if (issue_cycle(warps[place]) <= now) return issues(place);
  }
  return -1;
}

int WarpScheduler::pick(std::span<const WarpState> warps, Cycle now) {
  candidates_.clear();
  for (std::size_t place = 0; place < warps.size(); ++place) {
    const Cycle cycle = issue_cycle(warps[place]);
    if (cycle <= now) candidates_.push_back({place, cycle});
  }
  if (candidates_.empty()) return -1;
  const std::size_t picked =
      candidates_.size() == 1 ? 0 : timing_.warp_order->pick(candidates_, last_issued_);
  return issues(candidates_[picked].place);
}

}  // namespace smem::clock
