// SPDX-License-Identifier: Apache-2.0
// Accesses per second of BatchAnalyzer, per instruction set, operation, width and pattern. In the
// same run, on the same accesses: sets of words in a map per bank, analyze(), and a read of every
// byte of the accesses. Counters: `ns` an access and `M/s` of the fastest of the iterations (a busy
// machine makes some slower), and how many times faster that is than the fastest of the others.
#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <time.h>
#include <vector>

#include <batch/batch_analyzer.hpp>
#include <benchmark/benchmark.h>
#include <tests/bench/set_per_bank.hpp>

#include <smem/gpus.hpp>

namespace smem::bench {
namespace {

/// Offsets and mask of one access out of random numbers.
using Fill = void (*)(WarpAccess&, std::mt19937&, std::uint32_t slots);

void fill_strided(WarpAccess& access, std::uint32_t start, std::uint32_t stride,
                  std::uint32_t slots) {
  for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
    access.offsets_bytes[lane] = (start + lane * stride) % slots * access.bytes_per_lane;
  }
}

void fill_random(WarpAccess& access, std::mt19937& random, std::uint32_t slots) {
  for (std::uint32_t& offset : access.offsets_bytes) {
    offset = static_cast<std::uint32_t>(random()) % slots * access.bytes_per_lane;
  }
}

void fill_pairs(WarpAccess& access, std::mt19937& random, std::uint32_t slots) {
  fill_random(access, random, slots);
  for (unsigned lane = 1; lane < kLanesPerWarp; lane += 2) {
    access.offsets_bytes[lane] = access.offsets_bytes[lane - 1];
  }
}

struct Pattern {
  const char* name;
  Fill fill;
};

constexpr Pattern kPatterns[] = {
    {"random", fill_random},
    {"stride_1",
     [](WarpAccess& access, std::mt19937& random, std::uint32_t slots) {
       fill_strided(access, static_cast<std::uint32_t>(random()) % slots, 1, slots);
     }},
    {"stride_32",
     [](WarpAccess& access, std::mt19937& random, std::uint32_t slots) {
       fill_strided(access, static_cast<std::uint32_t>(random()) % slots, 32, slots);
     }},
    {"broadcast",
     [](WarpAccess& access, std::mt19937& random, std::uint32_t slots) {
       fill_strided(access, static_cast<std::uint32_t>(random()) % slots, 0, slots);
     }},
    {"random_masks",
     [](WarpAccess& access, std::mt19937& random, std::uint32_t slots) {
       fill_random(access, random, slots);
       access.active_mask = static_cast<std::uint32_t>(random());
     }},
    {"equal_pairs", fill_pairs},
    {"some_pairs",
     [](WarpAccess& access, std::mt19937& random, std::uint32_t slots) {
       (random() % 2 == 0 ? fill_pairs : fill_random)(access, random, slots);
     }},
};

struct OperationWidth {
  Operation operation;
  std::uint8_t bytes;
};

constexpr OperationWidth kOperations[] = {
    {Operation::load, 1},       {Operation::load, 2},       {Operation::load, 4},
    {Operation::load, 8},       {Operation::load, 16},      {Operation::store, 4},
    {Operation::store, 8},      {Operation::store, 16},     {Operation::ldmatrix_x4, 16},
    {Operation::atomic_add, 4}, {Operation::atomic_cas, 4},
};

constexpr OperationWidth kWideLoads[] = {
    {Operation::load, 4}, {Operation::load, 8}, {Operation::load, 16}};

/// The H200 with bank = word ^ row, and with a map that also breaks runs of words up.
GpuSpec xor_gpu() {
  GpuSpec spec = kH200;
  for (unsigned bit = 0; bit < 5; ++bit) spec.bank_map.bank_bit_masks[bit] |= 32u << bit;
  spec.bank_map.bank_bit_masks[3] |= 1u;
  return spec;
}

/// As many accesses as the first-level cache holds, and sixteen times as many.
constexpr std::size_t kCached = 256;
constexpr std::size_t kSecondLevel = 4096;

std::vector<WarpAccess> make_accesses(const OperationWidth& of, const Pattern& pattern,
                                      std::size_t count) {
  std::mt19937 random(1);
  std::vector<WarpAccess> result;
  for (std::size_t index = 0; index < count; ++index) {
    WarpAccess access{of.operation, of.bytes, kFullMask, {}};
    pattern.fill(access, random, kH200.shared_window_bytes / of.bytes);
    result.push_back(access);
  }
  return result;
}

double thread_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

/// Processor time of this thread for `work`, in nanoseconds an access.
double timed(const std::function<void()>& work, std::size_t accesses) {
  const double start = thread_ns();
  work();
  return (thread_ns() - start) / static_cast<double>(accesses);
}

double best_of(unsigned tries, const std::function<void()>& work, std::size_t accesses) {
  double best = timed(work, accesses);
  for (unsigned again = 1; again < tries; ++again) best = std::min(best, timed(work, accesses));
  return best;
}

/// What BatchAnalyzer is compared with, in nanoseconds an access.
struct Others {
  double maps_ns = 0;
  double scalar_ns = 0;
  double read_ns = 0;
};

Others measure_others(const GpuSpec& spec, const std::vector<WarpAccess>& all) {
  Others others;
  others.maps_ns = best_of(
      5,
      [&] {
        unsigned sum = 0;
        for (std::size_t index = 0; index < kCached; ++index) {
          sum += wavefronts_by_maps(spec, all[index]);
        }
        benchmark::DoNotOptimize(sum);
      },
      kCached);
  others.scalar_ns = best_of(
      20,
      [&] {
        for (const WarpAccess& access : all) benchmark::DoNotOptimize(analyze(spec, access));
      },
      all.size());
  constexpr unsigned kReads = 16;
  others.read_ns = best_of(
      20,
      [&] {
        for (unsigned again = 0; again < kReads; ++again) {
          const auto* const bytes = reinterpret_cast<const unsigned char*>(all.data());
          unsigned sum = 0;
          for (std::size_t index = 0; index < all.size() * sizeof all[0]; ++index)
            sum += bytes[index];
          benchmark::DoNotOptimize(sum);
        }
      },
      all.size() * kReads);
  return others;
}

void run(benchmark::State& state, const GpuSpec& spec, const std::vector<WarpAccess>& all,
         const Others& others, InstructionSet set) {
  const BatchAnalyzer analyzer(spec, set);
  std::vector<AccessCost> costs(all.size());
  analyzer.analyze(all, costs);
  for (std::size_t index = 0; index < all.size(); ++index) {
    if (costs[index] == analyze(spec, all[index]) &&
        costs[index].wavefronts == wavefronts_by_maps(spec, all[index])) {
      continue;
    }
    state.SkipWithError("the counts differ");
    return;
  }
  const std::size_t batches = set == InstructionSet::scalar ? 1 : 16384 / all.size();
  double best_ns = 1e9;
  for (auto _ : state) {
    best_ns = std::min(best_ns, timed(
                                    [&] {
                                      for (std::size_t batch = 0; batch < batches; ++batch) {
                                        analyzer.analyze(all, costs);
                                        benchmark::DoNotOptimize(costs.data());
                                        benchmark::ClobberMemory();
                                      }
                                    },
                                    batches * all.size()));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batches * all.size()));
  state.counters["ns"] = best_ns;
  state.counters["M/s"] = 1e3 / best_ns;
  state.counters["times_maps"] = others.maps_ns / best_ns;
  state.counters["times_scalar"] = others.scalar_ns / best_ns;
  state.counters["times_read"] = others.read_ns / best_ns;
}

