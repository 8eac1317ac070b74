// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace smem {

/// A row of an index of measured files (traces/measured/h200/index.csv). A file has a row for each
/// quantity that is predicted, or one without a quantity.
struct MeasuredFile {
  std::string file;      ///< below the index's folder
  std::string quantity;  ///< counters, cycles_per_inst, total_cycles, or empty: not compared
  std::string role;      ///< calibration, seen, held_out, evidence or input
  std::uint64_t points = 0;
  std::optional<double> mean_goal_percent;
  std::optional<double> p95_goal_percent;
  bool is_missed = false;  ///< a goal is known to be missed
  std::string programs;    ///< the program file that was measured, or empty
  std::string what;
  std::string command;
};

/// Whether the first line of `file` that is no comment is the heading of an index. False for
/// what is no regular file (a pipe could be read only once) or cannot be read.
[[nodiscard]] bool is_measurement_index(const std::string& file);

/// Throws TraceError, with the line, when a row is no row of an index.
[[nodiscard]] std::vector<MeasuredFile> read_measurement_index(const std::string& file);

}  // namespace smem
