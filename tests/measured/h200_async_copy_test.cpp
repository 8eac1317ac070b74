// SPDX-License-Identifier: Apache-2.0
// cp.async on an H200: counters measured with traces/bench against the rule that knows both
// sides' addresses, and against the model of traces, which knows the shared side only.
#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <sim/config/config_loader.hpp>
#include <smem/analyzer.hpp>
#include <smem/async_copy.hpp>
#include <traces/text/text_source.hpp>

namespace smem {
namespace {

/// Fitted to cp_async.csv (bits 0 to 6) and to the lines from 128 on of the hold-out (bits 7, 8).
constexpr TagBanks kH200TagBanks{7, {0x0b5, 0x1da}};

/// Hits are means over 1024 copies, the first of which misses.
constexpr double kFirstMissTolerance = 0.05;

struct MeasuredCopy {
  AsyncCopy copy;
  bool bypass;
  std::vector<double> counts;  ///< the columns between the mask and the offsets
};

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

template <class Number>
std::array<Number, kLanesPerWarp> offsets_of(const std::string& text) {
  std::array<Number, kLanesPerWarp> offsets{};
  const std::vector<std::string> numbers = split(text, ' ');
  EXPECT_EQ(numbers.size(), offsets.size());
  for (std::size_t lane = 0; lane < numbers.size(); ++lane) {
    offsets.at(lane) = static_cast<Number>(std::stoul(numbers[lane]));
  }
  return offsets;
}

std::vector<MeasuredCopy> read_copies(const std::string& file) {
  TextSource source(std::string(SMEMSIM_SOURCE_DIR) + "/traces/measured/h200/" + file);
  std::vector<MeasuredCopy> copies;
  std::string_view view;
  while (source.next_line(view)) {
    const std::string line(view);
    if (!line.starts_with("cp.async")) continue;
    const std::vector<std::string> fields = split(line, ',');
    MeasuredCopy row{};
    row.bypass = fields[0] == "cp.async.cg";
    row.copy.shared = {Operation::async_copy, static_cast<std::uint8_t>(std::stoul(fields[1])),
                       static_cast<std::uint32_t>(std::stoul(fields[2], nullptr, 16)),
                       offsets_of<std::uint32_t>(fields.back())};
    row.copy.global_bytes = offsets_of<std::uint64_t>(fields[fields.size() - 2]);
    for (std::size_t index = 3; index + 2 < fields.size(); ++index) {
      row.counts.push_back(std::stod(fields[index]));
    }
    copies.push_back(row);
  }
  return copies;
}

/// Expects wavefronts and conflicts in the columns `column` and `column` + 1 of every `.ca` row.
void expect_exact(const std::string& file, CopySource source, std::size_t column,
                  std::size_t rows) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  std::size_t compared = 0;
  for (const MeasuredCopy& row : read_copies(file)) {
    if (row.bypass) continue;
    const AsyncCopyCost cost = analyze_async_copy(spec, row.copy, source, kH200TagBanks);
    EXPECT_NEAR(row.counts.at(column), cost.wavefronts, kFirstMissTolerance)
        << file << " row " << compared;
    EXPECT_NEAR(row.counts.at(column + 1), cost.bank_conflicts, kFirstMissTolerance)
        << file << " row " << compared;
    ++compared;
  }
  EXPECT_EQ(compared, rows);
}

TEST(H200AsyncCopy, HitsHaveTheMeasuredWavefrontsAndConflicts) {
  expect_exact("async_copy/cp_async.csv.zst", CopySource::l1_hit, 0, 570);
}

TEST(H200AsyncCopy, HitsMeasuredAfterTheRuleDoSoToo) {
  expect_exact("async_copy/cp_async_hold_out.csv.zst", CopySource::l1_hit, 0, 570);
}

TEST(H200AsyncCopy, MissesHaveTheMeasuredWavefrontsAndConflicts) {
  expect_exact("async_copy/cp_async.csv.zst", CopySource::l1_miss, 2, 570);
}

TEST(H200AsyncCopy, MissesMeasuredAfterTheRuleDoSoToo) {
  expect_exact("async_copy/cp_async_miss_hold_out.csv.zst", CopySource::l1_miss, 0, 240);
}

TEST(H200AsyncCopy, CopiesPastL1HaveNone) {
  std::size_t compared = 0;
  for (const MeasuredCopy& row : read_copies("async_copy/cp_async.csv.zst")) {
    if (!row.bypass) continue;
    for (std::size_t column = 0; column < 4; ++column) EXPECT_EQ(row.counts.at(column), 0.0);
    ++compared;
  }
  EXPECT_EQ(compared, 190u);
}

/// Copies whose global words lie side by side, as a coalesced copy's do: the shared side decides.
TEST(H200AsyncCopy, TheModelOfTracesIsExactForConsecutiveGlobalWords) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  std::size_t compared = 0;
  for (const char* file : {"async_copy/cp_async.csv.zst", "async_copy/cp_async_hold_out.csv.zst"}) {
    for (const MeasuredCopy& row : read_copies(file)) {
      bool consecutive = !row.bypass;
      for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
        consecutive &= row.copy.global_bytes[lane] ==
                       row.copy.global_bytes[0] + lane * row.copy.shared.bytes_per_lane;
      }
      if (!consecutive) continue;
      ++compared;
      const AccessCost cost = analyze(spec, row.copy.shared);
      EXPECT_NEAR(row.counts.at(0), cost.wavefronts, kFirstMissTolerance) << file;
      EXPECT_NEAR(row.counts.at(1), cost.bank_conflicts, kFirstMissTolerance) << file;
    }
  }
  EXPECT_GT(compared, 100u);
  RecordProperty("compared", static_cast<int>(compared));
}

}  // namespace
}  // namespace smem
