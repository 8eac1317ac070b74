// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clock/recurrence/recurrence.hpp>

// The steps of an access in Recurrence, in the order in which it takes them.

namespace smem::clock {

inline Recurrence::Ready Recurrence::ready(const TimedInstruction& of) {
  const std::uint64_t alu_interval = timing_.alu_interval_cycles;
  std::uint64_t address_cycle = able_cycle_ + of.delay_cycles;
  std::uint64_t cycle = address_cycle + of.run_instructions;
  if (of.independent_instructions != 0) {
    const std::uint64_t last =
        std::max(cycle, at_->next_alu_cycle) + (of.independent_instructions - 1) * alu_interval;
    at_->next_alu_cycle = last + alu_interval;
    cycle = last + 1;
  }
  if (of.needs_values != 0) {
    const std::uint64_t value_cycle = value_cycles_[of.needs_values - 1];
    address_cycle = std::max(address_cycle, value_cycle);
    cycle = std::max(cycle, value_cycle + of.delay_cycles);
  }
  if (of.dependent_instructions != 0) {
    const std::uint64_t first_latency = timing_.first_alu_latency_cycles;
    const std::uint64_t second_latency = timing_.second_alu_latency_cycles;
    const std::uint64_t latency = timing_.alu_latency_cycles;
    const std::uint32_t count = of.dependent_instructions;
    std::uint64_t last = std::max(cycle, at_->next_alu_cycle);
    if (count > 1) last += std::max(first_latency, alu_interval);
    if (count > 2) {
      last +=
          std::max(second_latency, alu_interval) + (count - 3) * std::max(latency, alu_interval);
    }
    at_->next_alu_cycle = last + alu_interval;
    cycle = last + (count == 1 ? first_latency : count == 2 ? second_latency : latency);
    address_cycle = std::max(address_cycle, cycle);
  }
  return {cycle, address_cycle};
}

inline void Recurrence::issue(const TimedInstruction& of, TimedAccess& access) {
  access.able_cycle = able_cycle_;
  const Ready from = ready(of);
  access.ready_cycle = from.address_cycle;
  std::uint64_t cycle = std::max({from.issue_cycle, next_access_cycle_, at_->next_access_cycle});
  // Refused, it hears of the room when an access of its own leaves the queue: the one that makes
  // it.
  if (cycle < at_->room_cycle) cycle = at_->room_cycle - 1 + timing_.refused_wake_cycles;
  access.room_cycle = at_->room_cycle;
  access.issue_cycle = cycle;
  next_access_cycle_ = cycle + timing_.warp_memory_interval_cycles;
  at_->next_access_cycle = cycle + timing_.sub_partition_memory_interval_cycles;
  able_cycle_ = cycle + 1;
}

inline std::uint64_t Recurrence::store_data(std::uint32_t registers, std::uint64_t cycle) {
  while (stored_registers_ + registers > timing_.store_data_registers) {
    const Stored& first = stored_[first_stored_++ & stored_mask_];
    stored_registers_ -= first.registers;
    cycle = std::max(cycle, first.release_cycle);
  }
  stored_registers_ += registers;
  return cycle;
}

inline void Recurrence::move_registers(const TimedInstruction& of, TimedAccess& access) {
  const std::uint64_t register_cycles = timing_.register_transfer_cycles;
  const std::uint32_t data_registers = of.operand_registers - 1u;
  access.path_free_cycle = at_->path_free_cycle;
  access.transfer_cycle = std::max(access.path_free_cycle, access.issue_cycle + 1);
  if (data_registers != 0) {
    access.transfer_cycle =
        store_data(timing_.stored_registers(of.operand_registers), access.transfer_cycle);
  }
  access.moved_cycle = access.transfer_cycle + register_cycles;
  if (data_registers != 0) {
    access.moved_cycle = std::max(access.moved_cycle, passed_cycle_ + of.data_delay_cycles) +
                         data_registers * register_cycles;
  }
  access.queue_cycle = access.moved_cycle;
  if (served_ >= timing_.sm_queue_entries) {
    const std::uint64_t room_cycle =
        taken_cycles_[(served_ - timing_.sm_queue_entries) & taken_mask_] + 1;
    access.queue_cycle = std::max(access.queue_cycle, room_cycle);
  }
  at_->path_free_cycle = access.queue_cycle;
  left_cycles_[issued_ & left_mask_] = access.queue_cycle;
  ++issued_;
  if (issued_ < timing_.queue_entries) return;
  const std::uint64_t room_cycle = left_cycles_[(issued_ - timing_.queue_entries) & left_mask_] + 1;
  if (room_cycle > access.issue_cycle) at_->room_cycle = room_cycle;  // this access filled it
}

inline void Recurrence::serve(const TimedInstruction& of, TimedAccess& access) {
  const std::uint64_t interval = timing_.wavefront_interval_cycles;
  access.own_service_end_cycle = service_end_cycle_;
  access.service_cycle = std::max(access.queue_cycle + 1, service_end_cycle_);
  access.first_wavefront_cycle = access.service_cycle + 1;
  access.last_wavefront_cycle = access.first_wavefront_cycle + (of.wavefronts - 1u) * interval;
  service_end_cycle_ = access.last_wavefront_cycle + interval - 1;
  taken_cycles_[served_++ & taken_mask_] = access.service_cycle;
  if (of.operand_registers == 1) return;
  stored_[next_stored_++ & stored_mask_] = {
      timing_.stored_registers(of.operand_registers),
      access.last_wavefront_cycle + timing_.store_data_release_cycles};
}

inline void Recurrence::return_values(const TimedInstruction& of, TimedAccess& access) {
  access.finish_cycle = access.last_wavefront_cycle + 2;  // handed on within a cycle
  if (of.returns_value) {
    access.return_cycle = std::max(return_free_cycle_, access.last_wavefront_cycle);
    return_free_cycle_ = access.return_cycle + of.transfer_cycles;
    access.finish_cycle =
        std::max(access.finish_cycle, return_free_cycle_ + timing_.load_latency_cycles);
    if (values_ < values_kept_) value_cycles_[values_] = access.finish_cycle;
    ++values_;
  }
  finish_cycle_ = std::max(finish_cycle_, access.finish_cycle);
  last_finish_cycle_ = std::max(last_finish_cycle_, access.finish_cycle);
}

}  // namespace smem::clock
