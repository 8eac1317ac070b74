// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cassert>

#include <clock/kernel/cycle_scheduler.hpp>

namespace smem::clock {

CycleScheduler::CycleScheduler(const sc_core::sc_module_name& name, const Timebase& timebase,
                               std::span<const std::size_t> order)
    : sc_module(name),
      units_per_cycle_(timebase.cycle_time.value()),
      quantum_cycles_(timebase.quantum_cycles),
      order_(order.begin(), order.end()) {
  assert(units_per_cycle_ != 0 && quantum_cycles_ != 0);
  SC_HAS_PROCESS(CycleScheduler);
  SC_METHOD(tick);
  sensitive << timer_;
  dont_initialize();
}

std::size_t CycleScheduler::add(ClockedModule& module) {
  const std::size_t index = order_.empty() ? added_ : order_.at(added_);
  ++added_;
  if (modules_.size() <= index) {
    modules_.resize(index + 1);
    due_cycles_.resize(index + 1, kNever);
  }
  assert(modules_.size() <= 32);  // a bit each in tick()
  modules_[index] = &module;
  return index;
}

void CycleScheduler::set_timer() {
  if (next_cycle_ == kNever) return;
  const sc_dt::uint64 now = sc_core::sc_time_stamp().value();
  timer_.notify(sc_core::sc_time::from_value(next_cycle_ * units_per_cycle_ - now));
}

void CycleScheduler::tick() {
  const Cycle end_cycle = next_cycle_ + quantum_cycles_;
  stepping_ = true;
  while (next_cycle_ < end_cycle) step_modules();
  stepping_ = false;
  set_timer();
}

void CycleScheduler::step_modules() {
  const Cycle now = next_cycle_;
  now_ = now;
  Cycle next = kNever;
  std::uint32_t due = 0;  // a bit per module
  for (std::uint32_t left = asked_; left != 0; left &= left - 1) {
    const auto index = static_cast<std::size_t>(std::countr_zero(left));
    const Cycle cycle = due_cycles_[index];
    if (cycle == now) {
      due |= 1u << index;
      due_cycles_[index] = kNever;
    } else {
      next = std::min(next, cycle);
    }
  }
  asked_ &= ~due;
  next_cycle_ = next;
  for (; due != 0; due &= due - 1) {
    modules_[static_cast<std::size_t>(std::countr_zero(due))]->step(now);
  }
}

}  // namespace smem::clock
