// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <clock/kernel/access_pool.hpp>
#include <clock/kernel/pipe.hpp>
#include <clock/observer.hpp>

#include <smem/timing.hpp>

namespace smem::clock {

/// The return path: one for the SM, in order of service; a load's registers occupy it for its
/// transfer cycles. It has no process: when a value comes back follows from the order of arrival.
class Writeback : public sc_core::sc_module {
 public:
  std::array<Pipe<std::uint16_t>*, TimingSpec::kMaxSubPartitions> out_values{};
  std::array<Pipe<std::uint16_t>*, TimingSpec::kMaxSubPartitions> out_store_ends{};

  Writeback(const sc_core::sc_module_name& name, AccessPool& pool);

  void reset(const TimingSpec& timing, Observer* observer);

  /// Takes an access whose last wavefront passed the banks in `cycle`, and ends it.
  void accept(InFlight& access, Cycle cycle);

  /// Cycles the return path was occupied since the reset.
  std::uint64_t busy_cycles() const { return busy_cycles_; }
  /// When the last access so far has finished.
  Cycle last_finish_cycle() const { return last_finish_cycle_; }

 private:
  AccessPool& pool_;
  TimingSpec timing_;
  Observer* observer_ = nullptr;
  Cycle free_cycle_ = 0;
  std::uint64_t busy_cycles_ = 0;
  Cycle last_finish_cycle_ = 0;
};

}  // namespace smem::clock
