// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tests/support/naive_oracle.hpp>
#include <tests/support/random_access.hpp>

#include <smem/analyzer.hpp>
#include <smem/bank_collisions.hpp>
#include <smem/gpus.hpp>

namespace smem::test {
namespace {

// Properties over random accesses; generator: support/random_access.hpp; seed: from the operation
// and width. The naive oracle judges more than a million accesses (35 operations and widths).
#ifdef __SANITIZE_ADDRESS__
constexpr unsigned kRandomGpus =
    8;  // the sanitized run looks for bad memory accesses, not for counts
#else
constexpr unsigned kRandomGpus = 60;
#endif
constexpr unsigned kAccessesPerGpu = 500;
constexpr unsigned kAccessesOfH200 = 120 * kRandomGpus;

struct OperationWidth {
  Operation operation;
  std::uint8_t bytes;
};

std::vector<OperationWidth> all_operation_widths() {
  std::vector<OperationWidth> result;
  for (const OperationTraits& row : kOperationTraits) {
    if (row.rule_kind == RuleKind::none) continue;
    for (unsigned bytes = 1; bytes <= 16; bytes *= 2) {
      if (!operation_name(row.operation, static_cast<std::uint8_t>(bytes)).empty()) {
        result.push_back({row.operation, static_cast<std::uint8_t>(bytes)});
      }
    }
  }
  return result;
}

class EveryOperationWidth : public ::testing::TestWithParam<OperationWidth> {
 protected:
  std::mt19937 random_{20260u + static_cast<unsigned>(GetParam().operation) * 17u +
                       GetParam().bytes};

  WarpAccess next(std::uint32_t window_bytes = 1u << 17) {
    return random_access(random_, GetParam().operation, GetParam().bytes, window_bytes);
  }

  /// `check` for accesses on the H200 (where it has a rule) and on many random GPUs:
  /// 1/`share` of all.
  template <class Check>
  void on_many_gpus(Check check, unsigned share = 5) {
    const GpuSpec& h200 = kH200;
    if (h200.supports(GetParam().operation, GetParam().bytes)) {
      for (unsigned at = 0; at < kAccessesOfH200 / share && !HasFailure(); ++at)
        check(h200, next());
    }
    for (unsigned gpu = 0; gpu < kRandomGpus; ++gpu) {
      const GpuSpec spec = random_gpu(random_);
      for (unsigned at = 0; at < kAccessesPerGpu / share && !HasFailure(); ++at)
        check(spec, next());
    }
  }
};

TEST_P(EveryOperationWidth, AnalyzeAgreesWithTheNaiveOracle) {
  on_many_gpus(
      [](const GpuSpec& spec, const WarpAccess& access) {
        const AccessCost cost = analyze(spec, access);
        ASSERT_EQ(cost.wavefronts, NaiveOracle::wavefronts(spec, access));
        ASSERT_EQ(cost.ideal, NaiveOracle::ideal(spec, access));
        ASSERT_EQ(cost.bank_conflicts * spec.rule_of(access).wavefront_factor,
                  cost.wavefronts - cost.ideal);
        ASSERT_EQ(cost.groups, NaiveOracle::groups(spec.rule_of(access), access).size());
      },
      1);
}

TEST_P(EveryOperationWidth, CollisionsOfEveryGroupAddUpToTheWavefronts) {
  on_many_gpus([](const GpuSpec& spec, const WarpAccess& access) {
    const AccessRule& rule = spec.rule_of(access);
    const GroupWavefronts groups = group_wavefronts(spec, access);
    unsigned sum = 0;
    for (unsigned index = 0; index < groups.groups.count; ++index) {
      const BankCollisions collisions =
          bank_collisions(spec.bank_map, rule, access, groups.groups.masks[index]);
      ASSERT_EQ(collisions.turns * rule.wavefront_factor, groups.wavefronts[index]);
      ASSERT_EQ(collisions.heights_turns[collisions.tallest_bank], collisions.turns);
      sum += groups.wavefronts[index];
    }
    ASSERT_EQ(sum, analyze(spec, access).wavefronts);
  });
}

TEST_P(EveryOperationWidth, NoTurnServesOneBankTwiceAndEveryLaneIsServed) {
  on_many_gpus([](const GpuSpec& spec, const WarpAccess& access) {
    const AccessRule& rule = spec.rule_of(access);
    const std::uint32_t lanes = addressing_lanes(access);
    const BankCollisions collisions = bank_collisions(spec.bank_map, rule, access, lanes);
    std::set<std::pair<unsigned, unsigned>> slots;
    std::map<unsigned, unsigned> bytes_of_lane;
    for (const ServedWord& served : collisions.served()) {
      ASSERT_TRUE(slots.insert({served.bank, served.turn}).second);
      ASSERT_EQ(served.bank, spec.bank_map.bank_of_word(served.word));
      ASSERT_LT(served.turn, collisions.turns);
      for_each_lane(served.lanes, [&](unsigned lane) {
        bytes_of_lane[lane] +=
            std::min<unsigned>(access.bytes_per_lane, spec.bank_map.word_bytes());
      });
    }
    for_each_lane(lanes,
                  [&](unsigned lane) { ASSERT_EQ(bytes_of_lane[lane], access.bytes_per_lane); });
  });
}

TEST_P(EveryOperationWidth, PackedIsALowerAndPerLaneAnUpperBoundOfAnyGrouping) {
  on_many_gpus([](const GpuSpec& spec, const WarpAccess& access) {
    GpuSpec packed = spec;
    GpuSpec per_lane = spec;
    const std::size_t rule =
        RuleKey{traits(access.operation).rule_kind, access.bytes_per_lane}.index();
    packed.rules[rule].grouping = Grouping::packed;
    per_lane.rules[rule].grouping = Grouping::per_lane;
    ASSERT_LE(wavefronts(packed, access), wavefronts(spec, access));
    ASSERT_LE(wavefronts(spec, access), wavefronts(per_lane, access));
  });
}

INSTANTIATE_TEST_SUITE_P(NaiveOracle, EveryOperationWidth,
                         ::testing::ValuesIn(all_operation_widths()), [](const auto& parameter) {
                           std::string name(
                               operation_name(parameter.param.operation, parameter.param.bytes));
                           for (char& letter : name) {
                             if (letter == '.') letter = '_';
                           }
                           return name + "_" + std::to_string(parameter.param.bytes) + "_bytes";
                         });

}  // namespace
}  // namespace smem::test
