// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <systemc>
#include <vector>

#include <clock/cycle.hpp>

namespace smem::clock {

class ClockedModule;

/// Steps modules at the cycles they ask for, and nothing in between: a stretch in which no module
/// has work costs nothing, however long it is. One process; an activation steps the interesting
/// cycles of a short quantum ahead of SystemC's time (temporal decoupling), so modules ask `now()`,
/// never the kernel, what cycle it is.
class CycleScheduler : public sc_core::sc_module {
 public:
  explicit CycleScheduler(const sc_core::sc_module_name& name);

  /// The cycle being simulated.
  Cycle now() const { return now_; }

 private:
  friend class ClockedModule;

  std::size_t add(ClockedModule& module);
  /// Asks for `module` to step in `cycle` (> now()), if it does not step earlier anyway.
  void wake(std::size_t module, Cycle cycle) {
    if (cycle >= due_cycles_[module]) return;
    due_cycles_[module] = cycle;
    asked_ |= 1u << module;
    next_cycle_ = std::min(next_cycle_, cycle);
    if (!stepping_) set_timer();
  }
  void set_timer();
  void tick();
  /// Steps the modules that are due in `next_cycle_`.
  void step_modules();

  std::vector<ClockedModule*> modules_;
  std::vector<Cycle> due_cycles_;  ///< of each module; kNever = sleeps
  std::uint32_t asked_ = 0;        ///< a bit per module that does not sleep
  sc_core::sc_event timer_;
  Cycle now_ = 0;
  Cycle next_cycle_ = kNever;  ///< the earliest of `due_cycles_`
  Cycle timer_cycle_ = 0;      ///< the cycle at SystemC's time
  bool stepping_ = false;
};

/// A module that acts at chosen cycles. In one cycle all due modules step, in any order: they see
/// of each other only what was sent in earlier cycles (see Pipe), so the order changes nothing.
class ClockedModule : public sc_core::sc_module {
 public:
  /// Asks for a step in `cycle`, which must lie after the current one.
  void wake_at(Cycle cycle) { scheduler_.wake(index_, cycle); }

 protected:
  ClockedModule(const sc_core::sc_module_name& name, CycleScheduler& scheduler)
      : sc_module(name), scheduler_(scheduler), index_(scheduler.add(*this)) {}

  /// Does this cycle's work; asks for the next step with wake_at.
  virtual void step(Cycle now) = 0;

 private:
  friend class CycleScheduler;

  CycleScheduler& scheduler_;
  std::size_t index_;
};

}  // namespace smem::clock
