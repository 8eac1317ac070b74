// SPDX-License-Identifier: Apache-2.0
// Atomics, ldmatrix and stmatrix on an H200, measured with traces/bench.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <sim/config/config_loader.hpp>
#include <smem/analyzer.hpp>
#include <traces/text/access_list_reader.hpp>

namespace smem {
namespace {

/// Largest differences of the predicted cycles per instruction from the measured ones.
struct Errors {
  std::size_t rows = 0;
  double largest_share = 0;
  double largest_cycles = 0;
};

/// Expects the counters of every row of a measured list, and returns how far the cycles are.
Errors check_counters(const std::string& file) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  AccessListReader reader(
      TextSource(std::string(SMEMSIM_SOURCE_DIR) + "/traces/measured/h200/" + file), spec);
  std::vector<TraceRecord> records(256);
  Errors errors;
  while (const std::size_t count = reader.read(records)) {
    for (std::size_t index = 0; index < count; ++index, ++errors.rows) {
      const AccessCost cost = analyze(spec, records[index].access);
      const MeasuredRow& measured = reader.measured()[index];
      EXPECT_EQ(cost.wavefronts, measured.wavefronts.value()) << file << " row " << errors.rows;
      EXPECT_EQ(cost.bank_conflicts, measured.bank_conflicts.value())
          << file << " row " << errors.rows;
      const double cycles = measured.cycles_per_inst.value();
      const double error_cycles = std::abs(cost.cycles_per_inst() - cycles);
      errors.largest_cycles = std::max(errors.largest_cycles, error_cycles);
      errors.largest_share = std::max(errors.largest_share, error_cycles / cycles);
    }
  }
  return errors;
}

TEST(H200Atomics, All792SingleInstructionAtomicsHaveTheMeasuredCounters) {
  EXPECT_EQ(check_counters("atomics/atomics.csv").rows, 792u);
}

TEST(H200Atomics, CyclesPerInstructionAreWithin5Percent) {
  EXPECT_LE(check_counters("atomics/atomics.csv").largest_share, 0.05);
}

TEST(H200Atomics, OneTo32LanesOnOneWordHaveTheMeasuredCounters) {
  const Errors errors = check_counters("atomics/equal_words.csv");
  EXPECT_EQ(errors.rows, 160u);
  EXPECT_LE(errors.largest_share, 0.05);
}

TEST(H200Matrix, All156AccessesHaveTheMeasuredCountersAndCycles) {
  const Errors errors = check_counters("access_counters/matrix.csv");
  EXPECT_EQ(errors.rows, 156u);
  EXPECT_LE(errors.largest_share, 0.03);
}

TEST(H200Recheck, LoadsAndStoresMeasuredAgainAreWithinATenthOfACycle) {
  const Errors errors = check_counters("access_counters/recheck.csv");
  EXPECT_EQ(errors.rows, 120u);
  EXPECT_LE(errors.largest_cycles, 0.1);
}

}  // namespace
}  // namespace smem
