// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include <batch/batch_analyzer.hpp>
#include <gtest/gtest.h>
#include <tests/support/naive_oracle.hpp>
#include <tests/support/random_access.hpp>

#include <smem/error.hpp>
#include <smem/gpus.hpp>
#include <traces/trace_record.hpp>

namespace smem::test {
namespace {

// Properties: for every instruction set this processor has, a batch costs what `analyze` says
// access by access, and what the naive oracle counts. Generator: support/random_access.hpp; seeds
// below.
#ifdef __SANITIZE_ADDRESS__
constexpr unsigned kRandomGpus = 20;
#else
constexpr unsigned kRandomGpus = 300;
#endif
constexpr std::size_t kBatch = 700;

struct OperationWidth {
  Operation operation;
  std::uint8_t bytes;
};

std::vector<OperationWidth> supported_by(const GpuSpec& spec) {
  std::vector<OperationWidth> result;
  for (const OperationTraits& of : kOperationTraits) {
    for (std::uint8_t bytes = 1; bytes <= 16; bytes = static_cast<std::uint8_t>(bytes * 2)) {
      if (spec.supports(of.operation, bytes)) result.push_back({of.operation, bytes});
    }
  }
  return result;
}

/// A random GPU with few partner distances in most rules: those the kernels take.
GpuSpec random_batch_gpu(std::mt19937& random) {
  GpuSpec spec = random_gpu(random);
  if (below(random, 2) == 0) spec.bank_map.word_bytes_log2 = 2;
  for (AccessRule& rule : spec.rules) {
    const std::uint32_t distances = rule.merge.partner_distances;
    if (below(random, 5) == 0) continue;
    rule.merge.partner_distances = distances & (0x16u | (1u << below(random, 31)));
  }
  return spec;
}

class EveryInstructionSet : public ::testing::TestWithParam<InstructionSet> {
 protected:
  void SetUp() override {
    if (!is_available(GetParam())) GTEST_SKIP() << "this processor has no " << name_of(GetParam());
  }

  WarpAccess next(const OperationWidth& of, std::uint32_t window_bytes = 1u << 18) {
    WarpAccess access = random_access(random_, of.operation, of.bytes, window_bytes);
    if (below(random_, 8) == 0) fill_inactive(access);
    return access;
  }

  /// Offsets of inactive lanes mean nothing, whatever they are.
  void fill_inactive(WarpAccess& access) {
    for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
      if (((access.active_mask >> lane) & 1u) == 0) {
        access.offsets_bytes[lane] = static_cast<std::uint32_t>(random_());
      }
    }
  }

  void expect_same(const GpuSpec& spec, const std::vector<WarpAccess>& accesses) {
    const BatchAnalyzer analyzer(spec, GetParam());
    std::vector<AccessCost> costs(accesses.size(), AccessCost{9, 9, 9, 9, 9, true});
    analyzer.analyze(accesses, costs);
    for (std::size_t index = 0; index < accesses.size(); ++index) {
      const AccessCost one = smem::analyze(spec, accesses[index]);
      ASSERT_EQ(costs[index].wavefronts, one.wavefronts) << describe(accesses[index]);
      ASSERT_EQ(costs[index], one) << describe(accesses[index]);
    }
  }

  static std::string describe(const WarpAccess& access) {
    return std::string(operation_name(access.operation, access.bytes_per_lane)) + " " +
           std::to_string(access.bytes_per_lane) + " bytes, mask " +
           std::to_string(access.active_mask);
  }

