// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cassert>

#include <clock/kernel/cycle_scheduler.hpp>

namespace smem::clock {
namespace {
/// A cycle is a nanosecond at SystemC's resolution of a picosecond.
constexpr sc_dt::uint64 kUnitsPerCycle = 1000;
/// How far an activation runs ahead of SystemC's time.
constexpr Cycle kQuantumCycles = 64;
}  // namespace

CycleScheduler::CycleScheduler(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_HAS_PROCESS(CycleScheduler);
  SC_METHOD(tick);
  sensitive << timer_;
  dont_initialize();
}

std::size_t CycleScheduler::add(ClockedModule& module) {
  modules_.push_back(&module);
  due_cycles_.push_back(kNever);
  assert(modules_.size() <= 32);  // a bit each in tick()
  return modules_.size() - 1;
}

void CycleScheduler::set_timer() {
  if (next_cycle_ == kNever) return;
  timer_.notify(sc_core::sc_time::from_value((next_cycle_ - timer_cycle_) * kUnitsPerCycle));
}

void CycleScheduler::tick() {
  timer_cycle_ = next_cycle_;
  const Cycle end_cycle = next_cycle_ + kQuantumCycles;
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
