// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>

#include <clock/simulate.hpp>

#include <sim/options/command_options.hpp>

namespace smem {

/// What works out the cycles.
enum class TimingMethod : std::uint8_t {
  systemc,     ///< the modules of models/clock
  recurrence,  ///< smem::Recurrence: the same cycles, of streams that it accepts
};

/// Declares --timing, and reads it. Throws UsageError.
void declare_timing_method(CommandOptions& options);
TimingMethod timing_method(const CommandOptions& options);

/// The stream is none that the recurrence accepts: "the recurrence needs …, found …".
class RecurrenceRefusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What clock::simulate makes of the same blocks, cycle for cycle: its result, and what it tells
/// the observer, every stamp of every access included. Cycles count from 0. Accepted are blocks of
/// at most one warp, one block resident at a time, accesses of at least one wavefront, and values
/// of earlier accesses. Throws RecurrenceRefusal at the first block that is none of those.
clock::SimulationResult simulate_by_recurrence(const clock::TimingSpec& timing,
                                               clock::BlockSource& source,
                                               clock::Observer* observer = nullptr);

/// The one or the other.
clock::SimulationResult simulate_by(TimingMethod method, const clock::TimingSpec& timing,
                                    clock::BlockSource& source, clock::Observer* observer);

}  // namespace smem
