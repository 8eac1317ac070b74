// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <cycle/operand_path.hpp>

namespace smem::cycle {

OperandPath::OperandPath(const sc_core::sc_module_name& name, CycleScheduler& scheduler)
    : ClockedModule(name, scheduler) {
  for (auto& pipe : in_accesses) pipe.bind(*this);
}

void OperandPath::reset(const TimingSpec& timing) {
  timing_ = timing;
  for (auto& pipe : in_accesses) pipe.clear();
  for (SubPartition& sub_partition : sub_partitions_) sub_partition = SubPartition{};
  next_on_bus_ = 0;
  data_left_ = 0;
  moved_until_cycle_ = 0;
}

void OperandPath::step(Cycle now) {
  if (data_left_ != 0 && now > moved_until_cycle_ + 1) move_data(moved_until_cycle_ + 1, now - 1);
  for (std::size_t index = 0; index < timing_.sub_partitions; ++index) {
    if (in_accesses[index].has_arrived(now) || sub_partitions_[index].due_cycle <= now) {
      receive(index, now);
      // Twice where an address moves in one cycle: what started a cycle ago is already there.
      while (start_transfer(index, now)) {
      }
    }
  }
  if (data_left_ != 0) move_data(now, now);
  moved_until_cycle_ = now;
  Cycle next = kNever;
  for (std::size_t index = 0; index < timing_.sub_partitions; ++index) {
    plan(index, now);
    next = std::min(next, sub_partitions_[index].due_cycle);
  }
  if (next != kNever) wake_at(std::max(next, now + 1));
}

void OperandPath::plan(std::size_t index, Cycle now) {
  SubPartition& sub_partition = sub_partitions_[index];
  if (sub_partition.data_left != 0) {
    in_accesses[index].wake_not_before(kNever);
    // The last data register, when the bus is free every time; it cannot move earlier.
    sub_partition.due_cycle = std::max(sub_partition.next_cycle, now + 1) +
                              (sub_partition.data_left - 1) * timing_.register_transfer_cycles;
  } else if (sub_partition.waiting.empty()) {
    in_accesses[index].wake_not_before(sub_partition.free_cycle);
    const Cycle arrival_cycle = in_accesses[index].next_arrival_cycle();
    sub_partition.due_cycle =
        arrival_cycle == kNever ? kNever : std::max(arrival_cycle, sub_partition.free_cycle);
  } else {
    in_accesses[index].wake_not_before(kNever);
    sub_partition.due_cycle = sub_partition.free_cycle;
  }
}

void OperandPath::receive(std::size_t index, Cycle now) {
  SubPartition& sub_partition = sub_partitions_[index];
  while (in_accesses[index].has_arrived(now)) {
    sub_partition.waiting.push_back(in_accesses[index].receive());
  }
}

bool OperandPath::start_transfer(std::size_t index, Cycle now) {
  SubPartition& sub_partition = sub_partitions_[index];
  if (sub_partition.data_left != 0 || sub_partition.free_cycle > now ||
      sub_partition.waiting.empty()) {
    return false;
  }
  InFlight* access = sub_partition.waiting.front();
  // What became known this cycle happened in the one before; the registers move from there on.
  const Cycle start_cycle = std::max(sub_partition.free_cycle, access->stamps.issue_cycle);
  if (timing_.access_order == AccessOrder::oldest_moved) {
    access->age = start_cycle * TimingSpec::kMaxSubPartitions + index;
  }
  access->stamps.path_free_cycle = sub_partition.free_cycle;
  access->stamps.transfer_cycle = start_cycle;
  sub_partition.data_left = access->instruction->operand_registers - 1u;
  data_left_ += sub_partition.data_left;
  sub_partition.next_cycle = start_cycle + timing_.register_transfer_cycles;
  if (sub_partition.data_left == 0) {
    finish_transfer(index);
  } else {
    sub_partition.next_cycle = std::max(sub_partition.next_cycle, access->data_ready_cycle);
  }
  return true;
}

/// All registers are on their way: the access stands in the queue from `next_cycle` on.
void OperandPath::finish_transfer(std::size_t index) {
  SubPartition& sub_partition = sub_partitions_[index];
  InFlight* access = sub_partition.waiting.front();
  sub_partition.waiting.erase(sub_partition.waiting.begin());
  sub_partition.free_cycle = sub_partition.next_cycle;
  access->stamps.queue_cycle = sub_partition.next_cycle;
  out_queue[index]->send(access, sub_partition.next_cycle + 1);
}

void OperandPath::move_data(Cycle from_cycle, Cycle to_cycle) {
  for (Cycle cycle = from_cycle; cycle <= to_cycle && data_left_ != 0; ++cycle) {
    move_data_once(cycle);
  }
}

void OperandPath::move_data_once(Cycle cycle) {
  std::uint32_t grants = timing_.data_registers_per_cycle;
  const std::size_t first = next_on_bus_;
  for (std::size_t offset = 0; offset < timing_.sub_partitions && grants != 0; ++offset) {
    const std::size_t index = (first + offset) % timing_.sub_partitions;
    SubPartition& sub_partition = sub_partitions_[index];
    if (sub_partition.data_left == 0 || sub_partition.next_cycle > cycle) continue;
    sub_partition.next_cycle = cycle + timing_.register_transfer_cycles;
    --data_left_;
    if (--sub_partition.data_left == 0) finish_transfer(index);
    next_on_bus_ = (index + 1) % timing_.sub_partitions;
    --grants;
  }
}

}  // namespace smem::cycle
