// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace smem {

/// Where the measuring kernel reads a warp's start clock.
enum class ClockStart : std::uint8_t {
  arrival,             ///< as the warp arrives at the barrier before the program
  release,             ///< when that barrier has opened; the data of stores is made behind it, too
  release_data_ready,  ///< the same, but the data of stores is made before
};

inline constexpr std::array<std::string_view, 3> kClockStartNames = {"arrival", "release",
                                                                     "release-data-ready"};
/// The same names, as errors say what they expected.
inline constexpr std::string_view kClockStartChoice = "arrival, release or release-data-ready";

/// The start of that name; nothing when there is none.
[[nodiscard]] std::optional<ClockStart> clock_start_of_name(std::string_view name);

/// One measured run of a short program.
struct ProgramMeasurement {
  std::uint32_t program = 0;
  std::uint32_t warps = 1;
  std::uint32_t warp_stride = 1;
  std::uint64_t total_cycles = 0;
};

struct ProgramMeasurements {
  bool has_warp_stride = false;
  std::optional<ClockStart> clock_start;  ///< the same in every row; nothing without the column
  std::vector<ProgramMeasurement> rows;
};

/// Reads a CSV with the columns program, warps, total_cycles and perhaps warp_stride and
/// clock_start; other columns are ignored, as are lines that start with '#'. Throws TraceError.
[[nodiscard]] ProgramMeasurements read_program_measurements(const std::string& file);

}  // namespace smem
