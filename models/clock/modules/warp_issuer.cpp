// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <clock/modules/warp_issuer.hpp>

namespace smem::clock {
namespace {
/// So many independent instructions make a run worth its setting up.
constexpr std::uint32_t kLeastRun = 8;
}  // namespace

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
  last_issued_ = 0;
  alu_run_.most = 0;
  room_ = timing.queue_entries;
  next_access_cycle_ = 0;
  next_alu_cycle_ = 0;
  next_barrier_cycle_ = 0;
  room_cycle_ = 0;
  full_cycle_ = 0;
}

void WarpIssuer::resume(const IdleState::SubPartition& left) {
  next_access_cycle_ = left.next_access_cycle;
  next_alu_cycle_ = left.next_alu_cycle;
  next_barrier_cycle_ = left.next_barrier_cycle;
  room_cycle_ = left.room_cycle;
}

void WarpIssuer::step(Cycle now) {
  if (alu_run_.most != 0) end_alu_run(now);
  receive(now);
  const int chosen = choose(now);
  if (chosen >= 0) {
    last_issued_ = static_cast<std::size_t>(chosen);
    issue(warps_[last_issued_], now);
    look_again(warps_[last_issued_]);
  }
  ask_for_next_step(now);
}

void WarpIssuer::ask_for_next_step(Cycle now) {
  Cycle next = std::min(in_releases.next_arrival_cycle(), in_store_ends.next_arrival_cycle());
  bool waits_for_value = false;
  bool is_asleep = false;
  for (const Warp& warp : warps_) {
    next = std::min(next, issue_cycle(warp));
    is_asleep |= warp.asleep;
    waits_for_value |=
        warp.running && (warp.next == warp.end || warp.values_returned < warp.next->needs_values);
  }
  in_values.wake_not_before(waits_for_value ? 0 : kNever);
  if (waits_for_value) next = std::min(next, in_values.next_arrival_cycle());
  const bool waits_for_departure = room_ == 0 || is_asleep;
  in_departures.wake_not_before(waits_for_departure ? 0 : kNever);
  if (waits_for_departure) next = std::min(next, in_departures.next_arrival_cycle());
  if (next != kNever) wake_at(std::max(next, now + 1));
}

void WarpIssuer::receive(Cycle now) {
  receive_departures(now);
  receive_ends(in_values, true, now);
  receive_ends(in_store_ends, false, now);
  while (in_releases.has_arrived(now)) {
    Warp& warp = warp_of_slot(in_releases.receive());
    warp.at_barrier = false;
    if (observer_ != nullptr) observer_->barrier_passed(warp.warp_slot, now);
    warp.passed_cycle = now;
    end_instruction(warp, now);
    finish_if_done(warp, now);
    look_again(warp);
  }
  while (in_starts.has_arrived(now)) start(in_starts.receive(), now);
}

void WarpIssuer::receive_ends(Pipe<std::uint16_t>& ends, bool are_values, Cycle now) {
  while (ends.has_arrived(now)) {
    const Cycle arrival_cycle = ends.next_arrival_cycle();
    Warp& warp = warp_of_slot(ends.receive());
    if (are_values) {
      ++warp.values_returned;
      if (warp.next != warp.end && warp.values_returned == warp.next->needs_values) {
        warp.value_cycle = arrival_cycle;
      }
    }
    --warp.ends_expected;
    finish_if_done(warp, now);
    look_again(warp);
  }
}

void WarpIssuer::start(const WarpStart& start, Cycle now) {
  const auto free =
      std::find_if(warps_.begin(), warps_.end(), [](const Warp& warp) { return !warp.running; });
  const auto index = static_cast<std::uint16_t>(free - warps_.begin());
  if (free == warps_.end()) warps_.emplace_back();
  if (index_of_slot_.size() <= start.warp_slot) index_of_slot_.resize(start.warp_slot + 1u);
  index_of_slot_[start.warp_slot] = index;
  Warp& warp = warps_[index];
  warp = Warp{};
  warp.warp_slot = start.warp_slot;
  warp.block_slot = start.block_slot;
  warp.block = start.block;
  warp.running = true;
  warp.passed_cycle = now;
  warp.next = start.instructions.data();
  warp.end = warp.next + start.instructions.size();
  const auto last =
      std::find_if(start.instructions.rbegin(), start.instructions.rend(),
                   [](const Instruction& each) { return each.kind == InstructionKind::access; });
  if (last != start.instructions.rend()) warp.last_access = &*last;
  if (observer_ != nullptr)
    observer_->warp_started(warp.warp_slot, warp.block_slot, start.warp, now);
  begin_instruction(warp, now);
  finish_if_done(warp, now);
  look_again(warp);
}

