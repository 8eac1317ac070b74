// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <systemc>
#include <vector>

#include <clock/cycle.hpp>

namespace smem::clock {

class ClockedModule;

/// How the cycles of a scheduler stand to SystemC's time.
struct Timebase {
  sc_core::sc_time cycle_time{1, sc_core::SC_NS};
  /// So many cycles from its own on are stepped in an activation, ahead of SystemC's time (temporal
  /// decoupling). 1: none ahead, for who shares SystemC's time with modules of others.
  Cycle quantum_cycles = 1;
};

/// Steps modules at the cycles they ask for, and nothing in between: a stretch in which no module
/// has work costs nothing, however long it is. One process. Modules ask `now()`, never the kernel,
/// what cycle it is.
class CycleScheduler : public sc_core::sc_module {
 public:
  /// `order`: in which order the modules step that are due in one cycle: a permutation of 0 … their
  /// number - 1; empty = as they were constructed. It changes nothing (see Pipe), which tests show.
  CycleScheduler(const sc_core::sc_module_name& name, const Timebase& timebase,
                 std::span<const std::size_t> order = {});

  /// The cycle being simulated, or the one simulated last.
  [[nodiscard]] Cycle now() const { return now_; }
  /// The cycle of SystemC's time; `now()` may be ahead of it.
  [[nodiscard]] Cycle kernel_cycle() const {
    return sc_core::sc_time_stamp().value() / units_per_cycle_;
  }

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

  const sc_dt::uint64 units_per_cycle_;  ///< of SystemC's resolution
  const Cycle quantum_cycles_;
  const std::vector<std::size_t> order_;
  std::size_t added_ = 0;
  std::vector<ClockedModule*> modules_;
  std::vector<Cycle> due_cycles_;  ///< of each module; kNever = sleeps
  std::uint32_t asked_ = 0;        ///< a bit per module that does not sleep
  sc_core::sc_event timer_;
  Cycle now_ = 0;
  Cycle next_cycle_ = kNever;  ///< the earliest of `due_cycles_`
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
