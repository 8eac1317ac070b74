// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <sim/compare/error_summary.hpp>
#include <sim/compare/profile_comparison.hpp>
#include <sim/compare/program_predictions.hpp>
#include <sim/output/result_table.hpp>
#include <smem/gpu_spec.hpp>
#include <traces/text/access_list_reader.hpp>

namespace smem {

/// What a comparison came to: a row per measurement, and a summary per quantity.
struct Comparison {
  struct Row {
    double error_percent = 0;  ///< the worst of the row's quantities
    std::vector<Cell> cells;   ///< one a column
  };
  std::vector<std::string> columns;
  std::vector<Row> rows;
  std::vector<ErrorSummary> summaries;
};

/// Measured total_cycles of programs.
[[nodiscard]] Comparison compare_programs(const std::vector<ProgramPrediction>& predictions);

/// The measured columns of an access list, called `name`. Reads the list to its end. Throws
/// TraceError, also when it has no measured columns.
[[nodiscard]] Comparison compare_accesses(AccessListReader& list, const std::string& name,
                                          const GpuSpec& spec);

/// Counters of Nsight Compute, as `compare_profile` gives them.
[[nodiscard]] Comparison compare_counters(const std::vector<ProfileRow>& rows);

}  // namespace smem
