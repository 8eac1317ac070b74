// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <clock/banks/bank_array.hpp>
#include <clock/banks/wavefront_sink.hpp>
#include <clock/block_source.hpp>
#include <clock/observer.hpp>
#include <clock/timing.hpp>

namespace smem::clock {

/// What a simulation of one SM came to.
struct SimulationResult {
  Cycle start_cycle = 0;   ///< observers' cycles count from 0; the simulation began here
  Cycle total_cycles = 0;  ///< from the start to the end of the last access
  std::uint64_t wavefronts = 0;
  std::uint64_t return_busy_cycles = 0;
  BankTotals banks;  ///< zero unless the simulation looked into the banks
};

/// Runs the blocks of `source` on one SM with these numbers. One simulation at a time in a process,
/// any number one after the other. The observers may be null.
SimulationResult simulate(const TimingSpec& timing, BlockSource& source,
                          Observer* observer = nullptr, WavefrontObserver* wavefronts = nullptr);

/// The same, looking into the banks of a GPU: `banks` hears of every wavefront, `memory` receives
/// what stores leave. Instructions must point to their accesses. All three may be null.
SimulationResult simulate(const GpuSpec& spec, const TimingSpec& timing, BlockSource& source,
                          Observer* observer, BankObserver* banks, StoredMemory* memory);

}  // namespace smem::clock
