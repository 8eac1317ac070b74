// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <cycle/cycle_scheduler.hpp>

namespace smem::cycle {
namespace {
const sc_core::sc_time& cycle_time() {
  static const sc_core::sc_time time(1, sc_core::SC_NS);
  return time;
}
}  // namespace

CycleScheduler::CycleScheduler(const sc_core::sc_module_name& name) : sc_module(name) {
  SC_HAS_PROCESS(CycleScheduler);
  SC_METHOD(tick);
  sensitive << timer_;
  dont_initialize();
}

std::size_t CycleScheduler::add(ClockedModule& module) {
  entries_.push_back({&module, kNever});
  return entries_.size() - 1;
}

void CycleScheduler::wake(std::size_t module, Cycle cycle) {
  Entry& entry = entries_[module];
  if (cycle >= entry.due_cycle) return;
  entry.due_cycle = cycle;
  if (cycle >= timer_cycle_) return;
  timer_cycle_ = cycle;
  timer_.notify(sc_core::sc_time::from_value((cycle - now_) * cycle_time().value()));
}

void CycleScheduler::tick() {
  now_ = timer_cycle_;
  Cycle next = kNever;
  for (Entry& entry : entries_) {
    if (entry.due_cycle > now_) {
      next = std::min(next, entry.due_cycle);
      continue;
    }
    entry.due_cycle = kNever;
    entry.module->due_.notify();
  }
  timer_cycle_ = next;
  if (next != kNever) {
    timer_.notify(sc_core::sc_time::from_value((next - now_) * cycle_time().value()));
  }
}

ClockedModule::ClockedModule(const sc_core::sc_module_name& name, CycleScheduler& scheduler)
    : sc_module(name), scheduler_(scheduler), index_(scheduler.add(*this)) {
  SC_HAS_PROCESS(ClockedModule);
  SC_METHOD(process);
  sensitive << due_;
  dont_initialize();
}

}  // namespace smem::cycle