void WarpIssuer::begin_instruction(Warp& warp, Cycle able_cycle) {
  if (warp.next == warp.end) return;
  const Instruction& instruction = *warp.next;
  if (warp.repeats_left == 0) warp.repeats_left = instruction.repeats;
  warp.run_left = instruction.run_instructions();
  warp.independent_left = instruction.independent_instructions;
  warp.chain_left = instruction.dependent_instructions;
  warp.chain_ready_cycle = 0;
  warp.value_cycle = 0;
  warp.able_cycle = able_cycle;
  warp.next_issue_cycle = able_cycle + instruction.delay_cycles;
}

void WarpIssuer::end_instruction(Warp& warp, Cycle able_cycle) {
  if (--warp.repeats_left == 0) ++warp.next;
  begin_instruction(warp, able_cycle);
}

void WarpIssuer::look_again(Warp& warp) {
  warp.want = Want::nothing;
  if (!warp.running || warp.at_barrier || warp.next == warp.end) return;
  warp.own_cycle = warp.next_issue_cycle;
  if (warp.run_left != 0 || warp.independent_left != 0) {
    warp.want = warp.run_left != 0 ? Want::run : Want::alu;
    return;
  }
  const Instruction& instruction = *warp.next;
  if (warp.values_returned < instruction.needs_values) return;
  warp.own_cycle = std::max(warp.own_cycle, warp.chain_ready_cycle);
  if (warp.value_cycle != 0) {
    warp.own_cycle = std::max(warp.own_cycle, warp.value_cycle + instruction.delay_cycles);
  }
  if (warp.chain_left != 0) {
    warp.want = Want::alu;
  } else if (instruction.kind == InstructionKind::barrier) {
    warp.want = Want::barrier;
  } else {
    warp.want = Want::access;
    warp.own_cycle = std::max(warp.own_cycle, warp.next_access_cycle);
  }
}

void WarpIssuer::receive_departures(Cycle now) {
  while (in_departures.has_arrived(now)) {
    const Cycle cycle = in_departures.next_arrival_cycle();
    if (room_++ == 0) note_refusals(cycle);
    Warp& warp = warp_of_slot(in_departures.receive().warp_slot);
    --warp.in_queue;
    if (!warp.asleep) continue;
    warp.asleep = false;
    warp.next_issue_cycle = cycle - 1 + timing_.refused_wake_cycles;
    look_again(warp);
  }
}

void WarpIssuer::note_refusals(Cycle room_cycle) {
  room_cycle_ = room_cycle;
  for (Warp& warp : warps_) {
    if (warp.was_refused || warp.want != Want::access) continue;
    const Cycle cycle = std::max({warp.own_cycle, next_access_cycle_, full_cycle_ + 1});
    if (cycle >= room_cycle) continue;
    warp.was_refused = true;
    warp.asleep = warp.in_queue != 0;
  }
}

bool WarpIssuer::keeps_slot(Cycle now) const {
  const Warp& warp = warps_[last_issued_];
  if (warp.next == warp.end || warp.next->run_instructions() == 0) return false;
  const bool is_between =
      warp.run_left == 0 && (warp.independent_left != 0 || warp.chain_left != 0);
  return !is_between && issue_cycle(warp) <= now;
}

int WarpIssuer::choose(Cycle now) const {
  const std::size_t count = warps_.size();
  if (count == 0) return -1;
  if (keeps_slot(now)) return static_cast<int>(last_issued_);
  std::size_t first = 0;
  switch (timing_.warp_order) {
    case WarpOrder::loose_round_robin:
      first = last_issued_ + 1;
      break;
    case WarpOrder::greedy_then_oldest:
      if (issue_cycle(warps_[last_issued_]) <= now) return static_cast<int>(last_issued_);
      break;
    case WarpOrder::lowest_warp:
      break;
  }
  for (std::size_t offset = 0; offset < count; ++offset) {
    const std::size_t index = (first + offset) % count;
    if (issue_cycle(warps_[index]) <= now) return static_cast<int>(index);
  }
  return -1;
}

void WarpIssuer::issue(Warp& warp, Cycle now) {
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
      end_instruction(warp, now + 1);
      return;
    case InstructionKind::barrier:
      warp.at_barrier = true;
      next_barrier_cycle_ = now + timing_.barrier_issue_interval_cycles;
      if (observer_ != nullptr) observer_->barrier_arrived(warp.warp_slot, *warp.next, now);
      out_events->send({warp.warp_slot, warp.block_slot, false, now}, now + 1);
      return;
  }
}

