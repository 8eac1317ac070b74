// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <clock/modules/alu_run.hpp>

namespace smem::clock {

Cycle AluRun::collect(std::span<const WarpState> warps, const WarpScheduler& scheduler) {
  candidates_.clear();
  members_.clear();
  Cycle other_cycle = kNever;
  for (std::size_t place = 0; place < warps.size(); ++place) {
    const WarpState& warp = warps[place];
    const Cycle cycle = scheduler.issue_cycle(warp);
    if (warp.run_left == 0 && warp.independent_left != 0 && cycle == first_cycle_) {
      candidates_.push_back({place, cycle});
      members_.push_back({place, warp.next_issue_cycle});
    } else {
      other_cycle = std::min(other_cycle, cycle);
    }
  }
  return other_cycle;
}

void AluRun::begin(std::span<WarpState> warps, const WarpScheduler& scheduler) {
  const WarpOrder& order = *scheduler.timing_.warp_order;
  if (scheduler.turn_ == Turn::unknown) return;
  first_cycle_ = scheduler.gate_cycles_[static_cast<std::size_t>(Want::alu)];
  const Cycle other_cycle = collect(warps, scheduler);
  if (members_.empty()) return;
  const std::size_t first =
      members_.size() == 1 ? 0 : order.pick(candidates_, scheduler.last_issued_);
  std::rotate(members_.begin(), members_.begin() + static_cast<std::ptrdiff_t>(first),
              members_.end());
  turns_ = scheduler.turn_ == Turn::after_last ? members_.size() : 1;
  std::uint64_t rounds = kNever;
  for (std::size_t turn = 0; turn < turns_; ++turn) {
    rounds = std::min<std::uint64_t>(rounds, warps[members_[turn].warp].independent_left - 1);
  }
  const Cycle interval = scheduler.timing_.alu_interval_cycles;
  const std::uint64_t most = rounds * turns_;
  if (most < kLeastInstructions || other_cycle < first_cycle_ + kLeastInstructions * interval) {
    return;
  }
  most_ = most;
  const Cycle end_cycle = first_cycle_ + most * interval;
  for (const Member& member : members_) {
    warps[member.warp].next_issue_cycle = end_cycle;  // what the next step is asked for
    warps[member.warp].look_again();
  }
}

void AluRun::end(std::span<WarpState> warps, WarpScheduler& scheduler, Cycle now) {
  const Cycle interval = scheduler.timing_.alu_interval_cycles;
  const std::uint64_t issued =
      now <= first_cycle_ ? 0 : std::min(most_, (now - first_cycle_ - 1) / interval + 1);
  for (std::size_t turn = 0; turn < members_.size(); ++turn) {
    const Member& member = members_[turn];
    WarpState& warp = warps[member.warp];
    warp.next_issue_cycle = member.next_issue_cycle;
    if (turn < turns_ && turn < issued) {
      const std::uint64_t own = (issued - turn - 1) / turns_ + 1;
      warp.independent_left -= static_cast<std::uint32_t>(own);
      const std::uint64_t last = turn + (own - 1) * turns_;
      warp.next_issue_cycle = first_cycle_ + last * interval + 1;
    }
    warp.look_again();
  }
  if (issued != 0) {
    scheduler.gate(Want::alu) = first_cycle_ + issued * interval;
    scheduler.last_issued_ = members_[(issued - 1) % turns_].warp;
  }
  most_ = 0;
}

}  // namespace smem::clock
