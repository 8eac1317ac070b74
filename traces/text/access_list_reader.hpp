// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <smem/gpu_spec.hpp>
#include <traces/text/line_reader.hpp>

namespace smem {

/// What an access list says was measured for a row, for `compare`.
struct MeasuredRow {
  std::optional<std::uint64_t> wavefronts;
  std::optional<std::uint64_t> bank_conflicts;
  std::optional<double> cycles_per_inst;
  std::optional<std::uint64_t> profiler_wavefronts;  ///< as the profiler's software counts
};

/// Reads an access list: CSV with a header line that names the columns (traces/FORMAT.md). Lines
/// that start with '#' are skipped, except directives "#! kernel …", "#! array …", "#! gpu …",
/// "#! capture_tool …". Every record is checked against `spec`.
class AccessListReader : public LineReader {
 public:
  /// Reads the header; throws TraceError for an empty file, an unknown or a missing column.
  AccessListReader(TextSource source, const GpuSpec& spec, ReadOptions options = {});

  /// One entry per record of the last `read`.
  [[nodiscard]] const std::vector<MeasuredRow>& measured() const { return measured_; }
  const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool has_measured_columns() const;
  [[nodiscard]] bool has_profiler_column() const { return has(kProfilerWavefronts); }

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
    kProfilerWavefronts,
    kProfilerBankConflicts,
    kColumnCount,
  };
  static const std::array<std::string_view, kColumnCount> kColumnNames;

  void read_header();
  bool take_line(std::string_view line, TraceRecord& record) override;
  void begin_read() override;
  void finish() override;
  [[nodiscard]] std::uint64_t records_of_damaged(std::string_view line) const override;
  void read_directive(std::string_view line);
  void split(std::string_view line);
  void parse_row(TraceRecord& record);
  void parse_addresses(WarpAccess& access);
  void parse_stored(TraceRecord& record);
  std::uint32_t kernel_index(std::string_view text);
  [[nodiscard]] bool has(Column column) const { return position_[column] >= 0; }
  std::string_view field(Column column) const;
  [[nodiscard]] std::uint64_t number(Column column, std::uint64_t least, std::uint64_t most,
                                     int base = 10) const;
  double cycles_per_inst() const;

  bool kernels_declared_ = false;
  std::array<int, kColumnCount> position_{};
  std::size_t column_count_ = 0;
  std::vector<std::string_view> fields_;
  std::vector<std::size_t> quoted_fields_;  ///< indices into fields_
  std::vector<std::string> unquoted_;
  std::vector<MeasuredRow> measured_;
  std::vector<std::string> names_;
};

}  // namespace smem
