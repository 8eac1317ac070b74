// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include <clock/modules/operand_path.hpp>

namespace smem::clock {

void OperandPath::reset(const TimingSpec& timing) {
  timing_ = timing;
  for (auto& pipe : in_accesses) pipe.clear();
  in_data_released.clear();
  for (SubPartition& sub_partition : sub_partitions_) sub_partition = SubPartition{};
  into_queue_.reset(*timing.sub_partition_order, timing.sub_partitions - 1);
  to_start_.reset(*timing.sub_partition_order, timing.sub_partitions - 1);
  next_on_bus_ = 0;
  data_room_ = timing.store_data_registers;
  data_left_ = 0;
  room_wakes_ = true;
  moved_until_cycle_ = 0;
}

void OperandPath::resume(const IdleState& left) {
  const std::size_t count = timing_.sub_partitions;
  const std::size_t last = (left.next_into_queue + count - 1) % count;
  into_queue_.reset(*timing_.sub_partition_order, last);
  to_start_.reset(*timing_.sub_partition_order, last);
  next_on_bus_ = left.next_on_bus;
  for (std::size_t index = 0; index < sub_partitions_.size(); ++index) {
    sub_partitions_[index].path_free_cycle = left.sub_partitions[index].path_free_cycle;
  }
  for (const IdleState::StoredData& stored : left.stored) {
    data_room_ -= stored.registers;
    in_data_released.send(stored.registers, stored.release_cycle);
  }
}

void OperandPath::step(Cycle now) {
  if (data_left_ != 0 && now > moved_until_cycle_ + 1) move_data(moved_until_cycle_ + 1, now - 1);
  receive(now);
  enter_queue(now);
  start_transfers(now);
  if (data_left_ != 0) move_data(now, now);
  moved_until_cycle_ = now;
  ask_for_next_step(now);
}

void OperandPath::receive(Cycle now) {
  while (in_data_released.has_arrived(now)) data_room_ += in_data_released.receive();
  for (std::size_t index = 0; index < timing_.sub_partitions; ++index) {
    if (sub_partitions_[index].first == nullptr) receive_first(index, now);
  }
}

void OperandPath::receive_first(std::size_t index, Cycle now) {
  InPipe<InFlight*>& queue = in_accesses[index];
  sub_partitions_[index].first = queue.has_arrived(now) ? queue.receive() : nullptr;
}

void OperandPath::enter_queue(Cycle now) {
  std::uint32_t able = 0;  // a bit a sub-partition
  for (std::size_t index = 0; index < timing_.sub_partitions; ++index) {
    const SubPartition& sub_partition = sub_partitions_[index];
    if (sub_partition.moving && sub_partition.data_left == 0 && sub_partition.next_cycle <= now) {
      able |= 1u << index;
    }
  }
  const auto issue_cycle = [this](std::size_t index) { return issue_cycle_of_first(index); };
  while (able != 0 && out_queue->room(now) != 0) {
    const std::size_t index = into_queue_.next(able, issue_cycle);
    able &= ~(1u << index);
    SubPartition& sub_partition = sub_partitions_[index];
    InFlight* access = sub_partition.first;
    receive_first(index, now);
    sub_partition.moving = false;
    sub_partition.path_free_cycle = now;
    access->stamps.moved_cycle = sub_partition.next_cycle;
    out_queue->enter(*access, now);
    out_departures[index]->send({access->warp_slot}, now + 1);
  }
}

void OperandPath::start_transfers(Cycle now) {
  std::uint32_t waiting = 0;  // a bit a sub-partition
  for (std::size_t index = 0; index < timing_.sub_partitions; ++index) {
    const SubPartition& sub_partition = sub_partitions_[index];
    if (!sub_partition.moving && sub_partition.first != nullptr) waiting |= 1u << index;
  }
  const auto issue_cycle = [this](std::size_t index) { return issue_cycle_of_first(index); };
  while (waiting != 0) {
    std::uint32_t able = 0;  // what one takes of the storage another may lack
    for (std::uint32_t left = waiting; left != 0; left &= left - 1) {
      const auto index = static_cast<std::size_t>(std::countr_zero(left));
      if (stored_registers(*sub_partitions_[index].first) <= data_room_) able |= 1u << index;
    }
    if (able == 0) return;
    const std::size_t index = to_start_.next(able, issue_cycle);
    waiting &= ~(1u << index);
    start_transfer(sub_partitions_[index], now);
  }
}

void OperandPath::start_transfer(SubPartition& sub_partition, Cycle now) {
  InFlight* access = sub_partition.first;
  const std::uint32_t data_registers = access->instruction->operand_registers - 1u;
  data_room_ -= stored_registers(*access);
  data_left_ += data_registers;
  sub_partition.moving = true;
  sub_partition.data_left = data_registers;
  sub_partition.next_cycle = now + timing_.register_transfer_cycles;
  if (data_registers != 0) {
    sub_partition.next_cycle = std::max(sub_partition.next_cycle, access->data_ready_cycle);
  }
  access->stamps.path_free_cycle = sub_partition.path_free_cycle;
  access->stamps.transfer_cycle = now;
}

void OperandPath::move_data(Cycle from_cycle, Cycle to_cycle) {
  for (Cycle cycle = from_cycle; cycle <= to_cycle && data_left_ != 0; ++cycle) {
    move_data_once(cycle);
  }
}

/// The bus goes round, whatever the order of sub-partitions.
void OperandPath::move_data_once(Cycle cycle) {
  std::uint32_t grants = timing_.data_registers_per_cycle;
  const std::size_t first = next_on_bus_;
  for (std::size_t offset = 0; offset < timing_.sub_partitions && grants != 0; ++offset) {
    const std::size_t index = (first + offset) % timing_.sub_partitions;
    SubPartition& sub_partition = sub_partitions_[index];
    if (sub_partition.data_left == 0 || sub_partition.next_cycle > cycle) continue;
    sub_partition.next_cycle = cycle + timing_.register_transfer_cycles;
    --data_left_;
    --sub_partition.data_left;
    next_on_bus_ = (index + 1) % timing_.sub_partitions;
    --grants;
  }
}

void OperandPath::ask_for_next_step(Cycle now) {
  Cycle next = kNever;
  bool waits_for_queue = false;
  bool waits_for_storage = false;
  for (std::size_t index = 0; index < timing_.sub_partitions; ++index) {
    const SubPartition& sub_partition = sub_partitions_[index];
    const bool is_idle = sub_partition.first == nullptr;
    in_accesses[index].wake_not_before(is_idle ? 0 : kNever);
    if (is_idle) {
      next = std::min(next, in_accesses[index].next_arrival_cycle());
    } else if (!sub_partition.moving) {
      waits_for_storage = true;
    } else if (sub_partition.data_left != 0) {
      // When the bus is free every time; the last register cannot arrive earlier.
      next = std::min(next, std::max(sub_partition.next_cycle, now + 1) +
                                Cycle{sub_partition.data_left} * timing_.register_transfer_cycles);
    } else if (sub_partition.next_cycle > now) {
      next = std::min(next, sub_partition.next_cycle);
    } else {
      waits_for_queue = true;
    }
  }
  if (waits_for_queue || room_wakes_) {
    room_wakes_ = waits_for_queue;
    const Cycle room_cycle = out_queue->next_room_cycle(waits_for_queue);
    if (waits_for_queue) next = std::min(next, room_cycle);
  }
  in_data_released.wake_not_before(waits_for_storage ? 0 : kNever);
  if (waits_for_storage) next = std::min(next, in_data_released.next_arrival_cycle());
  if (next != kNever) wake_at(std::max(next, now + 1));
}

}  // namespace smem::clock
