// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ostream>

#include <nlohmann/json.hpp>

#include <sim/output/result_table.hpp>
#include <sim/output/text_columns.hpp>

namespace smem {
namespace {

/// Six digits; whole numbers, which counters are, in full.
std::string number_text(double value) {
  constexpr double kMostWhole = 9007199254740992;  // 2^53: up to here doubles are exact
  std::array<char, 64> text{};
  if (std::trunc(value) == value && std::abs(value) <= kMostWhole) {
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 0);
    return {text.data(), end.ptr};
  }
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6);
  return {text.data(), end.ptr};
}

std::string cell_text(const Cell& cell) {
  if (const auto* whole = std::get_if<std::uint64_t>(&cell)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return number_text(*real);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return {};
}

void print_aligned(std::ostream& out, const ResultTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < table.columns().size(); ++column) {
    std::size_t width = text_columns(table.columns()[column]);
    for (const auto& row : table.rows()) {
      width = std::max({width, text_columns(cell_text(row[column])), std::size_t{1}});
    }
    widths.push_back(width);
  }
  const auto print_row = [&](const auto& text_of, const auto& is_left) {
    std::string line;
    for (std::size_t column = 0; column < widths.size(); ++column) {
      const std::string text = text_of(column);
      const std::string fill(widths[column] - text_columns(text), ' ');
      line += (column == 0 ? "" : "  ") + (is_left(column) ? text + fill : fill + text);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  const auto left_column = [&](std::size_t column) {
    return !table.rows().empty() && std::holds_alternative<std::string>(table.rows()[0][column]);
  };
  if (!table.title().empty()) out << table.title() << '\n';
  print_row([&](std::size_t column) { return table.columns()[column]; }, left_column);
  for (const auto& row : table.rows()) {
    print_row(
        [&](std::size_t column) {
          const std::string text = cell_text(row[column]);
          return text.empty() ? std::string("-") : text;
        },
        left_column);
  }
}

void print_csv(std::ostream& out, const ResultTable& table) {
  for (std::size_t column = 0; column < table.columns().size(); ++column) {
    out << (column == 0 ? "" : ",") << table.columns()[column];
  }
  out << '\n';
  for (const auto& row : table.rows()) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      out << (column == 0 ? "" : ",") << csv_cell(row[column]);
    }
    out << '\n';
  }
}

nlohmann::ordered_json json_rows(const ResultTable& table) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& row : table.rows()) {
    nlohmann::ordered_json object;
    for (std::size_t column = 0; column < row.size(); ++column) {
      nlohmann::ordered_json& value = object[table.columns()[column]];
      if (const auto* whole = std::get_if<std::uint64_t>(&row[column])) value = *whole;
      if (const auto* real = std::get_if<double>(&row[column]))
        value = std::stod(number_text(*real));
      if (const auto* text = std::get_if<std::string>(&row[column])) value = *text;
    }
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace

std::string csv_cell(const Cell& cell) {
  std::string text = cell_text(cell);
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char character : text) quoted += character == '"' ? "\"\"" : std::string(1, character);
  return quoted + "\"";
}

void print_tables(std::ostream& out, std::span<const ResultTable> tables, OutputFormat format) {
  switch (format) {
    case OutputFormat::table:
    case OutputFormat::csv:
      for (std::size_t index = 0; index < tables.size(); ++index) {
        if (index != 0) out << '\n';
        format == OutputFormat::csv ? print_csv(out, tables[index])
                                    : print_aligned(out, tables[index]);
      }
      return;
    case OutputFormat::json: {
      nlohmann::ordered_json document;
      for (const ResultTable& table : tables) document[table.title()] = json_rows(table);
      if (tables.size() == 1) document = json_rows(tables[0]);
      out << document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
      return;
    }
  }
}

}  // namespace smem
