// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <traces/text/text_source.hpp>
#include <traces/trace_reader.hpp>

namespace smem {

/// A number of the profiler, in the unit its report gives.
struct NsightMetric {
  double value = 0;
  std::string unit;  ///< empty where the report has none

  friend bool operator==(const NsightMetric&, const NsightMetric&) = default;
};

/// A kernel launch and what was measured for it.
struct NsightLaunch {
  std::uint64_t id = 0;
  std::string kernel;
  std::array<std::uint32_t, 3> grid{};   ///< 0 = the report does not say
  std::array<std::uint32_t, 3> block{};  ///< 0 = the report does not say
  std::map<std::string, NsightMetric> metrics;

  /// The metric's value; nothing when the report lacks it or says n/a.
  [[nodiscard]] std::optional<double> value(const std::string& metric) const;
};

/// A SASS instruction of the source page and its columns that are numbers.
struct NsightSourceRow {
  std::string kernel;  ///< empty where the page does not say
  std::optional<std::uint64_t> address;
  std::string sass;
  std::map<std::string, double> values;
};

/// What a CSV output of Nsight Compute holds: launches (raw and details page), or source rows.
struct NsightReport {
  std::vector<NsightLaunch> launches;
  std::vector<NsightSourceRow> source_rows;
  SkippedParts skipped;
};

/// Reads the CSV of `ncu --csv`, of `--page raw` or of `--page source`, told apart by its header
/// row. Lines before the header, and later ones that start with "==", are the profiler's or the
/// program's own words and skipped. Thousands separators are understood in both notations, 1,234.5
/// and 1.234,5; one file uses one. Values that are no numbers, such as n/a, are left out. Throws
/// TraceError.
[[nodiscard]] NsightReport read_nsight_csv(TextSource source, ReadOptions options = {});

/// Whether the first bytes of a file look like such an output.
[[nodiscard]] bool looks_like_nsight_csv(std::string_view first_bytes);

}  // namespace smem
