// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/support/random_records.hpp>

#include <sim/count/pattern_costs.hpp>

namespace smem {
namespace {

TEST(BankPeriod, OfThePlainMapIsOneRow) {
  EXPECT_EQ(BankMap{}.period_bytes(), 128u);
  EXPECT_EQ((BankMap{6, 3, {1, 2, 4, 8, 16, 32, 64}}.period_bytes()), 512u);
}

TEST(BankPeriod, OfAnXorMapReachesItsHighestBit) {
  BankMap map;
  map.bank_bit_masks = {0x21, 0x42, 0x84, 8, 16, 0, 0};
  EXPECT_EQ(map.period_bytes(), 4u << 8);
  map.bank_bit_masks[4] |= 1u << 31;
  EXPECT_EQ(map.period_bytes(), 0u);
}

// Property: the cost of a reference is the cost of its access, whatever was asked before, for plain
// and XOR maps. Generator: 60 RandomRecords patterns, seed 17, each at 200 random bases.
TEST(PatternCosts, AreThoseOfTheAccesses) {
  GpuSpec spec = test::permissive_spec();
  for (const std::uint32_t extra_bits : {0u, 0x20u, 0x3e0u, 0x80000000u}) {
    spec.bank_map.bank_bit_masks = {1 | extra_bits, 2, 4, 8, 16 | extra_bits, 0, 0};
    ASSERT_TRUE(spec.bank_map.is_bijective_in_row());
    PatternCosts costs(spec);
    test::RandomRecords random(17);
    std::vector<AccessPattern> patterns;
    for (int index = 0; index < 60; ++index) {
      const WarpAccess access = random.record(1, 1u << 16).access;
      patterns.push_back(pattern_of(access));
      costs.learn(patterns, 0);
      for (int repeat = 0; repeat < 200; ++repeat) {
        const auto pattern = random.below(static_cast<std::uint32_t>(patterns.size()));
        const std::uint32_t base_bytes =
            random.below(1u << 12) * std::max<std::uint32_t>(patterns[pattern].bytes_per_lane, 1);
        ASSERT_EQ(costs.cost(patterns, pattern, base_bytes),
                  analyze(spec, patterns[pattern].at(base_bytes)));
      }
    }
  }
}

TEST(PatternCosts, AskTheModelOncePerAlignmentClass) {
  PatternCosts costs(test::permissive_spec());
  const std::vector<AccessPattern> patterns(1);
  costs.learn(patterns, 0);
  for (std::uint32_t base_bytes = 0; base_bytes < 4096; base_bytes += 4) {
    EXPECT_EQ(costs.cost(patterns, 0, base_bytes).wavefronts, 1u);
  }
  EXPECT_EQ(costs.analyzed(), 32u);
}

// Property: beyond the cells there are, patterns cost what their accesses do. Generator: 20000
// RandomRecords patterns, seed 18, in one numbering; every pattern asked at one base.
TEST(PatternCosts, OfPatternsWithoutCellsAreThoseOfTheAccesses) {
  const GpuSpec spec = test::permissive_spec();
  PatternCosts costs(spec);
  test::RandomRecords random(18);
  std::vector<AccessPattern> patterns;
  while (patterns.size() < 20000) patterns.push_back(pattern_of(random.record(1, 1u << 16).access));
  EXPECT_FALSE(costs.learn(patterns, 0));
  std::size_t without_cells = 0;
  for (std::uint32_t number = 0; number < patterns.size(); ++number) {
    without_cells += costs.has_cells(number) ? 0 : 1;
    const std::uint32_t base_bytes = random.below(64) * patterns[number].bytes_per_lane;
    ASSERT_EQ(costs.cost(patterns, number, base_bytes),
              analyze(spec, patterns[number].at(base_bytes)));
  }
  EXPECT_GT(without_cells, 0u);
}

// Property: a cell costs what the accesses of its alignment class do. Generator: 100 RandomRecords
// patterns, seed 19; every multiple of the width in one period.
TEST(PatternCosts, OfACellAreThoseOfItsAlignmentClass) {
  const GpuSpec spec = test::permissive_spec();
  test::RandomRecords random(19);
  for (int index = 0; index < 100; ++index) {
    const std::vector<AccessPattern> patterns = {pattern_of(random.record(1, 1u << 16).access)};
    PatternCosts costs(spec);
    ASSERT_TRUE(costs.learn(patterns, 0));
    std::uint32_t base_bytes = 1u << 20;  // far above every relative offset
    costs.for_each_cell(0, [&](std::size_t cell) {
      ASSERT_EQ(costs.cell_of(0, base_bytes), cell);
      EXPECT_EQ(costs.cost_in_cell(patterns[0], 0, cell),
                analyze(spec, patterns[0].at(base_bytes)));
      base_bytes += patterns[0].bytes_per_lane;
    });
  }
}

TEST(PatternCosts, ForgetThePatternsOfAnEarlierNumbering) {
  const GpuSpec spec = test::permissive_spec();
  PatternCosts costs(spec);
  std::vector<AccessPattern> patterns(1);
  costs.learn(patterns, 0);
  EXPECT_EQ(costs.cost(patterns, 0, 0).wavefronts, 1u);
  for (std::uint32_t lane = 0; lane < 32; ++lane) patterns[0].relative_bytes[lane] = 128 * lane;
  costs.learn(patterns, 1);
  EXPECT_EQ(costs.cost(patterns, 0, 0).wavefronts, 32u);
}

}  // namespace
}  // namespace smem
