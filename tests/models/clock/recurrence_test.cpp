// SPDX-License-Identifier: Apache-2.0
// The recurrence against the SystemC model: every stamp of every access, every barrier, warp and
// block, in the same cycle.
#include <memory>
#include <optional>
#include <random>
#include <sstream>

#include <clock/gpu_timings.hpp>
#include <clock/recurrence/recurrence_run.hpp>
#include <clock/simulate.hpp>
#include <gtest/gtest.h>
#include <tests/support/clocked_history.hpp>
#include <tests/support/random_access.hpp>
#include <tests/support/random_blocks.hpp>

#include <sim/clock/measuring_kernel.hpp>
#include <sim/clock/program_timing.hpp>
#include <sim/config/gpu_description.hpp>
#include <smem/gpus.hpp>
#include <traces/measurements/program_measurements.hpp>

namespace smem {
namespace {

using clock::Block;
using clock::Cycle;
using clock::Instruction;

/// Writes down everything an observer hears, in the order of each place, cycles from the start.
class Recorder : public clock::Observer {
 public:
  void simulation_started(Cycle cycle) override { start_ = cycle; }
  void block_started(std::uint16_t slot, const Block& block, Cycle cycle) override {
    text_[0] << "block " << slot << " is " << block.block << " of " << block.kernel << at(cycle);
  }
  void block_finished(std::uint16_t slot, Cycle cycle) override {
    text_[0] << "block " << slot << " finished" << at(cycle);
  }
  void warp_started(std::uint16_t slot, std::uint16_t block, std::uint32_t warp,
                    Cycle cycle) override {
    text_[1] << "warp " << slot << " is " << warp << " of " << block << at(cycle);
  }
  void warp_finished(std::uint16_t slot, Cycle cycle) override {
    text_[1] << "warp " << slot << " finished" << at(cycle);
  }
  void barrier_arrived(std::uint16_t slot, const Instruction&, Cycle cycle) override {
    text_[2] << "warp " << slot << " arrived" << at(cycle);
  }
  void barrier_opened(std::uint16_t block_slot, Cycle cycle) override {
    text_[3] << "barrier of block " << block_slot << at(cycle);
  }
  void barrier_passed(std::uint16_t slot, Cycle cycle) override {
    text_[1] << "warp " << slot << " passed" << at(cycle);
  }
  void access_issued(const clock::InFlight& access) override {
    text_[4] << "issued by " << access.warp_slot << at(access.stamps.issue_cycle);
  }
  void access_finished(const clock::InFlight& access) override {
    text_[5] << "access of " << access.warp_slot << " on " << int{access.sub_partition}
             << (access.last_of_warp ? ", the last:" : ":");
    for (const clock::StampField& field : clock::kStampFields) {
      const Cycle cycle = access.stamps.*field.member;
      text_[5] << ' ' << (cycle == 0 ? 0 : cycle - start_);  // 0: not yet
    }
    text_[5] << '\n';
  }

  std::string text() const {
    std::string all;
    for (const std::ostringstream& each : text_) all += each.str();
    return all;
  }

 private:
  std::string at(Cycle cycle) const { return " in " + std::to_string(cycle - start_) + "\n"; }

