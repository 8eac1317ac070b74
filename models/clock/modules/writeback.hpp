// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <clock/idle_state.hpp>
#include <clock/kernel/access_pool.hpp>
#include <clock/kernel/ports.hpp>
#include <clock/observer.hpp>
#include <clock/timing.hpp>

namespace smem::clock {

/// Where accesses go that have passed the banks.
class EndedAccesses : public virtual sc_core::sc_interface {
 public:
  /// Takes an access whose last wavefront passed the banks in `cycle`, and ends it.
  virtual void accept(InFlight& access, Cycle cycle) = 0;
};

/// The return path: one for the SM, in order of service; a load's registers occupy it for its
/// transfer cycles. It has no process: when a value comes back follows from the order of arrival.
///
///   in_ended (data stage) ──▶ out_values, out_store_ends: warp slots, to their issuers
class Writeback : public sc_core::sc_module, public EndedAccesses {
 public:
  sc_core::sc_export<EndedAccesses> in_ended{"in_ended"};
  OutPorts<std::uint16_t> out_values;
  OutPorts<std::uint16_t> out_store_ends;

  Writeback(const sc_core::sc_module_name& name, AccessPool& pool, std::size_t sub_partitions);

  void reset(const TimingSpec& timing, Observer* observer);
  /// After a reset: goes on where earlier blocks have left the return path.
  void resume(const IdleState& left);

  /// Cycles the return path was occupied since the reset.
  [[nodiscard]] std::uint64_t busy_cycles() const { return busy_cycles_; }
  /// When the last access so far has finished.
  [[nodiscard]] Cycle last_finish_cycle() const { return last_finish_cycle_; }

 private:
  void accept(InFlight& access, Cycle cycle) override;

  AccessPool& pool_;
  TimingSpec timing_;
  Observer* observer_ = nullptr;
  Cycle free_cycle_ = 0;
  std::uint64_t busy_cycles_ = 0;
  Cycle last_finish_cycle_ = 0;
};

}  // namespace smem::clock
