// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <sim/compare/error_summary.hpp>
#include <sim/output/result_table.hpp>
#include <traces/measurements/measurement_index.hpp>

namespace smem {

struct GpuDescription;  // sim/config/gpu_description.hpp

/// The errors of the quantity that a row of an index names, over the whole file. Counters: the one
/// of wavefronts and bank conflicts that is further off. `folder` is the index's and ends in '/'.
/// Throws TraceError when a file cannot be used, or has no such quantity, and ConfigError when the
/// measuring kernel of programs has no description that can be used.
[[nodiscard]] ErrorSummary measured_errors(const MeasuredFile& measured, const std::string& folder,
                                           const GpuDescription& gpu);

/// A row's goals: empty when it has none, else met or missed.
[[nodiscard]] std::string goal_outcome(const MeasuredFile& measured, const ErrorSummary& errors);

/// Every predicted quantity of an index: points, how many are exact, errors in hundredths of a
/// percent, the goals and whether they are met.
[[nodiscard]] ResultTable accuracy_table(const std::string& index_file, const GpuDescription& gpu);

}  // namespace smem