  Cycle start_ = 0;
  std::array<std::ostringstream, 6> text_;
};

template <class Simulate>
std::string record(const std::vector<Block>& blocks, const Simulate& simulate) {
  Recorder recorder;
  test::ListedBlocks source(blocks);
  const clock::SimulationResult result = simulate(source, recorder);
  return recorder.text() + "total " + std::to_string(result.total_cycles) + ", wavefronts " +
         std::to_string(result.wavefronts) + ", returning " +
         std::to_string(result.return_busy_cycles) + "\n";
}

std::string recorded_systemc(const clock::TimingSpec& timing, const std::vector<Block>& blocks) {
  return record(blocks, [&](clock::BlockSource& source, clock::Observer& observer) {
    return clock::simulate(timing, source, &observer, nullptr, clock::Engine::modules);
  });
}

std::string recorded_recurrence(const clock::TimingSpec& timing, const std::vector<Block>& blocks) {
  return record(blocks, [&](clock::BlockSource& source, clock::Observer& observer) {
    return clock::simulate_by_recurrence(timing, source, &observer);
  });
}

std::string recorded_fastest(const clock::TimingSpec& timing, const std::vector<Block>& blocks) {
  return record(blocks, [&](clock::BlockSource& source, clock::Observer& observer) {
    return clock::simulate(timing, source, &observer);
  });
}

test::History recurrence_history(const clock::TimingSpec& timing,
                                 const std::vector<Block>& blocks) {
  test::ListedBlocks source(blocks);
  test::HistoryObserver observer(blocks);
  clock::simulate_by_recurrence(timing, source, &observer);
  return observer.history(0);
}

/// Blocks of at most one warp, one resident at a time, on random sub-partitions, some with store
/// data that is made late.
std::vector<Block> one_warp_at_a_time(std::mt19937& random, std::uint32_t most_instructions) {
  std::vector<Block> blocks = test::random_blocks(random, {1, most_instructions, 3, 4});
  for (Block& block : blocks) {
    block.resident_blocks = 1;
    for (clock::WarpProgram& warp : block.warps) {
      warp.warp = test::below(random, 32);
      std::vector<Instruction> program = *warp.instructions;
      for (Instruction& instruction : program) {
        if (test::below(random, 5) == 0) {
          instruction.moves =
              test::kept_moves({test::below(random, 200), instruction.run_instructions()});
        }
        if (test::below(random, 20) == 0) instruction.repeats += test::below(random, 60);
      }
      warp.instructions = std::make_shared<const std::vector<Instruction>>(std::move(program));
    }
  }
  return blocks;
}

class RecurrenceAgreement : public testing::TestWithParam<std::uint32_t> {};

constexpr std::uint32_t kStreamsPerSeed = 500;

// Property: what an observer hears, and the result, are the same to the last cycle. Generator:
// one_warp_at_a_time under random_timing.
TEST_P(RecurrenceAgreement, WithTheSystemCModelUnderRandomNumbers) {
  for (std::uint32_t seed = GetParam(); seed < GetParam() + kStreamsPerSeed; ++seed) {
    std::mt19937 random(seed);
    const clock::TimingSpec timing = test::random_timing(random);
    const std::vector<Block> blocks = one_warp_at_a_time(random, seed % 4 == 0 ? 100 : 25);
    ASSERT_EQ(recorded_systemc(timing, blocks), recorded_recurrence(timing, blocks))
        << "seed " << seed;
  }
}

TEST_P(RecurrenceAgreement, WithTheSystemCModelUnderTheNumbersOfTheH200) {
  const clock::TimingSpec timing = clock::kH200Timing;
  for (std::uint32_t seed = GetParam(); seed < GetParam() + kStreamsPerSeed; ++seed) {
    std::mt19937 random(seed);
    const std::vector<Block> blocks = one_warp_at_a_time(random, seed % 4 == 0 ? 100 : 25);
    ASSERT_EQ(recorded_systemc(timing, blocks), recorded_recurrence(timing, blocks))
        << "seed " << seed;
  }
}

// Few places in both queues, little storage, a long way to wake up: who waits when decides every
// cycle.
TEST_P(RecurrenceAgreement, WithTheSystemCModelWhereTheQueuesAreFull) {
  for (std::uint32_t seed = GetParam(); seed < GetParam() + kStreamsPerSeed; ++seed) {
    std::mt19937 random(seed);
    clock::TimingSpec timing = test::random_timing(random);
    timing.queue_entries = 1 + test::below(random, 4);
    timing.warp_memory_interval_cycles = timing.sub_partition_memory_interval_cycles = 1;
    timing.refused_wake_cycles = 1 + test::below(random, 60);
    timing.sm_queue_entries = 1 + test::below(random, 3);
    timing.store_data_release_cycles = 2 + test::below(random, 60);
    const std::vector<Block> blocks = one_warp_at_a_time(random, 60);
    ASSERT_EQ(recorded_systemc(timing, blocks), recorded_recurrence(timing, blocks))
        << "seed " << seed;
  }
}

// Property: the same history as the reference that is evaluated every cycle.
TEST_P(RecurrenceAgreement, WithTheReferenceClock) {
  for (std::uint32_t seed = GetParam(); seed < GetParam() + kStreamsPerSeed / 5; ++seed) {
    std::mt19937 random(seed);
    const clock::TimingSpec timing = test::random_timing(random);
    const std::vector<Block> blocks = one_warp_at_a_time(random, 25);
    ASSERT_EQ(
        test::difference(test::reference_clock(timing, blocks), recurrence_history(timing, blocks)),
        "")
        << "seed " << seed;
  }
}

bool one_warp_runs_at_a_time(const std::vector<Block>& blocks) {
  for (std::size_t index = 0; index < blocks.size(); ++index) {
    if (blocks[index].warps.size() > 1) return false;
    const bool follows = index != 0 && blocks[index - 1].kernel == blocks[index].kernel;
    if (follows && blocks[index].resident_blocks != 1) return false;
  }
  return true;
}

// Property: any stream is either refused, namely when warps may run side by side, or the same.
TEST_P(RecurrenceAgreement, OrRefusalWhereWarpsRunSideBySide) {
  std::uint32_t refused = 0;
  for (std::uint32_t seed = GetParam(); seed < GetParam() + kStreamsPerSeed; ++seed) {
    std::mt19937 random(seed);
    const clock::TimingSpec timing = test::random_timing(random);
    const std::vector<Block> blocks = test::random_blocks(random, {2, 20, 2, 2});
    if (one_warp_runs_at_a_time(blocks)) {
      ASSERT_EQ(recorded_systemc(timing, blocks), recorded_recurrence(timing, blocks))
          << "seed " << seed;
    } else {
      ++refused;
      ASSERT_THROW(recorded_recurrence(timing, blocks), clock::RecurrenceRefusal)
          << "seed " << seed;
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_LT(refused, kStreamsPerSeed);
}

/// Blocks of one warp at a time, then random ones: of the same kernel or the next.
std::vector<Block> mixed_blocks(std::mt19937& random) {
  std::vector<Block> blocks = one_warp_at_a_time(random, 30);
  std::vector<Block> others = test::random_blocks(random, {8, 20, 3, 3});
  const std::uint32_t last_kernel = blocks.back().kernel + test::below(random, 2);
  for (Block& block : others) {
    block.kernel += last_kernel;
    blocks.push_back(std::move(block));
  }
  return blocks;
}

void expect_same_from_fastest(const clock::TimingSpec& timing, const std::vector<Block>& blocks,
                              std::uint32_t seed) {
  ASSERT_EQ(recorded_systemc(timing, blocks), recorded_fastest(timing, blocks)) << "seed " << seed;
}

// Property: the modules that go on where the recurrence has stopped give what the modules alone
// give, every stamp of it. Generator: mixed_blocks under random_timing and under the H200's.
TEST_P(RecurrenceAgreement, OfTheFastestWayWithTheModulesAlone) {
  std::uint32_t handed_over = 0;
  for (std::uint32_t seed = GetParam(); seed < GetParam() + kStreamsPerSeed; ++seed) {
    std::mt19937 random(seed);
    const clock::TimingSpec drawn = test::random_timing(random);
    const std::vector<Block> blocks = mixed_blocks(random);
    handed_over += one_warp_runs_at_a_time(blocks) ? 0u : 1u;
    expect_same_from_fastest(seed % 3 == 0 ? clock::kH200Timing : drawn, blocks, seed);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(handed_over, kStreamsPerSeed / 2);
}

// What a block leaves for long: full queues, store data held long after its end, service slots and
// schedulers that stay closed.
TEST_P(RecurrenceAgreement, OfTheFastestWayWithTheModulesAloneWhereMuchIsLeft) {
  for (std::uint32_t seed = GetParam(); seed < GetParam() + kStreamsPerSeed; ++seed) {
    std::mt19937 random(seed);
    clock::TimingSpec timing = test::random_timing(random);
    timing.queue_entries = 1 + test::below(random, 4);
    timing.sm_queue_entries = 1 + test::below(random, 3);
    timing.store_data_registers = 1 + test::below(random, 6);
    timing.store_data_release_cycles = 2 + test::below(random, 300);
    timing.wavefront_interval_cycles = 1 + test::below(random, 80);
    timing.sub_partition_memory_interval_cycles = 1 + test::below(random, 80);
    timing.alu_interval_cycles = 1 + test::below(random, 60);
    timing.barrier_issue_interval_cycles = 1 + test::below(random, 60);
    expect_same_from_fastest(timing, mixed_blocks(random), seed);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RecurrenceAgreement,
                         testing::Values(1000u, 2000u, 3000u, 4000u, 5000u, 6000u));

Block block_of(std::uint32_t warps, const Instruction& instruction, std::uint32_t resident = 1) {
  Block block{2, 7, resident, {}};
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    block.warps.push_back({warp, std::make_shared<const std::vector<Instruction>>(
                                     std::vector<Instruction>{instruction})});
  }
  return block;
}

std::string refusal(const std::vector<Block>& blocks) {
  try {
    recorded_recurrence(clock::kH200Timing, blocks);
  } catch (const clock::RecurrenceRefusal& refused) {
    return refused.what();
  }
  return "accepted";
}

TEST(RecurrenceRefusals, SayWhatIsNeededAndWhatWasFound) {
  Instruction load;
  load.returns_value = true;
  load.wavefronts = 1;
  Instruction idle = load;
  idle.wavefronts = 0;
  Instruction needy = load;
  needy.needs_values = 1;
  Instruction never = load;
  never.repeats = 0;
  EXPECT_EQ(refusal({block_of(1, load), block_of(1, load)}), "accepted");
  EXPECT_EQ(refusal({block_of(2, load)}),
            "the recurrence needs one warp a block, found 2 in block 7 of kernel 2");
  EXPECT_EQ(refusal({block_of(1, load, 3), block_of(1, load, 3)}),
            "the recurrence needs one resident block, found 3 of kernel 2");
  EXPECT_EQ(refusal({block_of(1, idle)}),
            "the recurrence needs accesses of at least one wavefront, found 0 in block 7 of kernel "
            "2");
  EXPECT_EQ(refusal({block_of(1, needy)}),
            "the recurrence needs values of earlier accesses, found the need of value 1 after 0 in "
            "block 7 of kernel 2");
  EXPECT_EQ(refusal({block_of(1, never)}),
            "the recurrence needs repeats of at least 1, found 0 in block 7 of kernel 2");
}

TEST(RecurrencePrograms, SystematicProgramsOfOneWarpTakeTheSameCycles) {
  const GpuDescription gpu{kH200, std::make_shared<clock::TimingSpec>(clock::kH200Timing)};
  const GpuSpec& spec = gpu.spec;
  const std::string file =
      std::string(SMEMSIM_SOURCE_DIR) + "/traces/measured/h200/programs/systematic.json";
  const std::vector<Program> programs = read_programs(file, spec);
  const MeasuringKernel kernel = load_measuring_kernel(find_measuring_kernel(file));
  ASSERT_FALSE(programs.empty());
  for (const ClockStart start :
       {ClockStart::arrival, ClockStart::release, ClockStart::release_data_ready}) {
    for (const Program& program : programs) {
      EXPECT_EQ(
          time_program(gpu, kernel, program, 1, 1, start, clock::Engine::modules).total_cycles,
          time_program(gpu, kernel, program, 1, 1, start, clock::Engine::fastest).total_cycles)
          << "program " << program.id;
    }
  }
}

}  // namespace
}  // namespace smem
