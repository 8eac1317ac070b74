// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <clock/simulate.hpp>

#include <traces/measurements/program_file.hpp>
#include <traces/measurements/program_measurements.hpp>

namespace smem {

struct GpuDescription;   // sim/config/gpu_description.hpp
struct MeasuringKernel;  // sim/clock/measuring_kernel.hpp

/// When a warp started and finished, in cycles from the earliest start.
struct WarpTimes {
  std::uint64_t start_cycle = 0;
  std::uint64_t finish_cycle = 0;
};

/// One measured run of a program: total_cycles = last finish − last start.
struct ProgramTiming {
  std::uint64_t total_cycles = 0;
  std::vector<WarpTimes> warps;
};

/// Simulates a measuring kernel (traces/measured/h200/README.md): one block whose warps
/// 0, stride, 2 * stride, … run the program several times with a barrier before each pass, and take
/// the clock; the last pass counts. The GPU must have a clock.
ProgramTiming time_program(const GpuDescription& gpu, const MeasuringKernel& kernel,
                           const Program& program, std::uint32_t warps, std::uint32_t warp_stride,
                           ClockStart start, clock::Engine engine = clock::Engine::fastest);

}  // namespace smem
