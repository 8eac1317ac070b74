// SPDX-License-Identifier: Apache-2.0
// The event-driven clock against a reference that is evaluated in every cycle.
#include <algorithm>
#include <random>

#include <clock/gpu_timings.hpp>
#include <gtest/gtest.h>
#include <tests/support/clocked_history.hpp>
#include <tests/support/random_access.hpp>
#include <tests/support/random_blocks.hpp>

namespace smem {
namespace {

/// Counts wavefronts cycle by cycle.
class WavefrontCounter : public clock::WavefrontObserver {
 public:
  void wavefront(const clock::InFlight&, std::uint32_t, clock::Cycle cycle) override {
    if (cycle < cycle_) ++backwards;
    in_cycle_ = cycle == cycle_ ? in_cycle_ + 1 : 1;
    cycle_ = cycle;
    most_in_a_cycle = std::max(most_in_a_cycle, in_cycle_);
  }
  std::uint32_t most_in_a_cycle = 0;
  std::uint32_t backwards = 0;  ///< told after one of a later cycle

 private:
  clock::Cycle cycle_ = 0;
  std::uint32_t in_cycle_ = 0;
};

// Property: every access has the same stamps, and every warp the same start, finish and passed
// barriers, in both. Generator: random_timing or the H200's numbers, random_blocks.
void expect_agreement(std::uint32_t seed, const clock::TimingSpec* timing,
                      const test::RandomBlocks& limits) {
  std::mt19937 random(seed);
  const clock::TimingSpec drawn = test::random_timing(random);
  const std::vector<clock::Block> blocks = test::random_blocks(random, limits);
  const clock::TimingSpec& used = timing != nullptr ? *timing : drawn;
  const test::History expected = test::reference_clock(used, blocks);
  ASSERT_EQ(test::difference(expected, test::clocked_history(used, blocks)), "") << "seed " << seed;
  ASSERT_EQ(test::difference(expected,
                             test::clocked_history(used, blocks, nullptr, clock::Engine::fastest)),
            "")
      << "seed " << seed << ", the fastest way";
  WavefrontCounter counter;
  ASSERT_EQ(test::difference(expected, test::clocked_history(used, blocks, &counter)), "")
      << "seed " << seed << ", observed wavefront by wavefront";
  ASSERT_LE(counter.most_in_a_cycle, used.wavefronts_per_cycle) << "seed " << seed;
  ASSERT_EQ(counter.backwards, 0u) << "seed " << seed;
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
  for (std::uint32_t index = 0; index < kStreamsPerSeed; ++index) {
    expect_agreement(GetParam() + index, &clock::kH200Timing, {});
    if (HasFatalFailure()) return;
  }
}

TEST_P(ClockReference, OneWarpWithManyInstructions) {
  for (std::uint32_t index = 0; index < kStreamsPerSeed; ++index) {
    expect_agreement(GetParam() + index, nullptr, {1, 60, 1, 1});
    if (HasFatalFailure()) return;
  }
}

TEST_P(ClockReference, LongGapsBetweenAccesses) {
  for (std::uint32_t index = 0; index < kStreamsPerSeed; ++index) {
    const clock::TimingSpec* timing = index % 4 == 0 ? &clock::kH200Timing : nullptr;
    const std::uint32_t most_gap = index % 3 == 0 ? 1000 : 40;
    expect_agreement(GetParam() + index, timing, {16, 8, 2, 2, most_gap});
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClockReference,
                         testing::Values(1000u, 2000u, 3000u, 4000u, 5000u, 6000u));

}  // namespace
}  // namespace smem
