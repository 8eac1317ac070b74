// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include <clock/modules/operand_path.hpp>

namespace smem::clock {

void OperandPath::reset(const TimingSpec& timing) {
  timing_ = timing;
  turn_ = timing.sub_partition_order->turn();
  for (auto& pipe : in_accesses) pipe.clear();
  in_data_released.clear();
  for (SubPartition& sub_partition : sub_partitions_) sub_partition = SubPartition{};
  last_into_queue_ = timing.sub_partitions - 1;
  last_to_start_ = timing.sub_partitions - 1;
  next_on_bus_ = 0;
  data_room_ = timing.store_data_registers;
  data_left_ = 0;
  room_wakes_ = true;
  moved_until_cycle_ = 0;
}

void OperandPath::resume(const IdleState& left) {
  const std::size_t count = timing_.sub_partitions;
  last_into_queue_ = last_to_start_ = (left.next_into_queue + count - 1) % count;
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
    while (in_accesses[index].has_arrived(now)) {
      sub_partitions_[index].waiting.push_back(in_accesses[index].receive());
    }
  }
}

std::size_t OperandPath::whose_turn(std::uint32_t able, std::size_t last) const {
  switch (turn_) {
    case Turn::after_last: {
      const std::uint32_t behind = able & ~((2u << last) - 1u);
      return static_cast<std::size_t>(std::countr_zero(behind != 0 ? behind : able));
    }
    case Turn::last_then_lowest:
      if ((able >> last & 1u) != 0) return last;
      [[fallthrough]];
    case Turn::lowest:
      return static_cast<std::size_t>(std::countr_zero(able));
    case Turn::unknown:
      break;
  }
  return (able & (able - 1u)) == 0 ? static_cast<std::size_t>(std::countr_zero(able))
                                   : pick(able, last);
}

std::size_t OperandPath::pick(std::uint32_t able, std::size_t last) const {
  std::array<SubPartitionCandidate, kMaxSubPartitions> candidates;
  std::size_t count = 0;
  for (; able != 0; able &= able - 1) {
    const auto index = static_cast<std::size_t>(std::countr_zero(able));
    candidates[count++] = {index, sub_partitions_[index].waiting.front()->stamps.issue_cycle};
  }
  return candidates[timing_.sub_partition_order->pick({candidates.data(), count}, last)]
      .sub_partition;
}

void OperandPath::enter_queue(Cycle now) {
  std::uint32_t able = 0;  // a bit a sub-partition
  for (std::size_t index = 0; index < timing_.sub_partitions; ++index) {
    const SubPartition& sub_partition = sub_partitions_[index];
    if (sub_partition.moving && sub_partition.data_left == 0 && sub_partition.next_cycle <= now) {
      able |= 1u << index;
    }
  }
  while (able != 0 && out_queue->room(now) != 0) {
    last_into_queue_ = whose_turn(able, last_into_queue_);
    able &= ~(1u << last_into_queue_);
    SubPartition& sub_partition = sub_partitions_[last_into_queue_];
    InFlight* access = sub_partition.waiting.front();
    sub_partition.waiting.erase(sub_partition.waiting.begin());
    sub_partition.moving = false;
    sub_partition.path_free_cycle = now;
    access->stamps.moved_cycle = sub_partition.next_cycle;
    out_queue->enter(*access, now);
    out_departures[last_into_queue_]->send({access->warp_slot}, now + 1);
  }
}

void OperandPath::start_transfers(Cycle now) {
  std::uint32_t waiting = 0;  // a bit a sub-partition
  for (std::size_t index = 0; index < timing_.sub_partitions; ++index) {
    const SubPartition& sub_partition = sub_partitions_[index];
    if (!sub_partition.moving && !sub_partition.waiting.empty()) waiting |= 1u << index;
  }
  while (waiting != 0) {
    std::uint32_t able = 0;  // what one takes of the storage another may lack
    for (std::uint32_t left = waiting; left != 0; left &= left - 1) {
      const auto index = static_cast<std::size_t>(std::countr_zero(left));
      if (stored_registers(*sub_partitions_[index].waiting.front()) <= data_room_) {
        able |= 1u << index;
      }
    }
    if (able == 0) return;
    last_to_start_ = whose_turn(able, last_to_start_);
    waiting &= ~(1u << last_to_start_);
    start_transfer(sub_partitions_[last_to_start_], now);
  }
}

void OperandPath::start_transfer(SubPartition& sub_partition, Cycle now) {
  InFlight* access = sub_partition.waiting.front();
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
    const bool is_idle = !sub_partition.moving && sub_partition.waiting.empty();
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
