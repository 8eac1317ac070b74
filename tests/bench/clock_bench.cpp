// SPDX-License-Identifier: Apache-2.0
// Accesses per second of the clock on one SM of the H200: 16 warps, saturated, and the same
// accesses spread out in time. `idle_cost` is the processor time of the spread accesses over that
// of the saturated ones, measured in the same run.
#include <ctime>
#include <random>

#include <benchmark/benchmark.h>
#include <clock/gpu_timings.hpp>
#include <clock/make_instruction.hpp>
#include <clock/simulate.hpp>

#include <smem/gpus.hpp>

namespace smem {
namespace {

constexpr std::uint32_t kWarps = 16;
constexpr std::uint32_t kAccessesPerWarp = 1000;
constexpr std::uint32_t kSpacingCycles = 100;

WarpAccess strided(Operation operation, std::uint8_t bytes, std::uint32_t stride_bytes) {
  WarpAccess access{operation, bytes, kFullMask, {}};
  for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
    access.offsets_bytes[lane] = lane * stride_bytes;
  }
  return access;
}

/// Loads and stores of every width, conflicts of 1 to 32 ways with fewer of the heavy ones.
WarpAccess mixed(std::mt19937& random) {
  constexpr std::array<std::uint8_t, 3> kBytes = {4, 8, 16};
  const std::uint8_t bytes = kBytes[random() % kBytes.size()];
  const auto ways_log2 = static_cast<unsigned>(random() % 8 == 0 ? random() % 6 : random() % 2);
  return strided(random() % 3 == 0 ? Operation::store : Operation::load, bytes,
                 std::uint32_t{bytes} << ways_log2);
}

/// One block whose warps run the accesses `next` gives, on the whole SM one every `spacing_cycles`.
template <class Next>
clock::Block stream(std::uint32_t spacing_cycles, const Next& next) {
  std::mt19937 random(41);
  clock::Block block;
  for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
    std::vector<clock::Instruction> program;
    for (std::uint32_t index = 0; index < kAccessesPerWarp; ++index) {
      const WarpAccess access = next(random);
      program.push_back(clock::make_instruction(access, analyze(kH200, access)));
      program.back().delay_cycles = spacing_cycles * (index == 0 ? warp : kWarps);
    }
    block.warps.push_back(
        {warp, std::make_shared<const std::vector<clock::Instruction>>(std::move(program))});
  }
  return block;
}

class OneBlock : public clock::BlockSource {
 public:
  explicit OneBlock(const clock::Block& block) : block_(&block) {}
  const clock::Block* next() override { return std::exchange(block_, nullptr); }

 private:
  const clock::Block* block_;
};

void simulate_once(const clock::Block& block) {
  OneBlock source(block);
  benchmark::DoNotOptimize(clock::simulate(clock::kH200Timing, source).total_cycles);
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(const clock::Block& block) {
  const double start = thread_seconds();
  simulate_once(block);
  return thread_seconds() - start;
}

void run(benchmark::State& state, const clock::Block& block) {
  for (auto _ : state) simulate_once(block);
  state.SetItemsProcessed(state.iterations() * kWarps * kAccessesPerWarp);
}

void saturated_mixed(benchmark::State& state) {
  run(state, stream(0, mixed));
}
BENCHMARK(saturated_mixed);

void saturated_conflict_free_lds(benchmark::State& state) {
  run(state, stream(0, [](std::mt19937&) { return strided(Operation::load, 4, 4); }));
}
BENCHMARK(saturated_conflict_free_lds);

void saturated_32_way_lds(benchmark::State& state) {
  run(state, stream(0, [](std::mt19937&) { return strided(Operation::load, 4, 128); }));
}
BENCHMARK(saturated_32_way_lds);

/// The accesses of saturated_mixed, one every 100 cycles.
void spread_mixed(benchmark::State& state) {
  const clock::Block dense = stream(0, mixed);
  const clock::Block spread = stream(kSpacingCycles, mixed);
  double dense_seconds = 0;
  double spread_seconds = 0;
  for (auto _ : state) {
    dense_seconds += seconds_of(dense);
    const double seconds = seconds_of(spread);
    spread_seconds += seconds;
    state.SetIterationTime(seconds);
  }
  state.SetItemsProcessed(state.iterations() * kWarps * kAccessesPerWarp);
  state.counters["idle_cost"] = spread_seconds / dense_seconds;
}
BENCHMARK(spread_mixed)->UseManualTime();

}  // namespace
}  // namespace smem
