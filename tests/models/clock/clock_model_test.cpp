// SPDX-License-Identifier: Apache-2.0
// What the clock makes of accesses, against what the pure model says they cost.
#include <random>

#include <clock/gpu_timings.hpp>
#include <clock/make_instruction.hpp>
#include <gtest/gtest.h>
#include <tests/support/clocked_history.hpp>
#include <tests/support/random_access.hpp>
#include <tests/support/random_blocks.hpp>

#include <smem/gpus.hpp>

namespace smem {
namespace {

using clock::Cycle;
using clock::Instruction;

constexpr std::uint32_t kAccessesPerSpec = 50000;

/// An access that the GPU has a rule for and that needs a wavefront (matrix accesses without a lane
/// that gives an address need none).
WarpAccess any_access(std::mt19937& random, const GpuSpec& spec) {
  while (true) {
    const auto operation = static_cast<Operation>(test::below(random, kOperationCount));
    const auto bytes = static_cast<std::uint8_t>(1u << test::below(random, 5));
    if (traits(operation).rule_kind == RuleKind::none || !spec.supports(operation, bytes)) continue;
    WarpAccess access = test::random_access(random, operation, bytes, 8192);
    if (wavefronts(spec, access) != 0) return access;
  }
}

/// Notes the wavefronts of the only access there is.
class WavefrontList : public clock::WavefrontObserver {
 public:
  void wavefront(const clock::InFlight&, std::uint32_t index, Cycle cycle) override {
    indices.push_back(index);
    cycles.push_back(cycle);
  }
  std::vector<std::uint32_t> indices;
  std::vector<Cycle> cycles;
};

std::vector<clock::Block> one_access(const Instruction& instruction) {
  const auto program =
      std::make_shared<const std::vector<Instruction>>(std::vector<Instruction>{instruction});
  return {{0, 0, 1, {{0, program}}}};
}

/// Lane groups in the order in which the pure model serves them, one entry per wavefront.
std::vector<unsigned> groups_by_wavefront(const GpuSpec& spec, const WarpAccess& access) {
  const GroupWavefronts groups = group_wavefronts(spec, access);
  std::vector<unsigned> result;
  for (unsigned group = 0; group < groups.groups.count; ++group) {
    result.insert(result.end(), groups.wavefronts[group], group);
  }
  return result;
}

// Property: an access alone passes exactly the wavefronts of the pure model, group after group, one
// every interval. Generator: any_access; seed: the caller's.
void expect_pure_wavefronts(const GpuSpec& spec, const clock::TimingSpec& timing,
                            std::mt19937& random) {
  const WarpAccess access = any_access(random, spec);
  const AccessCost cost = analyze(spec, access);
  const std::vector<clock::Block> blocks = one_access(clock::make_instruction(access, cost));
  test::ListedBlocks source(blocks);
  WavefrontList seen;
  const clock::SimulationResult result = clock::simulate(timing, source, nullptr, &seen);
  const std::vector<unsigned> groups = groups_by_wavefront(spec, access);
  ASSERT_EQ(result.wavefronts, cost.wavefronts);
  ASSERT_EQ(seen.indices.size(), cost.wavefronts);
  ASSERT_EQ(groups.size(), cost.wavefronts);
  unsigned group = 0;
  for (std::size_t wavefront = 0; wavefront < seen.indices.size(); ++wavefront) {
    ASSERT_LT(seen.indices[wavefront], groups.size());
    ASSERT_GE(groups[seen.indices[wavefront]], group) << "a later group was served before";
    group = groups[seen.indices[wavefront]];
    ASSERT_EQ(seen.indices[wavefront], wavefront);
    ASSERT_EQ(seen.cycles[wavefront],
              seen.cycles[0] + wavefront * timing.wavefront_interval_cycles);
  }
}

TEST(ClockAndModel, FiftyThousandAccessesAloneOnTheH200PassTheirWavefrontsInGroupOrder) {
  const GpuSpec& spec = kH200;
  std::mt19937 random(11);
  for (std::uint32_t count = 0; count < kAccessesPerSpec; ++count) {
    expect_pure_wavefronts(spec, clock::kH200Timing, random);
    ASSERT_FALSE(HasFatalFailure()) << "access " << count;
  }
}

TEST(ClockAndModel, FiftyThousandAccessesAloneOnOddGpusPassTheirWavefrontsInGroupOrder) {
  std::mt19937 random(12);
  constexpr std::uint32_t kAccessesPerGpu = 100;
  for (std::uint32_t gpu = 0; gpu < kAccessesPerSpec / kAccessesPerGpu; ++gpu) {
    const GpuSpec spec = test::random_gpu(random);
    const clock::TimingSpec timing = test::random_timing(random);
    for (std::uint32_t count = 0; count < kAccessesPerGpu; ++count) {
      expect_pure_wavefronts(spec, timing, random);
      ASSERT_FALSE(HasFatalFailure()) << "GPU " << gpu << ", access " << count;
    }
  }
}

/// The bank maps the issue names: half and twice the banks, 8-byte banks, XOR rows.
TEST(ClockAndModel, TenThousandAccessesAloneUnderEachUnusualBankMapPassTheirWavefronts) {
  GpuSpec spec = kH200;
  std::mt19937 random(13);
  struct Banks {
    std::uint8_t bank_count_log2;
    std::uint8_t word_bytes_log2;
    std::uint32_t row_bits;
  };
  for (const Banks banks : {Banks{4, 2, 0}, Banks{6, 2, 0}, Banks{5, 3, 0}, Banks{5, 2, 0x3e0}}) {
    spec.bank_map = BankMap{};
    spec.bank_map.bank_count_log2 = banks.bank_count_log2;
    spec.bank_map.word_bytes_log2 = banks.word_bytes_log2;
    for (unsigned bit = 0; bit < banks.bank_count_log2 && banks.row_bits != 0; ++bit) {
      spec.bank_map.bank_bit_masks[bit] = (1u << bit) | (banks.row_bits & (1u << (bit + 5)));
    }
    for (std::uint32_t count = 0; count < 10000; ++count) {
      expect_pure_wavefronts(spec, clock::kH200Timing, random);
      ASSERT_FALSE(HasFatalFailure())
          << int{banks.bank_count_log2} << " bank bits, access " << count;
    }
  }
}

/// A block of up to 16 warps with up to 30 accesses each.
clock::Block random_stream(std::mt19937& random, const GpuSpec& spec, std::uint64_t& wavefronts,
                           std::uint64_t& returned_cycles) {
  clock::Block block;
  const std::uint32_t warps = 1 + test::below(random, 16);
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    std::vector<Instruction> program(test::below(random, 31));
    for (Instruction& instruction : program) {
      const WarpAccess access = any_access(random, spec);
      const AccessCost cost = analyze(spec, access);
      instruction = clock::make_instruction(access, cost);
      wavefronts += cost.wavefronts;
      if (instruction.returns_value) returned_cycles += cost.transfer_cycles;
    }
    block.warps.push_back(
        {warp, std::make_shared<const std::vector<Instruction>>(std::move(program))});
  }
  return block;
}

// Property: a stream has the wavefronts of its accesses, and takes at least as many cycles as the
// data stage needs for them and the return path for its transfers. Seed 14.
TEST(ClockAndModel, StreamsHaveAllTheirWavefrontsAndNeverTakeFewerCycles) {
  std::mt19937 random(14);
  for (std::uint32_t count = 0; count < 600; ++count) {
    const GpuSpec spec = count % 2 == 0 ? kH200 : test::random_gpu(random);
    const clock::TimingSpec timing =
        count % 2 == 0 ? clock::kH200Timing : test::random_timing(random);
    std::uint64_t wavefronts = 0;
    std::uint64_t returned_cycles = 0;
    const std::vector<clock::Block> blocks = {
        random_stream(random, spec, wavefronts, returned_cycles)};
    test::ListedBlocks source(blocks);
    const clock::SimulationResult result = clock::simulate(timing, source);
    ASSERT_EQ(result.wavefronts, wavefronts) << "stream " << count;
    ASSERT_EQ(result.return_busy_cycles, returned_cycles) << "stream " << count;
    ASSERT_GE(result.total_cycles * timing.wavefronts_per_cycle, wavefronts) << "stream " << count;
    ASSERT_GE(result.total_cycles, returned_cycles) << "stream " << count;
  }
}

}  // namespace
}  // namespace smem
