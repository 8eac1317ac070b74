// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <sim/output/result_table.hpp>
#include <smem/tally.hpp>
#include <traces/trace_record.hpp>

namespace smem {

/// What rows a report adds up by. `launch` keeps launches of one kernel apart, `kernel` joins them.
enum class ReportBy : std::uint8_t { operation, pc, warp, block, kernel, launch, array };

/// What tells the rows of a report apart, besides the operation.
struct ReportKind {
  ReportBy by;
  std::string_view name;  ///< of --by
  bool kernel = false;
  bool array = false;
  bool block = false;
  bool warp = false;
  bool pc = false;  ///< with the operation and its width, not only its class
};
inline constexpr std::array<ReportKind, 7> kReportKinds = {{
    {.by = ReportBy::operation, .name = "operation"},
    {.by = ReportBy::pc, .name = "pc", .kernel = true, .pc = true},
    {.by = ReportBy::warp, .name = "warp", .kernel = true, .block = true, .warp = true},
    {.by = ReportBy::block, .name = "block", .kernel = true, .block = true},
    {.by = ReportBy::kernel, .name = "kernel", .kernel = true},
    {.by = ReportBy::launch, .name = "launch", .kernel = true},
    {.by = ReportBy::array, .name = "array", .array = true},
}};
static_assert([] {
  std::size_t next = 0;
  for (const ReportKind& kind : kReportKinds) {
    if (static_cast<std::size_t>(kind.by) != next++) return false;
  }
  return next == static_cast<std::size_t>(ReportBy::array) + 1;
}());

/// Where an access stands, for the rows of a report.
struct AccessPlace {
  Operation operation = Operation::load;
  std::uint8_t bytes_per_lane = 4;
  std::uint32_t kernel = 0;
  std::uint32_t block = 0;
  std::uint32_t warp = 0;
  std::uint64_t pc = 0;
  std::uint32_t first_offset_bytes = 0;  ///< of the lowest lane whose address counts
  std::uint64_t count = 1;
};

[[nodiscard]] AccessPlace place_of(const TraceRecord& record);

/// Accesses of one row, and where the first of them stands.
struct PlaceTally {
  AccessPlace place;
  Tally tally;
};

/// Adds up access costs by the rows of a report; rows stand in order of first appearance.
class TallyReport {
 public:
  explicit TallyReport(ReportBy by) : kind_(kReportKinds[static_cast<std::size_t>(by)]) {}

  /// Begins the next trace: its kernels are other launches than those before.
  void begin_trace(const TraceInfo& info);
  /// Adds one record. `info` is the trace's, as far as it has been read.
  void add(const TraceInfo& info, const AccessPlace& place, const AccessCost& cost);
  /// Adds records of one row at once.
  void add(const TraceInfo& info, const PlaceTally& records);

  [[nodiscard]] ResultTable table() const;

 private:
  struct Key {
    std::uint32_t kernel = 0;  ///< index into kernel_names_
    std::uint32_t block = 0;
    std::uint32_t warp = 0;
    std::uint64_t pc = 0;
    std::uint32_t array = 0;
    std::uint8_t operation = 0;  ///< an Operation by pc, an OperationClass otherwise
    std::uint8_t bytes = 0;

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Row {
    Key key;
    Tally tally;
  };

  /// The tally of the place's row; null when its operation is not reported.
  Tally* find_tally(const TraceInfo& info, const AccessPlace& place);
  Key key_of(const TraceInfo& info, const AccessPlace& place);
  std::uint32_t kernel_row(const TraceInfo& info, std::uint32_t kernel);
  std::uint32_t array_row(const TraceInfo& info, std::uint32_t offset_bytes);

  ReportKind kind_;
  std::vector<std::string> kernel_names_;
  std::vector<std::string> array_names_;
  std::vector<std::uint32_t> kernel_of_trace_;  ///< this trace's kernel -> kernel_names_
  std::unordered_map<Key, std::size_t, KeyHash> row_of_;
  std::vector<Row> rows_;
  std::size_t last_row_ = 0;
};

}  // namespace smem
