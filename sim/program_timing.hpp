// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <sim/recurrence_run.hpp>
#include <smem/gpu_spec.hpp>
#include <traces/program_file.hpp>

namespace smem {

/// Where the measuring kernel reads a warp's start clock.
enum class ClockStart : std::uint8_t {
  arrival,             ///< as the warp arrives at the barrier before the program
  release,             ///< when that barrier has opened; the data of stores is made behind it, too
  release_data_ready,  ///< the same, but the data of stores is made before
};

inline constexpr std::array<std::string_view, 3> kClockStartNames = {"arrival", "release",
                                                                     "release-data-ready"};

/// The start of that name; nothing when there is none.
std::optional<ClockStart> clock_start_of_name(std::string_view name);

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

/// Simulates the measuring kernel of traces/measured/h200/README.md: one block whose warps
/// 0, stride, 2 * stride, … run the program several times with a barrier before each pass, and take
/// the clock; the last pass counts. Throws RecurrenceRefusal when `method` cannot take the block.
ProgramTiming time_program(const GpuSpec& spec, const Program& program, std::uint32_t warps,
                           std::uint32_t warp_stride, ClockStart start,
                           TimingMethod method = TimingMethod::systemc);

}  // namespace smem
