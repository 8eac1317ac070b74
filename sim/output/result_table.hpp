// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace smem {

enum class OutputFormat : std::uint8_t { table, csv, json };

/// One value of a result; monostate = not known, printed as nothing (CSV), "-" or null.
using Cell = std::variant<std::monostate, std::uint64_t, double, std::string>;

/// A result: named columns, typed cells. Numbers print the same everywhere, without locale.
class ResultTable {
 public:
  /// `title` heads the table form and names the list in JSON when there are several tables.
  ResultTable(std::string title, std::vector<std::string> columns)
      : title_(std::move(title)), columns_(std::move(columns)) {}

  /// Adds a row; as many cells as columns.
  void add_row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }

  const std::string& title() const { return title_; }
  const std::vector<std::string>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }

 private:
  std::string title_;
  std::vector<std::string> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// Prints tables in one format. CSV: one header and its rows per table, a blank line between
/// tables. JSON: a list of objects for one table, an object of such lists for several.
void print_tables(std::ostream& out, std::span<const ResultTable> tables, OutputFormat format);

/// The CSV form of a cell, quoted where needed.
std::string csv_cell(const Cell& cell);

}  // namespace smem
