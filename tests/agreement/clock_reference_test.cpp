// SPDX-License-Identifier: Apache-2.0
// The event-driven clock against a reference that is evaluated in every cycle.
#include <random>

#include <gtest/gtest.h>
#include <tests/support/clocked_history.hpp>
#include <tests/support/random_access.hpp>
#include <tests/support/random_blocks.hpp>

#include <sim/config_loader.hpp>

namespace smem {
namespace {

// Property: every access has the same stamps, and every warp the same start, finish and passed
// barriers, in both. Generator: random_timing or the H200's numbers, random_blocks.
void expect_agreement(std::uint32_t seed, const TimingSpec* timing,
                      const test::RandomBlocks& limits) {
  std::mt19937 random(seed);
  const TimingSpec drawn = test::random_timing(random);
  const std::vector<cycle::Block> blocks = test::random_blocks(random, limits);
  const TimingSpec& used = timing != nullptr ? *timing : drawn;
  const std::string found =
      test::difference(test::reference_clock(used, blocks), test::clocked_history(used, blocks));
  ASSERT_EQ(found, "") << "seed " << seed;
}

class ClockReference : public testing::TestWithParam<std::uint32_t> {};

constexpr std::uint32_t kStreamsPerSeed = 500;

TEST_P(ClockReference, RandomStreamsUnderRandomNumbers) {
  for (std::uint32_t index = 0; index < kStreamsPerSeed; ++index) {
    expect_agreement(GetParam() + index, nullptr, {});
    if (HasFatalFailure()) return;
  }
}

TEST_P(ClockReference, RandomStreamsUnderTheNumbersOfTheH200) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  for (std::uint32_t index = 0; index < kStreamsPerSeed; ++index) {
    expect_agreement(GetParam() + index, &spec.timing, {});
    if (HasFatalFailure()) return;
  }
}

TEST_P(ClockReference, OneWarpWithManyInstructions) {
  for (std::uint32_t index = 0; index < kStreamsPerSeed; ++index) {
    expect_agreement(GetParam() + index, nullptr, {1, 60, 1, 1});
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClockReference,
                         testing::Values(1000u, 2000u, 3000u, 4000u, 5000u, 6000u));

}  // namespace
}  // namespace smem
