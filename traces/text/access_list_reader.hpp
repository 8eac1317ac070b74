// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <smem/gpu_spec.hpp>
#include <traces/text/text_source.hpp>
#include <traces/trace_reader.hpp>

namespace smem {

/// What an access list says was measured for a row, for `compare`.
struct MeasuredRow {
  std::optional<std::uint64_t> wavefronts;
  std::optional<std::uint64_t> bank_conflicts;
  std::optional<double> cycles_per_inst;
};

/// Reads an access list: CSV with a header line that names the columns (traces/FORMAT.md). Lines
/// that start with '#' are skipped, except directives "#! kernel …", "#! array …", "#! gpu …",
/// "#! capture_tool …". Every record is checked against `spec`.
class AccessListReader : public TraceReader {
 public:
  /// Reads the header; throws TraceError for an empty file, an unknown or a missing column.
  AccessListReader(TextSource source, const GpuSpec& spec, ReadOptions options = {});

  std::size_t read(std::span<TraceRecord> records) override;
  const TraceInfo& info() const override { return info_; }
  std::string place(std::size_t index) const override { return source_.place(lines_[index]); }
  SkippedParts skipped() const override { return skipped_; }

  /// One entry per record of the last `read`.
  const std::vector<MeasuredRow>& measured() const { return measured_; }
  const std::vector<std::string>& names() const { return names_; }
  bool has_measured_columns() const;

 private:
  enum Column : std::uint8_t {
    kOp,
    kBytes,
    kMask,
    kAddresses,
    kName,
    kCount,
    kKernel,
    kBlock,
    kWarp,
    kPc,
    kIssueGap,
    kDependsOn,
    kDependentInstructions,
    kStored,
    kWavefronts,
    kBankConflicts,
    kCyclesPerInst,
    kColumnCount,
  };
  static const std::array<std::string_view, kColumnCount> kColumnNames;

  void read_header();
  bool next_line(std::string_view& line);
  bool take_line(std::string_view line, TraceRecord& record);
  void read_directive(std::string_view line);
  void split(std::string_view line);
  void parse_row(TraceRecord& record);
  void parse_addresses(WarpAccess& access);
  void parse_stored(TraceRecord& record);
  std::uint32_t kernel_index(std::string_view text);
  bool has(Column column) const { return position_[column] >= 0; }
  std::string_view field(Column column) const;
  std::uint64_t number(Column column, std::uint64_t least, std::uint64_t most, int base = 10) const;
  double cycles_per_inst() const;
  [[noreturn]] void fail(const std::string& message) const { source_.fail(message, good_records_); }

  TextSource source_;
  std::vector<std::uint64_t> lines_;  ///< of the records of the last read
  GpuSpec spec_;
  ReadOptions options_;
  SkippedParts skipped_;
  TraceInfo info_;
  bool kernels_declared_ = false;
  std::array<int, kColumnCount> position_{};
  std::size_t column_count_ = 0;
  std::vector<std::string_view> fields_;
  std::vector<std::size_t> quoted_fields_;  ///< indices into fields_
  std::vector<std::string> unquoted_;
  std::vector<MeasuredRow> measured_;
  std::vector<std::string> names_;
  std::uint64_t good_records_ = 0;
  std::optional<TraceError> pending_error_;  ///< thrown once the records before it were returned
};

}  // namespace smem