void WarpIssuer::issue_alu(Warp& warp, Cycle now) {
  next_alu_cycle_ = now + timing_.alu_interval_cycles;
  warp.next_issue_cycle = now + 1;
  if (warp.independent_left != 0) {
    if (--warp.independent_left < kLeastRun) return;
    look_again(warp);
    begin_alu_run();
    return;
  }
  const std::uint32_t before = warp.next->dependent_instructions - warp.chain_left--;
  warp.chain_ready_cycle = now + (before == 0   ? timing_.first_alu_latency_cycles
                                  : before == 1 ? timing_.second_alu_latency_cycles
                                                : timing_.alu_latency_cycles);
}

/// Where `choose` will begin to look; the warp that issued last can issue again.
std::size_t WarpIssuer::first_of_run() const {
  switch (timing_.warp_order) {
    case WarpOrder::loose_round_robin:
      return (last_issued_ + 1) % warps_.size();
    case WarpOrder::greedy_then_oldest:
      return last_issued_;
    case WarpOrder::lowest_warp:
      break;
  }
  return 0;
}

void WarpIssuer::begin_alu_run() {
  AluRun& run = alu_run_;
  run.members.clear();
  run.first_cycle = next_alu_cycle_;
  const std::size_t count = warps_.size();
  const std::size_t first = first_of_run();
  Cycle other_cycle = kNever;  // when something else can issue
  for (std::size_t offset = 0; offset < count; ++offset) {
    const std::size_t index = first + offset < count ? first + offset : first + offset - count;
    const Warp& warp = warps_[index];
    const Cycle cycle = issue_cycle(warp);
    if (warp.run_left == 0 && warp.independent_left != 0 && cycle == run.first_cycle) {
      run.members.push_back({index, warp.next_issue_cycle});
    } else {
      other_cycle = std::min(other_cycle, cycle);
    }
  }
  const bool in_turns = timing_.warp_order == WarpOrder::loose_round_robin;
  run.turns = in_turns ? run.members.size() : 1;
  std::uint64_t rounds = kNever;
  for (std::size_t turn = 0; turn < run.turns; ++turn) {
    rounds = std::min<std::uint64_t>(rounds, warps_[run.members[turn].warp].independent_left - 1);
  }
  const Cycle interval = timing_.alu_interval_cycles;
  const std::uint64_t most = rounds * run.turns;
  if (most < kLeastRun || other_cycle < run.first_cycle + kLeastRun * interval) return;
  run.most = most;
  const Cycle end_cycle = run.first_cycle + most * interval;
  for (const AluRun::Member& member : run.members) {
    warps_[member.warp].next_issue_cycle = end_cycle;  // what the next step is asked for
    look_again(warps_[member.warp]);
  }
}

void WarpIssuer::end_alu_run(Cycle now) {
  AluRun& run = alu_run_;
  const Cycle interval = timing_.alu_interval_cycles;
  const std::uint64_t issued =
      now <= run.first_cycle ? 0 : std::min(run.most, (now - run.first_cycle - 1) / interval + 1);
  for (std::size_t turn = 0; turn < run.members.size(); ++turn) {
    const AluRun::Member& member = run.members[turn];
    Warp& warp = warps_[member.warp];
    warp.next_issue_cycle = member.next_issue_cycle;
    if (turn < run.turns && turn < issued) {
      const std::uint64_t own = (issued - turn - 1) / run.turns + 1;
      warp.independent_left -= static_cast<std::uint32_t>(own);
      const std::uint64_t last = turn + (own - 1) * run.turns;
      warp.next_issue_cycle = run.first_cycle + last * interval + 1;
    }
    look_again(warp);
  }
  if (issued != 0) {
    next_alu_cycle_ = run.first_cycle + issued * interval;
    last_issued_ = run.members[(issued - 1) % run.turns].warp;
  }
  run.most = 0;
}

void WarpIssuer::issue_access(Warp& warp, Cycle now) {
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
  access->stamps.room_cycle = room_cycle_;
  access->stamps.issue_cycle = now;
  if (instruction.returns_value || access->last_of_warp) ++warp.ends_expected;
  if (--room_ == 0) full_cycle_ = now;
  warp.was_refused = false;
  ++warp.in_queue;
  warp.next_access_cycle = now + timing_.warp_memory_interval_cycles;
  next_access_cycle_ = now + timing_.sub_partition_memory_interval_cycles;
  if (observer_ != nullptr) observer_->access_issued(*access);
  out_accesses->send(access, now + 1);
}

void WarpIssuer::finish_if_done(Warp& warp, Cycle now) {
  if (!warp.running || warp.next != warp.end || warp.ends_expected != 0) return;
  warp.running = false;
  if (observer_ != nullptr) observer_->warp_finished(warp.warp_slot, now);
  out_events->send({warp.warp_slot, warp.block_slot, true, now}, now + 1);
}

}  // namespace smem::clock
