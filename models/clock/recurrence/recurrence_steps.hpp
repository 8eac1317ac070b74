// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clock/recurrence/recurrence.hpp>

// The steps of an access in Recurrence, in the order in which it takes them.

namespace smem::clock {

inline Recurrence::Ready Recurrence::ready(const Instruction& instruction) {
  const std::uint64_t alu_interval = timing_.alu_interval_cycles;
  std::uint64_t address_cycle = able_cycle_ + instruction.delay_cycles;
  std::uint64_t cycle = address_cycle + instruction.run_instructions();
  if (instruction.independent_instructions != 0) {
    const std::uint64_t last = std::max(cycle, home_->next_alu_cycle) +
                               (instruction.independent_instructions - 1) * alu_interval;
    home_->next_alu_cycle = last + alu_interval;
    cycle = last + 1;
  }
  if (instruction.needs_values != 0) {
    const std::uint64_t value_cycle = value_cycles_[instruction.needs_values - 1];
    address_cycle = std::max(address_cycle, value_cycle);
    cycle = std::max(cycle, value_cycle + instruction.delay_cycles);
  }
  if (instruction.dependent_instructions != 0) {
    const std::uint64_t first_latency = timing_.first_alu_latency_cycles;
    const std::uint64_t second_latency = timing_.second_alu_latency_cycles;
    const std::uint64_t latency = timing_.alu_latency_cycles;
    const std::uint32_t count = instruction.dependent_instructions;
    std::uint64_t last = std::max(cycle, home_->next_alu_cycle);
    if (count > 1) last += std::max(first_latency, alu_interval);
    if (count > 2) {
      last +=
          std::max(second_latency, alu_interval) + (count - 3) * std::max(latency, alu_interval);
    }
    home_->next_alu_cycle = last + alu_interval;
    cycle = last + (count == 1 ? first_latency : count == 2 ? second_latency : latency);
    address_cycle = std::max(address_cycle, cycle);
  }
  return {cycle, address_cycle};
}

inline void Recurrence::issue(const Instruction& instruction, AccessStamps& access) {
  access.able_cycle = able_cycle_;
  const Ready from = ready(instruction);
  access.ready_cycle = from.address_cycle;
  std::uint64_t cycle = std::max({from.issue_cycle, next_access_cycle_, home_->next_access_cycle});
  // Refused, it hears of the room when an access of its own leaves the queue: the one that makes
  // it.
  if (cycle < home_->room_cycle) cycle = home_->room_cycle - 1 + timing_.refused_wake_cycles;
  access.room_cycle = home_->room_cycle;
  access.issue_cycle = cycle;
  next_access_cycle_ = cycle + timing_.warp_memory_interval_cycles;
  home_->next_access_cycle = cycle + timing_.sub_partition_memory_interval_cycles;
  able_cycle_ = cycle + 1;
}

inline std::uint64_t Recurrence::store_data(std::uint32_t registers, std::uint64_t cycle) {
  while (stored_registers_ + registers > timing_.store_data_registers) {
    const IdleState::StoredData& first = stored_[first_stored_++ & stored_mask_];
    stored_registers_ -= first.registers;
    cycle = std::max(cycle, first.release_cycle);
  }
  stored_registers_ += registers;
  return cycle;
}

inline void Recurrence::move_registers(const Instruction& instruction, AccessStamps& access) {
  const std::uint64_t register_cycles = timing_.register_transfer_cycles;
  const std::uint32_t data_registers = instruction.operand_registers - 1u;
  access.path_free_cycle = home_->path_free_cycle;
  access.transfer_cycle = std::max(access.path_free_cycle, access.issue_cycle + 1);
  if (data_registers != 0) {
    access.transfer_cycle =
        store_data(timing_.stored_registers(instruction.operand_registers), access.transfer_cycle);
  }
  access.moved_cycle = access.transfer_cycle + register_cycles;
  if (data_registers != 0) {
    access.moved_cycle =
        std::max(access.moved_cycle, passed_cycle_ + instruction.data_delay_cycles()) +
        data_registers * register_cycles;
  }
  access.queue_cycle = access.moved_cycle;
  if (served_ >= timing_.sm_queue_entries) {
    const std::uint64_t room_cycle =
        taken_cycles_[(served_ - timing_.sm_queue_entries) & taken_mask_] + 1;
    access.queue_cycle = std::max(access.queue_cycle, room_cycle);
  }
  home_->path_free_cycle = access.queue_cycle;
  last_sub_partition_ = static_cast<std::uint32_t>(home_ - sub_partitions_.data()) + 1;
  if (data_registers != 0) last_on_bus_ = last_sub_partition_;
  left_cycles_[issued_ & left_mask_] = access.queue_cycle;
  ++issued_;
  if (issued_ < timing_.queue_entries) return;
  const std::uint64_t room_cycle = left_cycles_[(issued_ - timing_.queue_entries) & left_mask_] + 1;
  if (room_cycle > access.issue_cycle) home_->room_cycle = room_cycle;  // this access filled it
}

inline void Recurrence::serve(const Instruction& instruction, AccessStamps& access) {
  const std::uint64_t interval = timing_.wavefront_interval_cycles;
  access.own_service_end_cycle = service_end_cycle_;
  access.service_cycle = std::max(access.queue_cycle + 1, service_end_cycle_);
  access.first_wavefront_cycle = access.service_cycle + 1;
  access.last_wavefront_cycle =
      access.first_wavefront_cycle + (instruction.wavefronts - 1u) * interval;
  service_end_cycle_ = access.last_wavefront_cycle + interval - 1;
  taken_cycles_[served_++ & taken_mask_] = access.service_cycle;
  if (instruction.operand_registers == 1) return;
  stored_[next_stored_++ & stored_mask_] = {
      timing_.stored_registers(instruction.operand_registers),
      access.last_wavefront_cycle + timing_.store_data_release_cycles};
}

inline void Recurrence::return_values(const Instruction& instruction, AccessStamps& access) {
  access.finish_cycle = access.last_wavefront_cycle + 2;  // handed on within a cycle
  if (instruction.returns_value) {
    access.return_cycle = std::max(return_free_cycle_, access.last_wavefront_cycle);
    return_free_cycle_ = access.return_cycle + instruction.transfer_cycles;
    access.finish_cycle =
        std::max(access.finish_cycle, return_free_cycle_ + timing_.load_latency_cycles);
    if (values_ < values_kept_) value_cycles_[values_] = access.finish_cycle;
    ++values_;
  }
  finish_cycle_ = std::max(finish_cycle_, access.finish_cycle);
  last_finish_cycle_ = std::max(last_finish_cycle_, access.finish_cycle);
}

inline IdleState Recurrence::idle_state(Cycle cycle) const {
  IdleState state;
  state.launch_cycle = cycle;
  state.sub_partitions = sub_partitions_;
  state.next_into_queue = last_sub_partition_ % timing_.sub_partitions;
  state.next_on_bus = last_on_bus_ % timing_.sub_partitions;
  for (std::uint64_t index = first_stored_; index != next_stored_; ++index) {
    const IdleState::StoredData& stored = stored_[index & stored_mask_];
    if (stored.release_cycle > cycle) state.stored.push_back(stored);
  }
  state.service_end_cycle = service_end_cycle_;
  state.last_finish_cycle = last_finish_cycle_;
  return state;
}

}  // namespace smem::clock
