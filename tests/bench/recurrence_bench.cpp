// SPDX-License-Identifier: Apache-2.0
// Accesses per second of the recurrence on one warp of the H200, from costs that are known, and the
// SystemC model on the same stream in the same run: `over_systemc` is the ratio of processor times.
#include <array>
#include <ctime>
#include <random>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <clock/gpu_timings.hpp>
#include <clock/make_instruction.hpp>
#include <clock/recurrence/recurrence.hpp>
#include <clock/simulate.hpp>

#include <smem/gpus.hpp>

namespace smem {
namespace {

constexpr std::uint32_t kAccesses = 16000;
using Program = std::vector<clock::Instruction>;

clock::Instruction strided(Operation operation, std::uint8_t bytes, std::uint32_t stride_bytes) {
  WarpAccess access{operation, bytes, kFullMask, {}};
  for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
    access.offsets_bytes[lane] = lane * stride_bytes;
  }
  return clock::make_instruction(access, analyze(kH200, access));
}

/// Loads and stores of every width, conflicts of 1 to 32 ways.
Program mixed() {
  std::mt19937 random(41);
  Program program;
  for (std::uint32_t index = 0; index < kAccesses; ++index) {
    constexpr std::array<std::uint8_t, 3> kBytes = {4, 8, 16};
    const std::uint8_t bytes = kBytes[random() % kBytes.size()];
    program.push_back(strided(random() % 3 == 0 ? Operation::store : Operation::load, bytes,
                              std::uint32_t{bytes} << random() % 6));
  }
  return program;
}

/// Every load's address is made of the value before, by two instructions.
Program dependent() {
  Program program(kAccesses, strided(Operation::load, 4, 4));
  for (std::uint32_t index = 1; index < kAccesses; ++index) {
    program[index].needs_values = index;
    program[index].dependent_instructions = 2;
  }
  return program;
}

/// Loads without conflicts, as many as the warp can issue.
Program conflict_free() {
  return Program(kAccesses, strided(Operation::load, 4, 4));
}

class OneWarp : public clock::BlockSource {
 public:
  explicit OneWarp(const Program& program) {
    block_.warps.push_back({0, std::make_shared<const Program>(program)});
  }
  const clock::Block* next() override { return std::exchange(given_, true) ? nullptr : &block_; }
  void rewind() { given_ = false; }

 private:
  clock::Block block_;
  bool given_ = false;
};

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double seconds_of(const Work& work) {
  const double start = thread_seconds();
  work();
  return thread_seconds() - start;
}

void run(benchmark::State& state, const Program& program) {
  std::vector<clock::AccessStamps> accesses(program.size());
  std::uint64_t total_cycles = 0;
  const auto recurrence = [&] {
    clock::Recurrence clock(clock::kH200Timing);
    clock.start_warp(0, 1, kAccesses);
    for (std::size_t index = 0; index < program.size(); ++index) {
      accesses[index] = clock.access(program[index]);
    }
    total_cycles = clock.last_finish_cycle();
    benchmark::ClobberMemory();
  };
  double seconds = 0;
  for (auto _ : state) {
    const double once = seconds_of(recurrence);
    seconds += once;
    state.SetIterationTime(once);
  }
  OneWarp source(program);
  constexpr int kRounds = 8;
  double systemc_seconds = 0;
  for (int round = 0; round < kRounds; ++round) {
    source.rewind();
    systemc_seconds += seconds_of([&] {
      if (clock::simulate(clock::kH200Timing, source, nullptr, nullptr, clock::Engine::modules)
              .total_cycles != total_cycles) {
        state.SkipWithError("the recurrence and the SystemC model differ");
      }
    });
  }
  state.SetItemsProcessed(state.iterations() * kAccesses);
  state.counters["over_systemc"] =
      systemc_seconds / kRounds / (seconds / static_cast<double>(state.iterations()));
}

void recurrence_mixed(benchmark::State& state) {
  run(state, mixed());
}
BENCHMARK(recurrence_mixed)->UseManualTime();

void recurrence_dependent(benchmark::State& state) {
  run(state, dependent());
}
BENCHMARK(recurrence_dependent)->UseManualTime();

void recurrence_conflict_free(benchmark::State& state) {
  run(state, conflict_free());
}
BENCHMARK(recurrence_conflict_free)->UseManualTime();

}  // namespace
}  // namespace smem
