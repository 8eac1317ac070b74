// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <vector>

#include <cycle/cycle.hpp>

namespace smem::cycle {

class ClockedModule;

/// Wakes modules at the cycles they ask for, and nothing in between: a stretch in which no module
/// has work costs nothing, however long it is. One timed notification per interesting cycle.
class CycleScheduler : public sc_core::sc_module {
 public:
  explicit CycleScheduler(const sc_core::sc_module_name& name);

  /// The cycle being simulated.
  Cycle now() const { return now_; }

 private:
  friend class ClockedModule;

  std::size_t add(ClockedModule& module);
  /// Asks for `module` to step in `cycle` (> now()), if it does not step earlier anyway.
  void wake(std::size_t module, Cycle cycle);
  /// A module has done its work of this cycle; the last one to do so sets the timer.
  void end_step();
  void tick();
  void set_timer();

  std::vector<ClockedModule*> modules_;
  std::vector<Cycle> due_cycles_;       ///< of each module; kNever = sleeps
  std::vector<ClockedModule*> due_now_;  ///< the modules that step in this cycle
  sc_core::sc_event timer_;
  Cycle now_ = 0;
  Cycle timer_cycle_ = kNever;
  std::size_t steps_left_ = 0;  ///< modules due in this cycle that have not stepped yet
};

/// A module that acts at chosen cycles. In one cycle all due modules step, in any order: they see
/// of each other only what was sent in earlier cycles (see Pipe), so the order changes nothing.
class ClockedModule : public sc_core::sc_module {
 public:
  /// Asks for a step in `cycle`, which must lie after the current one.
  void wake_at(Cycle cycle) { scheduler_.wake(index_, cycle); }

 protected:
  ClockedModule(const sc_core::sc_module_name& name, CycleScheduler& scheduler);

  /// Does this cycle's work; asks for the next step with wake_at.
  virtual void step(Cycle now) = 0;

 private:
  friend class CycleScheduler;

  void process() {
    step(scheduler_.now());
    scheduler_.end_step();
  }

  CycleScheduler& scheduler_;
  std::size_t index_;
  sc_core::sc_event due_;
};

}  // namespace smem::cycle
