// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <clock/banks/bank_totals.hpp>
#include <clock/cycle.hpp>

namespace smem::clock {

/// What a simulation of one SM came to.
struct SimulationResult {
  Cycle start_cycle = 0;   ///< observers' cycles count from 0; the simulation began here
  Cycle total_cycles = 0;  ///< from the start to the end of the last access
  std::uint64_t wavefronts = 0;
  std::uint64_t return_busy_cycles = 0;
  BankTotals banks;  ///< zero unless the simulation looked into the banks
};

}  // namespace smem::clock
