// SPDX-License-Identifier: Apache-2.0
// Every gate of the clock is tight: what it holds back happens exactly when it opens, not a cycle
// earlier or later. One gate binds per test; the others are wide open.
#include <clock/policies/policy_tables.hpp>
#include <gtest/gtest.h>
#include <tests/support/clocked_history.hpp>

namespace smem {
namespace {

using clock::Cycle;
using clock::Instruction;
using clock::InstructionKind;
using test::AccessTimes;

/// Nothing waits for anything: as fast as numbers allow, with room for everything.
clock::TimingSpec open_gates() {
  clock::TimingSpec timing;
  for (const clock::TimingField& field : clock::kTimingFields) timing.*field.member = field.least;
  timing.sub_partitions = 4;
  timing.queue_entries = 100;
  timing.sm_queue_entries = 100;
  timing.window_entries = 100;
  timing.store_data_registers = 1000;
  timing.data_registers_per_cycle = 100;
  timing.accesses_in_service = clock::kMaxAccessesInService;
  timing.wavefronts_per_cycle = 100;
  return timing;
}

Instruction load(std::uint16_t wavefronts = 1, std::uint16_t transfer_cycles = 1) {
  Instruction instruction;
  instruction.returns_value = true;
  instruction.wavefronts = wavefronts;
  instruction.transfer_cycles = transfer_cycles;
  return instruction;
}

Instruction store(std::uint8_t data_registers = 1, std::uint16_t wavefronts = 1) {
  Instruction instruction;
  instruction.operand_registers = static_cast<std::uint8_t>(1 + data_registers);
  instruction.wavefronts = wavefronts;
  return instruction;
}

Instruction barrier() {
  Instruction instruction;
  instruction.kind = InstructionKind::barrier;
  return instruction;
}

struct Warp {
  std::uint32_t number;  // sub-partition = number mod 4
  std::vector<Instruction> program;
};

clock::Block block(const std::vector<Warp>& warps) {
  clock::Block result;
  for (const Warp& warp : warps) {
    result.warps.push_back(
        {warp.number, std::make_shared<const std::vector<Instruction>>(warp.program)});
  }
  return result;
}

/// What became of the warps of one block, in their order.
std::vector<test::WarpHistory> run(const clock::TimingSpec& timing,
                                   const std::vector<Warp>& warps) {
  const std::vector<clock::Block> blocks = {block(warps)};
  std::vector<test::WarpHistory> result;
  for (const auto& [place, warp] : test::clocked_history(timing, blocks)) result.push_back(warp);
  return result;
}

/// The accesses of a warp alone on the SM.
std::vector<AccessTimes> run(const clock::TimingSpec& timing,
                             const std::vector<Instruction>& program) {
  return run(timing, std::vector<Warp>{{0, program}})[0].accesses;
}

constexpr std::uint32_t kMost = 9;

TEST(ClockGates, AWarpsAccessesAreIssuedOneWarpIntervalApart) {
  clock::TimingSpec timing = open_gates();
  for (std::uint32_t n = 1; n <= kMost; ++n) {
    timing.warp_memory_interval_cycles = n;
    const auto accesses = run(timing, {load(), store(), load()});
    EXPECT_EQ(accesses[1].issue, accesses[0].issue + n);
    EXPECT_EQ(accesses[2].issue, accesses[1].issue + n);
  }
}

TEST(ClockGates, ASubPartitionsAccessesAreIssuedOneSubPartitionIntervalApart) {
  clock::TimingSpec timing = open_gates();
  for (std::uint32_t n = 1; n <= kMost; ++n) {
    timing.sub_partition_memory_interval_cycles = n;
    const auto warps = run(timing, std::vector<Warp>{{0, {load()}}, {4, {load()}}, {1, {load()}}});
    const Cycle first = std::min(warps[0].accesses[0].issue, warps[1].accesses[0].issue);
    const Cycle second = std::max(warps[0].accesses[0].issue, warps[1].accesses[0].issue);
    EXPECT_EQ(second, first + n);
    EXPECT_EQ(warps[2].accesses[0].issue, first) << "another sub-partition does not wait";
  }
}

TEST(ClockGates, AWarpInARunKeepsTheSchedulerUpToItsAccess) {
  const clock::TimingSpec timing = open_gates();
  for (std::uint8_t n = 1; n <= 4; ++n) {
    Instruction access = load();
    const clock::OperandMoves moves{0, n};
    access.moves = &moves;
    const std::vector<Instruction> program = {access, access};
    const auto warps = run(timing, {{0, program}, {4, program}, {1, program}});
    const Cycle first = warps[0].accesses[0].issue;
    EXPECT_EQ(first, warps[0].start + n);
    EXPECT_EQ(warps[0].accesses[1].issue, first + n + 1);
    EXPECT_EQ(warps[1].accesses[0].issue, first + 2 * (n + 1)) << "behind all of the other's";
    EXPECT_EQ(warps[1].accesses[1].issue, first + 3 * (n + 1));
    EXPECT_EQ(warps[2].accesses[0].issue, first) << "another sub-partition does not wait";
  }
}

// Instruction by instruction these would take hours. All warps of a sub-partition issue in turn.
TEST(ClockGates, GapsOfBillionsOfInstructionsAreCountedNotWalked) {
  clock::TimingSpec timing = open_gates();
  constexpr std::uint32_t kGap = 4'294'967'295;
  Instruction late = load();
  late.independent_instructions = kGap;
  for (std::uint32_t n = 1; n <= 3; ++n) {
    timing.alu_interval_cycles = n;
    for (const auto& [name, order] : clock::kWarpOrders) {
      // In every cycle one warp's instruction, and the others' loads never come: that is walked.
      if (n == 1 && order != &clock::kLooseRoundRobin) continue;
      timing.warp_order = order;
      std::vector<Warp> warps;
      for (std::uint32_t warp = 0; warp < 16; ++warp) warps.push_back({warp, {load(), late}});
      Cycle latest = 0;
      Cycle start = 0;
      for (const test::WarpHistory& warp : run(timing, warps)) {
        latest = std::max(latest, warp.accesses[1].issue);
        start = std::max(start, warp.accesses[0].issue);
      }
      const Cycle instructions = Cycle{4} * kGap;  // of a sub-partition
      EXPECT_GE(latest, instructions * n);
      EXPECT_LE(latest, start + instructions * n + 10);
    }
  }
}

TEST(ClockGates, AnAddressIsInTheSmsQueueOneRegisterTransferLater) {
  clock::TimingSpec timing = open_gates();
  for (std::uint32_t n = 1; n <= kMost; ++n) {
    timing.register_transfer_cycles = n;
    const auto accesses = run(timing, {load(), load()});
    EXPECT_EQ(accesses[0].transfer, accesses[0].issue + 1);
    EXPECT_EQ(accesses[0].queue, accesses[0].transfer + n);
    EXPECT_EQ(accesses[1].transfer, std::max(accesses[1].issue + 1, accesses[0].queue));
  }
}

TEST(ClockGates, EveryDataRegisterTakesOneRegisterTransferMore) {
  clock::TimingSpec timing = open_gates();
  for (std::uint32_t n = 1; n <= kMost; ++n) {
    timing.register_transfer_cycles = n;
    for (std::uint8_t registers = 1; registers <= 4; ++registers) {
      const auto accesses = run(timing, {store(registers)});
      EXPECT_EQ(accesses[0].queue, accesses[0].transfer + n * (1u + registers));
    }
  }
}

TEST(ClockGates, TheDataBusMovesSoManyRegistersOfAllSubPartitionsACycle) {
  clock::TimingSpec timing = open_gates();
  timing.register_transfer_cycles = 2;
  for (std::uint32_t per_cycle = 1; per_cycle <= 4; ++per_cycle) {
    timing.data_registers_per_cycle = per_cycle;
    const auto warps = run(
        timing, std::vector<Warp>{{0, {store()}}, {1, {store()}}, {2, {store()}}, {3, {store()}}});
    for (std::uint32_t warp = 0; warp < 4; ++warp) {
      const AccessTimes& access = warps[warp].accesses[0];
      EXPECT_EQ(access.queue, access.transfer + 4 + warp / per_cycle) << per_cycle << " a cycle";
    }
  }
}

TEST(ClockGates, AnAccessHoldsItsPlaceUntilACycleAfterItEntersTheSmsQueue) {
  clock::TimingSpec timing = open_gates();
  timing.register_transfer_cycles = 5;
  for (std::uint32_t entries = 1; entries <= kMost; ++entries) {
    timing.queue_entries = entries;
    const auto accesses = run(timing, std::vector<Instruction>(entries + 4, load()));
    for (std::uint32_t index = entries; index < entries + 4; ++index) {
      const Cycle wanted = std::max(accesses[index - 1].issue, accesses[index - entries].queue) + 1;
      EXPECT_EQ(accesses[index].issue, wanted) << index << " of " << entries;
    }
  }
}

TEST(ClockGates, AnAccessHoldsItsPlaceInTheSmsQueueUntilACycleAfterTheDataStageTakesIt) {
  clock::TimingSpec timing = open_gates();
  timing.accesses_in_service = 1;
  for (std::uint32_t entries = 1; entries <= kMost; ++entries) {
    timing.sm_queue_entries = entries;
    const auto accesses = run(timing, std::vector<Instruction>(entries + 4, load(50)));
    for (std::uint32_t index = entries; index < entries + 4; ++index) {
      const Cycle room = accesses[index - entries].service + 1;
      EXPECT_EQ(accesses[index].queue, std::max(accesses[index].moved, room))
          << index << " of " << entries;
    }
  }
}

TEST(ClockGates, SubPartitionsEnterTheSmsQueueInTurnOrTheLowestFirst) {
  clock::TimingSpec timing = open_gates();
  timing.accesses_in_service = 1;
  timing.sm_queue_entries = 1;
  for (const auto& [name, order] : clock::kSubPartitionOrders) {
    timing.sub_partition_order = order;
    const std::vector<Instruction> two = {load(50), load(50)};
    const auto warps = run(timing, std::vector<Warp>{{0, two}, {1, two}, {2, two}});
    std::vector<std::pair<Cycle, std::size_t>> entered;
    for (std::size_t warp = 0; warp < warps.size(); ++warp) {
      for (const AccessTimes& access : warps[warp].accesses) {
        entered.emplace_back(access.queue, warp);
      }
    }
    std::sort(entered.begin(), entered.end());
    std::vector<std::size_t> found;
    for (const auto& [cycle, warp] : entered) found.push_back(warp);
    const std::vector<std::size_t> in_turn = {0, 1, 2, 0, 1, 2};
    const std::vector<std::size_t> lowest = {0, 0, 1, 1, 2, 2};
    EXPECT_EQ(found, order == &clock::kSubPartitionsInTurn ? in_turn : lowest) << name;
  }
}

// One warp's accesses come first in the SM's queue; another's is served beside them as soon as it
// is among the first so many.
TEST(ClockGates, TheDataStageChoosesWithinItsWindow) {
  clock::TimingSpec timing = open_gates();
  for (std::uint32_t window = 1; window <= kMost; ++window) {
    timing.window_entries = window;
    Instruction late = load();
    late.delay_cycles = 50;
    const std::vector<Instruction> many(kMost + 3, load(100));
    const auto warps = run(timing, std::vector<Warp>{{0, many}, {1, {late}}});
    // With the window's last place it stands behind window - 1 others.
    const std::size_t ahead = many.size() - (window - 1);
    EXPECT_EQ(warps[1].accesses[0].service, warps[0].accesses[ahead - 1].service) << window;
  }
}

TEST(ClockGates, StoreDataMovesWhenThereIsStorageForAllOfIt) {
  clock::TimingSpec timing = open_gates();
  for (std::uint8_t registers = 1; registers <= 4; ++registers) {
    for (std::uint32_t stores = 1; stores <= 5; ++stores) {
      timing.store_data_registers = std::max(4u, stores * registers + registers - 1);
      timing.store_data_release_cycles = 2 + stores;
      const std::uint32_t held = timing.store_data_registers / registers;
      const auto accesses = run(timing, std::vector<Instruction>(held + 3, store(registers, 60)));
      for (std::uint32_t index = held; index < held + 3; ++index) {
        EXPECT_EQ(accesses[index].transfer,
                  accesses[index - held].last_wavefront + timing.store_data_release_cycles)
            << index << " of " << held;
      }
    }
  }
}

TEST(ClockGates, LoadsNeedNoStorage) {
  clock::TimingSpec timing = open_gates();
  timing.store_data_registers = 4;
  const auto accesses = run(timing, {store(4, 60), load(), load()});
  EXPECT_LT(accesses[2].queue, accesses[0].last_wavefront);
}

TEST(ClockGates, TheDataStageTakesTheNextAccessWhenAPlaceHasBeenFreeForTheInterval) {
  clock::TimingSpec timing = open_gates();
  timing.wavefront_interval_cycles = 3;
  for (std::uint32_t places = 1; places <= clock::kMaxAccessesInService; ++places) {
    timing.accesses_in_service = places;
    std::vector<Warp> all;
    for (std::uint32_t warp = 0; warp <= places; ++warp) all.push_back({warp, {load(20)}});
    const auto warps = run(timing, all);
    std::vector<Cycle> services;
    Cycle first_end = clock::kNever;
    for (const auto& warp : warps) {
      services.push_back(warp.accesses[0].service);
      first_end = std::min(first_end, warp.accesses[0].last_wavefront);
    }
    std::sort(services.begin(), services.end());
    EXPECT_LT(services[places - 1], first_end);
    EXPECT_EQ(services[places], first_end + 3 - 1) << places << " places";
  }
}

TEST(ClockGates, AWarpHasOneAccessInServiceUntilItsIntervalIsOver) {
  clock::TimingSpec timing = open_gates();
  for (std::uint32_t n = 1; n <= kMost; ++n) {
    timing.wavefront_interval_cycles = n;
    const auto accesses = run(timing, {load(10), load(10)});
    EXPECT_EQ(accesses[1].first_wavefront, accesses[0].last_wavefront + n);
  }
}

TEST(ClockGates, AnAccesssWavefrontsPassOneIntervalApart) {
  clock::TimingSpec timing = open_gates();
  for (std::uint32_t n = 1; n <= kMost; ++n) {
    timing.wavefront_interval_cycles = n;
    const auto accesses = run(timing, {load(7)});
    EXPECT_EQ(accesses[0].service, accesses[0].queue + 1);
    EXPECT_EQ(accesses[0].first_wavefront, accesses[0].service + 1);
    EXPECT_EQ(accesses[0].last_wavefront, accesses[0].first_wavefront + 6 * n);
  }
}

TEST(ClockGates, SoManyWavefrontsOfDifferentAccessesPassInACycle) {
  clock::TimingSpec timing = open_gates();
  for (std::uint32_t n = 1; n <= 4; ++n) {
    timing.wavefronts_per_cycle = n;
    const auto warps =
        run(timing, std::vector<Warp>{{0, {load()}}, {1, {load()}}, {2, {load()}}, {3, {load()}}});
    for (std::uint32_t warp = 0; warp < 4; ++warp) {
      EXPECT_EQ(warps[warp].accesses[0].last_wavefront,
                warps[0].accesses[0].last_wavefront + warp / n);
    }
  }
}

TEST(ClockGates, TheReturnPathIsOccupiedForTheTransferCyclesOfEachLoad) {
  clock::TimingSpec timing = open_gates();
  timing.load_latency_cycles = 5;
  for (std::uint16_t n = 1; n <= kMost; ++n) {
    const auto warps =
        run(timing, std::vector<Warp>{{0, {load(1, n)}}, {1, {store()}}, {2, {load(1, 1)}}});
    const AccessTimes& first = warps[0].accesses[0];
    const AccessTimes& second = warps[2].accesses[0];
    EXPECT_EQ(first.last_wavefront, second.last_wavefront);
    EXPECT_EQ(first.finish, first.last_wavefront + n + 5u);
    EXPECT_EQ(second.finish, first.finish + 1) << "waits for the one before";
  }
}

TEST(ClockGates, AValueIsUsableTheLoadLatencyAfterItsTransfer) {
  clock::TimingSpec timing = open_gates();
  for (std::uint32_t n = 1; n <= 40; ++n) {
    timing.load_latency_cycles = n;
    std::vector<Instruction> program = {load(), load()};
    program[1].needs_values = 1;
    const auto accesses = run(timing, program);
    EXPECT_EQ(accesses[0].finish, accesses[0].last_wavefront + 1 + n);
    EXPECT_EQ(accesses[1].issue, accesses[0].finish);
  }
}

TEST(ClockGates, AnAluChainTakesTheLatenciesOfItsInstructions) {
  clock::TimingSpec timing = open_gates();
  for (std::uint32_t n = 1; n <= kMost; ++n) {
    timing.first_alu_latency_cycles = n;
    timing.second_alu_latency_cycles = n + 1;
    timing.alu_latency_cycles = n + 3;
    for (std::uint32_t count = 1; count <= 5; ++count) {
      std::vector<Instruction> program = {load(), load()};
      program[1].needs_values = 1;
      program[1].dependent_instructions = count;
      const auto accesses = run(timing, program);
      const Cycle chain = n + (count > 1 ? n + 1 : 0) + (count > 2 ? (count - 2) * (n + 3) : 0);
      EXPECT_EQ(accesses[1].issue, accesses[0].finish + chain);
    }
  }
}

TEST(ClockGates, AluInstructionsAreIssuedOneAluIntervalApart) {
  clock::TimingSpec timing = open_gates();
  for (std::uint32_t n = 1; n <= kMost; ++n) {
    timing.alu_interval_cycles = n;
    std::vector<Instruction> program = {load(), load()};
    program[1].independent_instructions = 4;
    const auto accesses = run(timing, program);
    EXPECT_EQ(accesses[1].issue, accesses[0].issue + 1 + 3 * n + 1);
  }
}

TEST(ClockGates, TheBarrierTakesAnArrivalPerIntervalAndOpensALatencyAfterTheLast) {
  clock::TimingSpec timing = open_gates();
  for (std::uint32_t n = 1; n <= kMost; ++n) {
    timing.barrier_arrival_interval_cycles = n;
    timing.barrier_latency_cycles = 2 + n / 2;
    const auto warps = run(
        timing, std::vector<Warp>{
                    {0, {barrier(), load()}}, {1, {barrier(), load()}}, {2, {barrier(), load()}}});
    const Cycle arrival = warps[0].start;
    for (const auto& warp : warps) {
      EXPECT_EQ(warp.barriers_passed[0], arrival + 2 * n + 2 + n / 2);
      EXPECT_EQ(warp.accesses[0].issue, warp.barriers_passed[0]);
    }
  }
}

TEST(ClockGates, WarpsOfASubPartitionReachABarrierOneIntervalApart) {
  clock::TimingSpec timing = open_gates();
  timing.barrier_latency_cycles = 20;
  for (std::uint32_t interval = 1; interval <= kMost; ++interval) {
    timing.barrier_issue_interval_cycles = interval;
    std::vector<Warp> all;
    for (std::uint32_t warp = 0; warp < 5; ++warp) all.push_back({warp * 4, {barrier()}});
    const auto warps = run(timing, all);
    for (const auto& warp : warps) {
      EXPECT_EQ(warp.barriers_passed[0], warps[0].start + 4 * interval + 20);
    }
  }
}

TEST(ClockGates, ARefusedWarpLooksAgainSoLongAfterAnAccessOfItsOwnHasLeftTheQueue) {
  clock::TimingSpec timing = open_gates();
  timing.queue_entries = 1;
  timing.register_transfer_cycles = 20;
  for (std::uint32_t n = 1; n <= 25; ++n) {
    timing.refused_wake_cycles = n;
    const auto accesses = run(timing, {load(), load()});
    EXPECT_EQ(accesses[1].issue, accesses[0].queue + n);
  }
}

TEST(ClockGates, ARefusedWarpWithNothingInTheQueueLooksEveryCycle) {
  clock::TimingSpec timing = open_gates();
  timing.queue_entries = 1;
  timing.register_transfer_cycles = 20;
  timing.refused_wake_cycles = 10000;
  const auto warps = run(timing, std::vector<Warp>{{0, {load()}}, {4, {load()}}});
  const Cycle room = std::min(warps[0].accesses[0].queue, warps[1].accesses[0].queue) + 1;
  EXPECT_EQ(std::max(warps[0].accesses[0].issue, warps[1].accesses[0].issue), room);
}

TEST(ClockGates, DataRegistersMoveNoEarlierThanTheDataIsThere) {
  const clock::TimingSpec timing = open_gates();
  for (std::uint32_t delay = 0; delay <= 20; ++delay) {
    Instruction late = store();
    const clock::OperandMoves moves{delay, 0};
    late.moves = &moves;
    const auto warps = run(timing, std::vector<Warp>{{0, {late}}});
    const Cycle address = warps[0].accesses[0].transfer + 1;
    EXPECT_EQ(warps[0].accesses[0].queue, std::max(address, warps[0].start + delay) + 1);
  }
}

TEST(ClockGates, TheNextBlockStartsTwoCyclesAfterTheLastWarpOfTheOneBefore) {
  const std::vector<clock::Block> blocks = {block({{0, {load(20)}}, {1, {load()}}}),
                                            block({{0, {load()}}})};
  auto history = test::clocked_history(open_gates(), blocks);
  const Cycle end = history[{0, 0}].finish;
  EXPECT_GT(end, (history[{0, 1}].finish));
  EXPECT_EQ((history[{1, 0}].start), end + 2);
}

TEST(ClockGates, ABlockWithRoomBesideAnotherStartsWithIt) {
  std::vector<clock::Block> blocks = {block({{0, {load(20)}}}), block({{0, {load()}}}),
                                      block({{0, {load()}}})};
  for (clock::Block& each : blocks) each.resident_blocks = 2;
  auto history = test::clocked_history(open_gates(), blocks);
  EXPECT_EQ((history[{1, 0}].start), (history[{0, 0}].start));
  EXPECT_EQ((history[{2, 0}].start), (history[{1, 0}].finish + 2));
}

}  // namespace
}  // namespace smem