using MakeAccesses = std::function<std::vector<WarpAccess>()>;

void register_one(const std::string& name, const GpuSpec& spec, const MakeAccesses& make) {
  for (const InstructionSet set : kInstructionSets) {
    if (!is_available(set)) continue;
    const std::string full = "count/" + std::string(name_of(set)) + "/" + name;
    benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& state) {
      const std::vector<WarpAccess> all = make();
      static std::map<std::string, Others> measured;
      if (!measured.contains(name)) measured[name] = measure_others(spec, all);
      run(state, spec, all, measured[name], set);
    })->MinTime(0.05);
  }
}

void register_pattern(const std::string& group, const GpuSpec& spec, const OperationWidth& of,
                      const Pattern& pattern, std::size_t count) {
  const std::string operation(operation_name(of.operation, of.bytes));
  register_one(
      group + "/" + operation + "/" + std::to_string(of.bytes * 8) + "_bit/" + pattern.name, spec,
      [=] { return make_accesses(of, pattern, count); });
}

/// Every access of another operation and width than the one before.
std::vector<WarpAccess> make_mixed() {
  std::mt19937 random(1);
  std::vector<WarpAccess> result;
  while (result.size() < kCached) {
    const OperationWidth& of = kOperations[result.size() % std::size(kOperations)];
    WarpAccess access{of.operation, of.bytes, kFullMask, {}};
    fill_random(access, random, kH200.shared_window_bytes / of.bytes);
    result.push_back(access);
  }
  return result;
}

bool register_all() {
  for (const OperationWidth& of : kOperations) {
    for (const Pattern& pattern : kPatterns) register_pattern("h200", kH200, of, pattern, kCached);
  }
  register_one("h200/mixed/random", kH200, make_mixed);
  for (const OperationWidth& load : kWideLoads) {
    register_pattern("h200_second_level_cache", kH200, load, kPatterns[0], kSecondLevel);
    for (const Pattern& pattern : kPatterns) {
      register_pattern("xor_map", xor_gpu(), load, pattern, kCached);
    }
  }
  return true;
}

const bool kRegistered = register_all();

}  // namespace
}  // namespace smem::bench
