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
  modules_.push_back(&module);
  due_cycles_.push_back(kNever);
  due_now_.reserve(modules_.size());
  return modules_.size() - 1;
}

void CycleScheduler::wake(std::size_t module, Cycle cycle) {
  if (cycle >= due_cycles_[module]) return;
  due_cycles_[module] = cycle;
  if (steps_left_ == 0 && cycle < timer_cycle_) set_timer();  // between simulations
}

void CycleScheduler::end_step() {
  if (--steps_left_ == 0) set_timer();
}

void CycleScheduler::set_timer() {
  Cycle next = kNever;
  for (const Cycle cycle : due_cycles_) next = std::min(next, cycle);
  timer_cycle_ = next;
  if (next == kNever) return;
  timer_.notify(sc_core::sc_time::from_value((next - now_) * cycle_time().value()));
}

void CycleScheduler::tick() {
  now_ = timer_cycle_;
  due_now_.clear();
  for (std::size_t index = 0; index < due_cycles_.size(); ++index) {
    if (due_cycles_[index] != now_) continue;
    due_cycles_[index] = kNever;
    due_now_.push_back(modules_[index]);
  }
  steps_left_ = due_now_.size();
  for (ClockedModule* const module : due_now_) module->due_.notify();
}

ClockedModule::ClockedModule(const sc_core::sc_module_name& name, CycleScheduler& scheduler)
    : sc_module(name), scheduler_(scheduler), index_(scheduler.add(*this)) {
  SC_HAS_PROCESS(ClockedModule);
  SC_METHOD(process);
  sensitive << due_;
  dont_initialize();
}

}  // namespace smem::cycle
