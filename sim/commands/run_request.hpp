// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sim/clock/clock_views.hpp>
#include <sim/config/gpu_description.hpp>
#include <sim/count/tally_report.hpp>
#include <sim/count/trace_counter.hpp>
#include <sim/options/command_options.hpp>
#include <sim/options/trace_input.hpp>

namespace smem {

/// What `run` was asked for.
struct RunRequest {
  GpuDescription gpu;
  std::vector<TraceInput> traces;
  ReadOptions read_options;
  ReportBy by = ReportBy::operation;
  bool fast = false;
  bool has_programs = false;        ///< the first input is a program file
  std::vector<std::string> tables;  ///< of kShownTables
  std::optional<std::string> per_access_file;
  OutputFormat format = OutputFormat::table;
  unsigned threads = 1;
  CounterView counters = CounterView::hardware;
  ClockViews views;

  [[nodiscard]] bool wants(std::string_view table) const {
    return std::find(tables.begin(), tables.end(), table) != tables.end();
  }
};

/// The tables of --show, by name.
struct ShownTable {
  std::string_view name;
  bool by_default;
  bool in_csv;  ///< by default in CSV, which holds one table well
};
inline constexpr std::array kShownTables = {
    ShownTable{"accesses", true, true}, ShownTable{"cycles", true, false},
    ShownTable{"stalls", true, false}, ShownTable{"warps", false, false}};

/// Declares the options of `run`.
void declare_run_options(CommandOptions& options);

/// Reads them. Throws UsageError, InputError, ConfigError, and TraceError when the first input
/// cannot be opened.
[[nodiscard]] RunRequest read_run_request(const CommandOptions& options);

}  // namespace smem
