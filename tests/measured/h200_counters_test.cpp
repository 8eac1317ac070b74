// SPDX-License-Identifier: Apache-2.0
// The model against counters and cycles measured on an H200.
#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <sim/config/config_loader.hpp>
#include <smem/analyzer.hpp>
#include <traces/text/access_list_reader.hpp>

namespace smem {
namespace {

using Row = std::function<void(const WarpAccess&, const MeasuredRow&, const std::string& name)>;

/// Calls `row` for every row of a file below traces/; returns how many there were.
std::size_t for_each_row(const std::string& file, const GpuSpec& spec, const Row& row) {
  AccessListReader reader(TextSource(std::string(SMEMSIM_SOURCE_DIR) + "/traces/" + file), spec);
  std::vector<TraceRecord> records(256);
  std::size_t rows = 0;
  while (const std::size_t count = reader.read(records)) {
    for (std::size_t index = 0; index < count; ++index, ++rows) {
      row(records[index].access, reader.measured()[index], reader.names()[index]);
    }
  }
  return rows;
}

GpuSpec gpu(const std::string& name) {
  return load_gpu_spec(find_config(name));
}

TEST(H200Counters, All1265AccessesHaveTheMeasuredWavefrontsAndBankConflicts) {
  const GpuSpec spec = gpu("h200");
  std::size_t row = 0;
  const auto check = [&](const WarpAccess& access, const MeasuredRow& measured, const auto&) {
    const AccessCost cost = analyze(spec, access);
    EXPECT_EQ(cost.wavefronts, measured.wavefronts.value()) << "row " << row;
    EXPECT_EQ(cost.bank_conflicts, measured.bank_conflicts.value()) << "row " << row;
    ++row;
  };
  EXPECT_EQ(for_each_row("measured/h200/access_counters/counters.csv", spec, check), 1265u);
}

TEST(H200Counters, MatrixAndAtomicAccessesHaveTheMeasuredWavefrontsButForOneRecordedAsNone) {
  const GpuSpec spec = gpu("h200");
  std::size_t row = 0;
  std::size_t contradicted_rows = 0;
  const auto check = [&](const WarpAccess& access, const MeasuredRow& measured, const auto&) {
    const AccessCost cost = analyze(spec, access);
    // One row, a compare-and-swap of all lanes on one word, is recorded with no wavefront at all;
    // why is not known. The same kind of access was measured again as 64 (equal_words.csv).
    const bool contradicted = measured.wavefronts == 0u;
    contradicted_rows += contradicted ? 1u : 0u;
    EXPECT_EQ(cost.wavefronts, contradicted ? 64u : measured.wavefronts.value()) << "row " << row;
    ++row;
  };
  EXPECT_EQ(for_each_row("measured/h200/access_counters/matrix_atomic.csv", spec, check), 203u);
  EXPECT_EQ(contradicted_rows, 1u);
}

TEST(H200Counters, AccessesWithEqualWordsMeasuredLaterHaveTheMeasuredWavefronts) {
  const GpuSpec spec = gpu("h200");
  std::size_t all_lanes_on_one_word = 0;
  for_each_row("measured/h200/atomics/equal_words.csv", spec,
               [&](const WarpAccess& access, const MeasuredRow& measured, const auto&) {
                 EXPECT_EQ(wavefronts(spec, access), measured.wavefronts.value());
                 if (access.operation == Operation::atomic_cas && measured.wavefronts == 64u) {
                   ++all_lanes_on_one_word;
                 }
               });
  EXPECT_GE(all_lanes_on_one_word, 1u);
}

TEST(H200Counters, MatrixAndAtomicConflictsAreTurnsBeyondTheFirstOfEachGroup) {
  const GpuSpec spec = gpu("h200");
  std::size_t row = 0;
  for_each_row("measured/h200/access_counters/matrix_atomic.csv", spec,
               [&](const WarpAccess& access, const MeasuredRow& measured, const auto&) {
                 EXPECT_EQ(analyze(spec, access).bank_conflicts, measured.bank_conflicts.value())
                     << "row " << row;
                 ++row;
               });
}

TEST(H200Throughput, All3000AccessesAreWithinATenthOfACycle) {
  const GpuSpec spec = gpu("h200");
  double largest_error_cycles = 0;
  const auto check = [&](const WarpAccess& access, const MeasuredRow& measured, const auto&) {
    const double error = analyze(spec, access).cycles_per_inst() - measured.cycles_per_inst.value();
    largest_error_cycles = std::max(largest_error_cycles, std::abs(error));
  };
  EXPECT_EQ(for_each_row("measured/h200/steady_state/throughput.csv", spec, check), 3000u);
  EXPECT_LE(largest_error_cycles, 0.1);
  RecordProperty("largest_error_cycles", std::to_string(largest_error_cycles));
}

}  // namespace
}  // namespace smem
