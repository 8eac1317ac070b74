// SPDX-License-Identifier: Apache-2.0
// Policies that only this test has: a class each, without look-ahead. The clock must give the
// cycles of the reference with them from their first line; with a row each they would have names in
// YAML.
#include <algorithm>
#include <random>
#include <set>

#include <clock/policies/policy_kinds.hpp>
#include <gtest/gtest.h>
#include <tests/support/clocked_history.hpp>
#include <tests/support/random_blocks.hpp>

#include <sim/config/config_loader.hpp>
#include <sim/config/gpu_description.hpp>

namespace smem {
namespace {

class HighestWarp final : public clock::WarpOrder {
 public:
  std::size_t pick(std::span<const clock::WarpCandidate> candidates, std::size_t) const override {
    return candidates.size() - 1;
  }
};

class HighestSubPartition final : public clock::SubPartitionOrder {
 public:
  std::size_t pick(std::span<const clock::SubPartitionCandidate> candidates,
                   std::size_t) const override {
    return candidates.size() - 1;
  }
};

class FewestWavefronts final : public clock::AdmissionOrder {
 public:
  std::size_t pick(std::span<const clock::AdmissionCandidate> candidates) const override {
    const auto fewest =
        std::min_element(candidates.begin(), candidates.end(),
                         [](const auto& a, const auto& b) { return a.wavefronts < b.wavefronts; });
    return static_cast<std::size_t>(fewest - candidates.begin());
  }
};

class FewestLeft final : public clock::ServiceOrder {
 public:
  std::size_t pick(std::span<const clock::ServiceCandidate> candidates) const override {
    const auto fewest = std::min_element(
        candidates.begin(), candidates.end(),
        [](const auto& a, const auto& b) { return a.wavefronts_left < b.wavefronts_left; });
    return static_cast<std::size_t>(fewest - candidates.begin());
  }
};

constexpr HighestWarp kHighestWarp{};
constexpr HighestSubPartition kHighestSubPartition{};
constexpr FewestWavefronts kFewestWavefronts{};
constexpr FewestLeft kFewestLeft{};

using Change = void (*)(clock::TimingSpec&);

// Property: stamps equal to the reference's, which asks the policy in every cycle. Generator:
// random_timing with the policy, random_blocks; 600 streams. How often the policy mattered at all.
std::size_t expect_agreement(std::uint32_t seed, Change change) {
  std::size_t changed = 0;
  std::mt19937 random(seed);
  for (unsigned stream = 0; stream < 600; ++stream) {
    clock::TimingSpec timing = test::random_timing(random);
    const std::vector<clock::Block> blocks = test::random_blocks(random, {16, 10, 2, 2});
    const test::History before = test::clocked_history(timing, blocks);
    change(timing);
    const test::History found = test::clocked_history(timing, blocks);
    const std::string difference = test::difference(test::reference_clock(timing, blocks), found);
    EXPECT_EQ(difference, "") << "seed " << seed << ", stream " << stream;
    if (!difference.empty()) break;
    if (!test::difference(before, found).empty()) ++changed;
  }
  return changed;
}

TEST(ClockPolicies, AWarpOrderWithoutLookAheadAgreesWithTheReference) {
  EXPECT_GT(expect_agreement(51, [](clock::TimingSpec& t) { t.warp_order = &kHighestWarp; }), 50u);
}

TEST(ClockPolicies, ASubPartitionOrderOfOnesOwnAgreesWithTheReference) {
  EXPECT_GT(expect_agreement(
                52, [](clock::TimingSpec& t) { t.sub_partition_order = &kHighestSubPartition; }),
            50u);
}

TEST(ClockPolicies, AnAdmissionOrderWithoutLookAheadAgreesWithTheReference) {
  EXPECT_GT(
      expect_agreement(53, [](clock::TimingSpec& t) { t.admission_order = &kFewestWavefronts; }),
      20u);
}

TEST(ClockPolicies, AServiceOrderWithoutLookAheadAgreesWithTheReference) {
  EXPECT_GT(expect_agreement(54, [](clock::TimingSpec& t) { t.service_order = &kFewestLeft; }),
            20u);
}

TEST(ClockPolicies, AllOfThemAtOnceAgreeWithTheReference) {
  const Change all = [](clock::TimingSpec& timing) {
    timing.warp_order = &kHighestWarp;
    timing.sub_partition_order = &kHighestSubPartition;
    timing.admission_order = &kFewestWavefronts;
    timing.service_order = &kFewestLeft;
  };
  EXPECT_GT(expect_agreement(55, all), 100u);
}

TEST(ClockPolicies, EveryRowIsWhatItsNameInAGpusFileMeans) {
  clock::for_each_policy_kind([](const char* key, const auto& table, auto member) {
    std::set<std::string_view> names;
    for (const auto& row : table) {
      EXPECT_TRUE(names.insert(row.name).second) << row.name << " stands twice";
      const std::vector<std::string> set = {std::string("timing.") + key + '=' +
                                            std::string(row.name)};
      const GpuDescription gpu = load_gpu_description(find_config("h200"), set);
      EXPECT_EQ((*gpu.timing).*member, row.policy);
    }
  });
}

}  // namespace
}  // namespace smem
