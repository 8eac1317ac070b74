// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include <traces/measurements/program_measurements.hpp>
#include <traces/text/text_source.hpp>
#include <traces/trace_error.hpp>

namespace smem {
namespace {

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

}  // namespace

std::optional<ClockStart> clock_start_of_name(std::string_view name) {
  const auto found = std::find(kClockStartNames.begin(), kClockStartNames.end(), name);
  if (found == kClockStartNames.end()) return std::nullopt;
  return static_cast<ClockStart>(found - kClockStartNames.begin());
}

ProgramMeasurements read_program_measurements(const std::string& file) {
  constexpr std::array<std::string_view, 5> kColumns = {"program", "warps", "total_cycles",
                                                        "warp_stride", "clock_start"};
  TextSource source(file);
  ProgramMeasurements measurements;
  std::array<std::optional<std::size_t>, kColumns.size()> position;
  bool has_header = false;
  for (std::string_view line; source.next_line(line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> fields = split(line);
    if (!has_header) {
      for (std::size_t column = 0; column < kColumns.size(); ++column) {
        const auto found = std::find(fields.begin(), fields.end(), kColumns[column]);
        if (found != fields.end()) {
          position[column] = static_cast<std::size_t>(found - fields.begin());
        } else if (column < 3) {
          source.fail("expected a column '" + std::string(kColumns[column]) + "', found none", 0);
        }
      }
      has_header = true;
      measurements.has_warp_stride = position[3].has_value();
      continue;
    }
    const auto number = [&](std::size_t column, std::uint64_t otherwise) -> std::uint64_t {
      if (!position[column]) return otherwise;
      std::uint64_t value = 0;
      const std::string_view text =
          *position[column] < fields.size() ? fields[*position[column]] : std::string_view();
      const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || stop != text.data() + text.size() ||
          (column != 2 && value > 1024 * 1024)) {
        source.fail("expected a whole number in column '" + std::string(kColumns[column]) +
                        "', found '" + std::string(text) + "'",
                    measurements.rows.size());
      }
      return value;
    };
    if (position[4]) {
      const std::string_view name =
          *position[4] < fields.size() ? fields[*position[4]] : std::string_view();
      const std::optional<ClockStart> start = clock_start_of_name(name);
      if (measurements.rows.empty()) measurements.clock_start = start;
      if (!start || start != measurements.clock_start) {
        source.fail("expected " + std::string(kClockStartChoice) +
                        ", the same in all of column 'clock_start', found '" + std::string(name) +
                        "'",
                    measurements.rows.size());
      }
    }
    measurements.rows.push_back({static_cast<std::uint32_t>(number(0, 0)),
                                 static_cast<std::uint32_t>(number(1, 1)),
                                 static_cast<std::uint32_t>(number(3, 1)), number(2, 0)});
  }
  if (!has_header) {
    throw TraceError(file + ":1: expected a header line with program,warps,total_cycles");
  }
  return measurements;
}

}  // namespace smem
