// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include <traces/measurements/measurement_index.hpp>
#include <traces/trace_reader.hpp>

namespace smem {
namespace {

constexpr std::string_view kHeading =
    "file,quantity,role,points,mean_goal_percent,p95_goal_percent,missed,programs,what,command";
constexpr std::size_t kColumns = 10;
constexpr std::array<std::string_view, 4> kQuantities = {"", "counters", "cycles_per_inst",
                                                         "total_cycles"};
constexpr std::array<std::string_view, 5> kRoles = {"calibration", "seen", "held_out", "evidence",
                                                    "input"};

template <class Names>
bool is_one_of(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char letter : line) {
    if (letter == ',') {
      fields.emplace_back();
    } else {
      fields.back() += letter;
    }
  }
  return fields;
}

/// A row's place, for errors, and its numbers.
struct Row {
  std::string place;
  std::vector<std::string> fields;

  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const {
    throw TraceError(place + ": expected " + expected + ", found " + found);
  }
  template <class Number>
  std::optional<Number> number(std::size_t column) const {
    const std::string& text = fields[column];
    if (text.empty()) return std::nullopt;
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) refuse("a number", text);
    return value;
  }
};

MeasuredFile file_of(const Row& row) {
  if (row.fields.size() != kColumns) {
    row.refuse(std::to_string(kColumns) + " fields", std::to_string(row.fields.size()));
  }
  MeasuredFile file{row.fields[0],          row.fields[1],
                    row.fields[2],          row.number<std::uint64_t>(3).value_or(0),
                    row.number<double>(4),  row.number<double>(5),
                    row.fields[6] == "yes", row.fields[7],
                    row.fields[8],          row.fields[9]};
  if (!is_one_of(kQuantities, file.quantity)) row.refuse("a quantity", file.quantity);
  if (!is_one_of(kRoles, file.role)) row.refuse("a role", file.role);
  if ((file.quantity == "total_cycles") == file.programs.empty()) {
    row.refuse("programs beside total_cycles and nowhere else", row.fields[7]);
  }
  return file;
}

bool is_comment(const std::string& line) {
  return line.empty() || line.front() == '#';
}

}  // namespace

bool is_measurement_index(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;  // a pipe is read only once
  std::ifstream in(file);
  std::string line;
  while (in.peek() == '#') std::getline(in, line);
  std::string heading(kHeading.size(), '\0');
  in.read(heading.data(), static_cast<std::streamsize>(heading.size()));
  return in && heading == kHeading;
}

std::vector<MeasuredFile> read_measurement_index(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw TraceError(file + ": cannot be read");
  std::vector<MeasuredFile> files;
  std::size_t line_number = 0;
  bool is_headed = false;
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    if (is_comment(line)) continue;
    const Row row{file + ":" + std::to_string(line_number), fields_of(line)};
    if (is_headed) {
      files.push_back(file_of(row));
    } else if (line != kHeading) {
      row.refuse(std::string(kHeading), line);
    }
    is_headed = true;
  }
  return files;
}

}  // namespace smem
