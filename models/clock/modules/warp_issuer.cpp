// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <clock/modules/warp_issuer.hpp>

namespace smem::clock {

WarpIssuer::WarpIssuer(const sc_core::sc_module_name& name, CycleScheduler& scheduler,
                       std::uint8_t sub_partition, AccessPool& pool)
    : ClockedModule(name, scheduler), sub_partition_(sub_partition), pool_(pool) {}

void WarpIssuer::reset(const TimingSpec& timing, Observer* observer) {
  timing_ = timing;
  observer_ = observer;
  in_starts.clear();
  in_releases.clear();
  in_values.clear();
  in_store_ends.clear();
  in_departures.clear();
  warps_.clear();
  index_of_slot_.clear();
  turns_.reset(timing);
  alu_run_.reset();
}

void WarpIssuer::resume(const IdleState::SubPartition& left) {
  turns_.resume(left);
}

void WarpIssuer::step(Cycle now) {
  if (alu_run_.is_under_way()) alu_run_.end(warps_, turns_, now);
  receive(now);
  const int chosen = turns_.choose(warps_, now);
  if (chosen >= 0) {
    WarpState& warp = warps_[static_cast<std::size_t>(chosen)];
    issue(warp, now);
    warp.look_again();
  }
  ask_for_next_step(now);
}

void WarpIssuer::ask_for_next_step(Cycle now) {
  Cycle next = std::min(in_releases.next_arrival_cycle(), in_store_ends.next_arrival_cycle());
  bool waits_for_value = false;
  bool is_asleep = false;
  for (const WarpState& warp : warps_) {
    next = std::min(next, turns_.issue_cycle(warp));
    is_asleep |= warp.asleep;
    waits_for_value |= warp.waits_for_value();
  }
  in_values.wake_not_before(waits_for_value ? 0 : kNever);
  if (waits_for_value) next = std::min(next, in_values.next_arrival_cycle());
  const bool waits_for_departure = turns_.refusals().is_full() || is_asleep;
  in_departures.wake_not_before(waits_for_departure ? 0 : kNever);
  if (waits_for_departure) next = std::min(next, in_departures.next_arrival_cycle());
  if (next != kNever) wake_at(std::max(next, now + 1));
}

void WarpIssuer::receive(Cycle now) {
  receive_departures(now);
  receive_ends(in_values, true, now);
  receive_ends(in_store_ends, false, now);
  while (in_releases.has_arrived(now)) {
    WarpState& warp = warp_of_slot(in_releases.receive());
    warp.at_barrier = false;
    if (observer_ != nullptr) observer_->barrier_passed(warp.warp_slot, now);
    warp.passed_cycle = now;
    warp.end_instruction(now);
    finish_if_done(warp, now);
    warp.look_again();
  }
  while (in_starts.has_arrived(now)) start(in_starts.receive(), now);
}

void WarpIssuer::receive_ends(Pipe<std::uint16_t>& ends, bool are_values, Cycle now) {
  while (ends.has_arrived(now)) {
    const Cycle arrival_cycle = ends.next_arrival_cycle();
    WarpState& warp = warp_of_slot(ends.receive());
    if (are_values) {
      ++warp.values_returned;
      if (warp.next != warp.end && warp.values_returned == warp.next->needs_values) {
        warp.value_cycle = arrival_cycle;
      }
    }
    --warp.ends_expected;
    finish_if_done(warp, now);
    warp.look_again();
  }
}

void WarpIssuer::start(const WarpStart& start, Cycle now) {
  const auto free = std::find_if(warps_.begin(), warps_.end(),
                                 [](const WarpState& warp) { return !warp.running; });
  const auto index = static_cast<std::uint16_t>(free - warps_.begin());
  if (free == warps_.end()) warps_.emplace_back();
  if (index_of_slot_.size() <= start.warp_slot) index_of_slot_.resize(start.warp_slot + 1u);
  index_of_slot_[start.warp_slot] = index;
  WarpState& warp = warps_[index];
  warp.start(start, now);
  if (observer_ != nullptr)
    observer_->warp_started(warp.warp_slot, warp.block_slot, start.warp, now);
  finish_if_done(warp, now);
  warp.look_again();
}

void WarpIssuer::receive_departures(Cycle now) {
  while (in_departures.has_arrived(now)) {
    const Cycle cycle = in_departures.next_arrival_cycle();
    turns_.access_departed(warps_, warp_of_slot(in_departures.receive().warp_slot), cycle);
  }
}

void WarpIssuer::issue(WarpState& warp, Cycle now) {
  if (warp.run_left != 0) {
    --warp.run_left;
    warp.next_issue_cycle = now + 1;
    return;
  }
  if (warp.independent_left != 0 || warp.chain_left != 0) {
    issue_alu(warp, now);
    return;
  }
  switch (warp.next->kind) {
    case InstructionKind::access:
      issue_access(warp, now);
      warp.end_instruction(now + 1);
      return;
    case InstructionKind::barrier:
      warp.at_barrier = true;
      turns_.barrier_issued(now);
      if (observer_ != nullptr) observer_->barrier_arrived(warp.warp_slot, *warp.next, now);
      out_events->send({warp.warp_slot, warp.block_slot, false, now}, now + 1);
      return;
  }
}

void WarpIssuer::issue_alu(WarpState& warp, Cycle now) {
  turns_.alu_issued(now);
  warp.next_issue_cycle = now + 1;
  if (warp.independent_left != 0) {
    if (--warp.independent_left < AluRun::kLeastInstructions) return;
    warp.look_again();
    alu_run_.begin(warps_, turns_);
    return;
  }
  const std::uint32_t before = warp.next->dependent_instructions - warp.chain_left--;
  warp.chain_ready_cycle = now + (before == 0   ? timing_.first_alu_latency_cycles
                                  : before == 1 ? timing_.second_alu_latency_cycles
                                                : timing_.alu_latency_cycles);
}

void WarpIssuer::issue_access(WarpState& warp, Cycle now) {
  const Instruction& instruction = *warp.next;
  InFlight* access = pool_.take();
  access->instruction = &instruction;
  access->warp_slot = warp.warp_slot;
  access->block = warp.block;
  access->sub_partition = sub_partition_;
  access->last_of_warp = warp.repeats_left == 1 && warp.next == warp.last_access;
  access->data_ready_cycle = warp.passed_cycle + instruction.data_delay_cycles();
  access->stamps = AccessStamps{};
  access->stamps.able_cycle = warp.able_cycle;
  access->stamps.ready_cycle = std::max(
      {warp.able_cycle + instruction.delay_cycles, warp.chain_ready_cycle, warp.value_cycle});
  access->stamps.room_cycle = turns_.refusals().room_cycle();
  access->stamps.issue_cycle = now;
  if (instruction.returns_value || access->last_of_warp) ++warp.ends_expected;
  turns_.access_issued(warp, now);
  if (observer_ != nullptr) observer_->access_issued(*access);
  out_accesses->send(access, now + 1);
}

void WarpIssuer::finish_if_done(WarpState& warp, Cycle now) {
  if (!warp.is_done()) return;
  warp.running = false;
  if (observer_ != nullptr) observer_->warp_finished(warp.warp_slot, now);
  out_events->send({warp.warp_slot, warp.block_slot, true, now}, now + 1);
}

}  // namespace smem::clock
