// SPDX-License-Identifier: Apache-2.0
// Accesses per second of analyze(), per pattern and width, beside a set of words per bank in a map
// measured in the same run: counters `maps_per_second` and `times_maps`.
#include <array>
#include <ctime>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <benchmark/benchmark.h>

#include <smem/analyzer.hpp>
#include <smem/gpus.hpp>

namespace smem {
namespace {

/// How bank conflicts are usually counted: node-based containers, per group of lanes.
unsigned wavefronts_by_maps(const GpuSpec& spec, const WarpAccess& access) {
  const LaneGroups groups = lane_groups(spec.rule_of(access), access);
  unsigned sum = 0;
  for (unsigned index = 0; index < groups.count; ++index) {
    std::map<std::uint32_t, std::set<std::uint32_t>> words_of_bank;
    for_each_lane(groups.masks[index], [&](unsigned lane) {
      for (unsigned byte = 0; byte < access.bytes_per_lane; byte += 4) {
        const std::uint32_t word = (access.offsets_bytes[lane] + byte) / 4;
        words_of_bank[word % 32].insert(word);
      }
    });
    std::size_t tallest = 0;
    for (const auto& [bank, words] : words_of_bank) tallest = std::max(tallest, words.size());
    sum += static_cast<unsigned>(tallest);
  }
  return sum;
}

enum class Pattern : std::uint8_t { random, stride, broadcast, paired, half_mask };
constexpr std::array<const char*, 5> kPatternNames = {"random", "stride_33", "broadcast",
                                                      "equal_pairs", "random_half_mask"};
constexpr std::size_t kAccesses = 4096;

std::vector<WarpAccess> accesses(Operation operation, std::uint8_t bytes, Pattern pattern) {
  std::mt19937 random(1);
  const std::uint32_t slots = 49152u / bytes;
  std::uniform_int_distribution<std::uint32_t> any_slot(0, slots - 1);
  std::vector<WarpAccess> result;
  for (std::size_t index = 0; index < kAccesses; ++index) {
    WarpAccess access{operation, bytes, kFullMask, {}};
    if (pattern == Pattern::half_mask) access.active_mask = static_cast<std::uint32_t>(random());
    const std::uint32_t start = any_slot(random);
    for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
      std::uint32_t slot = any_slot(random);
      if (pattern == Pattern::stride) slot = (start + lane * 33) % slots;
      if (pattern == Pattern::broadcast) slot = start;
      if (pattern == Pattern::paired && lane % 2 == 1) {
        access.offsets_bytes[lane] = access.offsets_bytes[lane - 1];
        continue;
      }
      access.offsets_bytes[lane] = slot * bytes;
    }
    result.push_back(access);
  }
  return result;
}

/// Processor time of this thread, so that a busy machine slows neither side of a ratio.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double maps_per_second(const std::vector<WarpAccess>& all) {
  constexpr double kLeastSeconds = 0.03;
  const double start = thread_seconds();
  std::size_t count = 0;
  unsigned sum = 0;
  while (thread_seconds() - start < kLeastSeconds) {
    for (std::size_t index = 0; index < 256; ++index) {
      sum += wavefronts_by_maps(kH200, all[(count + index) % all.size()]);
    }
    count += 256;
  }
  benchmark::DoNotOptimize(sum);
  return static_cast<double>(count) / (thread_seconds() - start);
}

void run(benchmark::State& state, Operation operation, std::uint8_t bytes, Pattern pattern) {
  const std::vector<WarpAccess> all = accesses(operation, bytes, pattern);
  for (const WarpAccess& access : all) {
    if (wavefronts_by_maps(kH200, access) == wavefronts(kH200, access)) continue;
    state.SkipWithError("the two counts differ");
    return;
  }
  const double maps = maps_per_second(all);
  const double start = thread_seconds();
  std::size_t count = 0;
  for (auto _ : state) {
    for (const WarpAccess& access : all) benchmark::DoNotOptimize(analyze(kH200, access));
    count += all.size();
  }
  const double per_second = static_cast<double>(count) / (thread_seconds() - start);
  state.SetItemsProcessed(static_cast<std::int64_t>(count));
  state.counters["maps_per_second"] = maps;
  state.counters["times_maps"] = per_second / maps;
}

void register_all() {
  for (const Operation operation : {Operation::load, Operation::store}) {
    for (unsigned bytes = 1; bytes <= 16; bytes *= 2) {
      for (std::size_t pattern = 0; pattern < kPatternNames.size(); ++pattern) {
        const std::string name = "analyze/" + std::string(operation_name(operation, 4)) + "/" +
                                 std::to_string(bytes * 8) + "_bit/" + kPatternNames[pattern];
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
          run(state, operation, static_cast<std::uint8_t>(bytes), static_cast<Pattern>(pattern));
        });
      }
    }
  }
}

}  // namespace
}  // namespace smem

int main(int argc, char** argv) {
  smem::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
