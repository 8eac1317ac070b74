// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <clock/simulate.hpp>

#include <sim/clock/trace_blocks.hpp>

namespace smem {

struct GpuDescription;  // sim/config/gpu_description.hpp

/// Files that show a simulation from within; empty = not wanted.
struct ClockViews {
  std::string vcd_file;
  std::string timeline_file;
  std::string memory_file;

  bool any() const { return !(vcd_file.empty() && timeline_file.empty() && memory_file.empty()); }
};

/// Simulates `blocks` on a GPU with a clock, which must keep their records, and writes the wanted
/// files when all went well. Throws std::runtime_error when a file cannot be written, and when the
/// memory is asked for and no store of `trace` carried a value.
clock::SimulationResult simulate_with_views(const ClockViews& views, const GpuDescription& gpu,
                                            const std::string& trace, const TraceInfo& info,
                                            TraceBlocks& blocks, clock::Observer& observer);

}  // namespace smem
