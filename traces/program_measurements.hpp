// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace smem {

/// One measured run of a short program.
struct ProgramMeasurement {
  std::uint32_t program = 0;
  std::uint32_t warps = 1;
  std::uint32_t warp_stride = 1;
  std::uint64_t total_cycles = 0;
};

struct ProgramMeasurements {
  bool has_warp_stride = false;
  std::string clock_start;  ///< what the column says, the same in every row; empty without one
  std::vector<ProgramMeasurement> rows;
};

/// Reads a CSV with the columns program, warps, total_cycles and perhaps warp_stride and
/// clock_start; other columns are ignored, as are lines that start with '#'. Throws TraceError.
ProgramMeasurements read_program_measurements(const std::string& file);

}  // namespace smem
