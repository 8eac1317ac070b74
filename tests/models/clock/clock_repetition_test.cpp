// SPDX-License-Identifier: Apache-2.0
// Many simulations in one process, and what idle time costs.
#include <fstream>
#include <random>
#include <unistd.h>

#include <clock/gpu_timings.hpp>
#include <gtest/gtest.h>
#include <tests/support/clocked_history.hpp>
#include <tests/support/random_blocks.hpp>

namespace smem {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kHoldsFreedMemory = true;  // the sanitizer keeps it for a while; leaks it reports
#else
constexpr bool kHoldsFreedMemory = false;
#endif

std::size_t resident_kib() {
  std::size_t pages = 0;
  std::size_t resident_pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident_pages;
  return resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

struct Stream {
  clock::TimingSpec timing;
  std::vector<clock::Block> blocks;
};

// Simulation k of a stream gives what simulation 1 of it gave, whatever ran between; seed 31.
TEST(ClockRepetition, TenThousandSimulationsGiveTheSameResultsAndHoldNoMoreMemory) {
  const clock::TimingSpec h200 = clock::kH200Timing;
  std::mt19937 random(31);
  std::vector<Stream> streams;
  std::vector<test::History> first;
  for (std::size_t index = 0; index < 50; ++index) {
    const clock::TimingSpec timing = test::random_timing(random);
    streams.push_back({index % 2 == 0 ? h200 : timing, test::random_blocks(random, {8, 12, 2, 3})});
    first.push_back(test::clocked_history(streams.back().timing, streams.back().blocks));
  }
  constexpr std::size_t kSimulations = 10000;
  constexpr std::size_t kWarmUp = 500;
  std::size_t before_kib = 0;
  for (std::size_t count = 0; count < kSimulations; ++count) {
    if (count == kWarmUp) before_kib = resident_kib();
    const std::size_t which = random() % streams.size();
    const std::string found = test::difference(
        first[which], test::clocked_history(streams[which].timing, streams[which].blocks));
    ASSERT_EQ(found, "") << "simulation " << count << " of stream " << which;
  }
  if (kHoldsFreedMemory) return;
  EXPECT_LE(resident_kib(), before_kib + 256);
}

/// `warps` warps with `count` loads and stores each, `spacing_cycles` of other work before each.
std::vector<clock::Block> spaced(std::uint32_t warps, std::uint32_t count,
                                 std::uint32_t spacing_cycles) {
  std::vector<clock::Instruction> program(count);
  for (std::uint32_t index = 0; index < count; ++index) {
    program[index].returns_value = index % 2 == 0;
    program[index].operand_registers = index % 2 == 0 ? 1 : 3;
    program[index].wavefronts = static_cast<std::uint16_t>(1 + index % 4);
    program[index].transfer_cycles = 1;
    program[index].delay_cycles = spacing_cycles;
  }
  const auto shared = std::make_shared<const std::vector<clock::Instruction>>(std::move(program));
  clock::Block block;
  for (std::uint32_t warp = 0; warp < warps; ++warp) block.warps.push_back({warp, shared});
  return {block};
}

/// Delta cycles SystemC ran for a simulation: one for every cycle in which anything happens.
std::uint64_t activations(const clock::TimingSpec& timing,
                          const std::vector<clock::Block>& blocks) {
  const std::uint64_t before = sc_core::sc_delta_count();
  test::ListedBlocks source(blocks);
  clock::simulate(timing, source, nullptr, nullptr, clock::Engine::modules);
  return sc_core::sc_delta_count() - before;
}

TEST(ClockIdleTime, AnAccessCostsAtMostSixActivationsHoweverFarApartAccessesAre) {
  const clock::TimingSpec timing = clock::kH200Timing;
  constexpr std::uint32_t kAccesses = 400;
  for (const std::uint32_t warps : {1u, 4u, 16u}) {
    const std::uint64_t at_100 = activations(timing, spaced(warps, kAccesses, 100));
    EXPECT_LE(at_100, 6 * warps * kAccesses) << warps << " warps";
    const std::uint64_t at_1000 = activations(timing, spaced(warps, kAccesses, 1000));
    EXPECT_EQ(activations(timing, spaced(warps, kAccesses, 100000)), at_1000) << warps << " warps";
    EXPECT_LE(at_1000, 6 * warps * kAccesses) << warps << " warps";
    RecordProperty("activations_of_" + std::to_string(warps) + "_warps", std::to_string(at_100));
  }
}

}  // namespace
}  // namespace smem
