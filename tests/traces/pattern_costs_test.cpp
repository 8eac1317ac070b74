// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/support/random_records.hpp>

#include <traces/smt/pattern_costs.hpp>

namespace smem {
namespace {

TEST(BankPeriod, OfThePlainMapIsOneRow) {
  EXPECT_EQ(bank_period_bytes(BankMap{}), 128u);
  EXPECT_EQ(bank_period_bytes(BankMap{6, 3, {1, 2, 4, 8, 16, 32, 64}}), 512u);
}

TEST(BankPeriod, OfAnXorMapReachesItsHighestBit) {
  BankMap map;
  map.bank_bit_masks = {0x21, 0x42, 0x84, 8, 16, 0, 0};
  EXPECT_EQ(bank_period_bytes(map), 4u << 8);
  map.bank_bit_masks[4] |= 1u << 31;
  EXPECT_EQ(bank_period_bytes(map), 0u);
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
      for (int repeat = 0; repeat < 200; ++repeat) {
        const auto pattern = random.below(static_cast<std::uint32_t>(patterns.size()));
        const std::uint32_t base_bytes =
            random.below(1u << 12) * std::max<std::uint32_t>(patterns[pattern].bytes_per_lane, 1);
        SmtReference reference;
        reference.pattern = pattern;
        reference.base_bytes = base_bytes;
        ASSERT_EQ(costs.cost(patterns, 0, reference),
                  analyze(spec, patterns[pattern].at(base_bytes)));
      }
    }
  }
}

TEST(PatternCosts, AskTheModelOncePerAlignmentClass) {
  PatternCosts costs(test::permissive_spec());
  const std::vector<AccessPattern> patterns(1);
  SmtReference reference;
  for (std::uint32_t base_bytes = 0; base_bytes < 4096; base_bytes += 4) {
    reference.base_bytes = base_bytes;
    costs.cost(patterns, 0, reference);
  }
  EXPECT_EQ(costs.analyzed(), 32u);
}

TEST(PatternCosts, ForgetThePatternsOfAnEarlierNumbering) {
  const GpuSpec spec = test::permissive_spec();
  PatternCosts costs(spec);
  std::vector<AccessPattern> patterns(1);
  EXPECT_EQ(costs.cost(patterns, 0, {}).wavefronts, 1u);
  for (std::uint32_t lane = 0; lane < 32; ++lane) patterns[0].relative_bytes[lane] = 128 * lane;
  EXPECT_EQ(costs.cost(patterns, 1, {}).wavefronts, 32u);
}

}  // namespace
}  // namespace smem