  std::mt19937 random_{511};
};

TEST_P(EveryInstructionSet, CostsOfEveryOperationOnTheH200AreThoseOfAnalyze) {
  const GpuSpec& spec = kH200;
  for (const OperationWidth& of : supported_by(spec)) {
    std::vector<WarpAccess> accesses;
    for (std::size_t index = 0; index < 10 * kBatch; ++index) accesses.push_back(next(of, 233472));
    ASSERT_NO_FATAL_FAILURE(expect_same(spec, accesses));
  }
}

TEST_P(EveryInstructionSet, WavefrontsOnTheH200AreThoseOfTheNaiveOracle) {
  const GpuSpec& spec = kH200;
  const BatchAnalyzer analyzer(spec, GetParam());
  for (const OperationWidth& of : supported_by(spec)) {
    std::vector<WarpAccess> accesses;
    for (std::size_t index = 0; index < kBatch; ++index) accesses.push_back(next(of, 233472));
    std::vector<AccessCost> costs(accesses.size());
    analyzer.analyze(accesses, costs);
    for (std::size_t index = 0; index < accesses.size(); ++index) {
      ASSERT_EQ(costs[index].wavefronts, NaiveOracle::wavefronts(spec, accesses[index]));
    }
  }
}

TEST_P(EveryInstructionSet, CostsOnRandomGpusOfMixedAccessesAreThoseOfAnalyze) {
  for (unsigned gpu = 0; gpu < kRandomGpus; ++gpu) {
    const GpuSpec spec = random_batch_gpu(random_);
    const std::vector<OperationWidth> all = supported_by(spec);
    std::vector<WarpAccess> accesses;
    while (accesses.size() < kBatch) {
      const OperationWidth of = all[below(random_, static_cast<std::uint32_t>(all.size()))];
      const std::uint32_t repeat = 1 + below(random_, 50);
      for (std::uint32_t at = 0; at < repeat; ++at) accesses.push_back(next(of));
      if (below(random_, 10) == 0) accesses.push_back({Operation::barrier, 4, kFullMask, {}});
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(spec, accesses)) << "GPU " << gpu;
  }
}

TEST_P(EveryInstructionSet, EveryStrideAndBroadcastCostsWhatAnalyzeSays) {
  const GpuSpec& spec = kH200;
  for (const OperationWidth& of : supported_by(spec)) {
    std::vector<WarpAccess> accesses;
    for (unsigned stride = 0; stride <= 256; ++stride) {
      accesses.push_back(make_access(of.operation, of.bytes,
                                     [&](unsigned lane) { return lane * stride * of.bytes; }));
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(spec, accesses));
  }
}

TEST_P(EveryInstructionSet, AddressesBeyondSixteenBitWordsAreCountedToo) {
  GpuSpec spec = kH200;
  for (const OperationWidth& of : supported_by(spec)) {
    std::vector<WarpAccess> accesses;
    for (std::size_t index = 0; index < kBatch; ++index) {
      WarpAccess access = next(of);
      const std::uint32_t far = below(random_, 3) == 0 ? 0u - 512u : (65536u - 40u) * of.bytes;
      access.offsets_bytes[below(random_, 32)] = far + below(random_, 41) / 4 * 4 * of.bytes;
      accesses.push_back(access);
    }
    ASSERT_NO_FATAL_FAILURE(expect_same(spec, accesses));
  }
}

TEST_P(EveryInstructionSet, CostsDoNotDependOnTheLengthOfABatch) {
  const GpuSpec& spec = kH200;
  const BatchAnalyzer analyzer(spec, GetParam());
  const std::vector<OperationWidth> all = supported_by(spec);
  std::vector<WarpAccess> accesses;
  while (accesses.size() < kBatch) {
    accesses.push_back(next(all[accesses.size() / 50 % all.size()], 233472));
  }
  std::vector<AccessCost> whole(accesses.size());
  analyzer.analyze(accesses, whole);
  for (const std::size_t length : {1u, 2u, 15u, 16u, 17u, 31u, 32u, 33u, 100u}) {
    std::vector<AccessCost> costs(accesses.size());
    for (std::size_t first = 0; first < accesses.size(); first += length) {
      const std::size_t count = std::min(length, accesses.size() - first);
      analyzer.analyze(std::span(accesses).subspan(first, count), std::span(costs).subspan(first));
    }
    ASSERT_EQ(costs, whole) << "length " << length;
  }
}

TEST_P(EveryInstructionSet, AccessesInsideLargerRecordsAreReadInPlace) {
  const GpuSpec& spec = kH200;
  std::vector<TraceRecord> records(kBatch);
  for (TraceRecord& record : records) record.access = next({Operation::load, 8}, 233472);
  std::vector<AccessCost> costs(records.size());
  BatchAnalyzer(spec, GetParam())
      .analyze({&records[0].access, records.size(), sizeof records[0]}, costs);
  for (std::size_t index = 0; index < records.size(); ++index) {
    ASSERT_EQ(costs[index], smem::analyze(spec, records[index].access));
  }
}

INSTANTIATE_TEST_SUITE_P(Batch, EveryInstructionSet, ::testing::ValuesIn(kInstructionSets),
                         [](const auto& parameter) {
                           return std::string(name_of(parameter.param));
                         });

TEST(CountPlans, KernelsTakeEveryRuleOfTheH200AndMostOfRandomGpus) {
  const GpuSpec& h200 = kH200;
  for (const OperationWidth& of : supported_by(h200)) {
    EXPECT_TRUE(batch::make_count_plan(h200, of.operation, of.bytes).vectorizable);
  }
  std::mt19937 random(511);
  std::size_t taken = 0;
  std::size_t merging = 0;
  std::size_t all = 0;
  for (unsigned gpu = 0; gpu < kRandomGpus; ++gpu) {
    const GpuSpec spec = random_batch_gpu(random);
    for (const OperationWidth& of : supported_by(spec)) {
      const batch::CountPlan plan = batch::make_count_plan(spec, of.operation, of.bytes);
      ++all;
      taken += plan.vectorizable;
      merging += plan.vectorizable && plan.set_count != 0;
    }
  }
  EXPECT_GT(taken, all / 2);
  EXPECT_GT(merging, all / 10);
}

TEST(InstructionSetChoice, TheEnvironmentChoosesAnAvailableSetAndRefusesOthers) {
  for (const InstructionSet set : kInstructionSets) {
    ::setenv("SMEMSIM_INSTRUCTION_SET", std::string(name_of(set)).c_str(), 1);
    if (is_available(set)) {
      EXPECT_EQ(choose_instruction_set(), set);
    } else {
      EXPECT_THROW((void)choose_instruction_set(), Error);
    }
  }
  ::setenv("SMEMSIM_INSTRUCTION_SET", "neon", 1);
  EXPECT_THROW((void)choose_instruction_set(), Error);
  ::setenv("SMEMSIM_INSTRUCTION_SET", "", 1);
  EXPECT_TRUE(is_available(choose_instruction_set()));
  ::unsetenv("SMEMSIM_INSTRUCTION_SET");
}

}  // namespace
}  // namespace smem::test
