// SPDX-License-Identifier: Apache-2.0
// Steady state of the clock, 16 warps issuing one access over and over, against an H200.
#include <algorithm>
#include <cmath>

#include <clock/gpu_timings.hpp>
#include <clock/make_instruction.hpp>
#include <clock/simulate.hpp>
#include <gtest/gtest.h>

#include <sim/config/config_loader.hpp>
#include <traces/text/access_list_reader.hpp>

namespace smem {
namespace {

constexpr std::uint32_t kWarps = 16;
constexpr std::uint32_t kShort = 60;
constexpr std::uint32_t kLong = 120;

/// One block of 16 warps, four a sub-partition, that all issue `instruction` `repeats` times.
class Saturation : public clock::BlockSource {
 public:
  Saturation(clock::Instruction instruction, std::uint32_t repeats) {
    instruction.repeats = repeats;
    const auto program = std::make_shared<const std::vector<clock::Instruction>>(1, instruction);
    for (std::uint32_t warp = 0; warp < kWarps; ++warp) block_.warps.push_back({warp, program});
  }
  const clock::Block* next() override { return std::exchange(given_, true) ? nullptr : &block_; }

 private:
  clock::Block block_;
  bool given_ = false;
};

/// Extra cycles per extra instruction.
double cycles_per_inst(const GpuSpec& spec, const WarpAccess& access) {
  const clock::Instruction instruction = clock::make_instruction(access, analyze(spec, access));
  Saturation shorter(instruction, kShort);
  Saturation longer(instruction, kLong);
  const auto first = static_cast<double>(clock::simulate(clock::kH200Timing, shorter).total_cycles);
  const auto second = static_cast<double>(clock::simulate(clock::kH200Timing, longer).total_cycles);
  return (second - first) / (kWarps * (kLong - kShort));
}

/// How a set of rows compares.
struct Comparison {
  std::size_t rows = 0;
  std::size_t within_two_percent = 0;
  double largest_percent = 0;
  double largest_cycles = 0;
  double most_faster_percent = 0;  ///< how much faster than simulated was measured, at most

  void add(double simulated, double measured) {
    const double percent = 100 * std::abs(simulated - measured) / measured;
    ++rows;
    within_two_percent += percent <= 2 ? 1u : 0u;
    largest_percent = std::max(largest_percent, percent);
    most_faster_percent = std::max(most_faster_percent, 100 * (simulated - measured) / measured);
    largest_cycles = std::max(largest_cycles, std::abs(simulated - measured));
  }
};

/// All rows of a file, those of one cycle apart.
struct Comparisons {
  Comparison of_one_cycle;
  Comparison others;
};

Comparisons compare_all(const std::string& file) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  AccessListReader reader(
      TextSource(std::string(SMEMSIM_SOURCE_DIR) + "/traces/measured/h200/" + file), spec);
  std::vector<TraceRecord> records(256);
  Comparisons comparisons;
  while (const std::size_t count = reader.read(records)) {
    for (std::size_t index = 0; index < count; ++index) {
      const WarpAccess& access = records[index].access;
      const bool is_one_cycle = analyze(spec, access).cycles_per_inst() == 1;
      (is_one_cycle ? comparisons.of_one_cycle : comparisons.others)
          .add(cycles_per_inst(spec, access), reader.measured()[index].cycles_per_inst.value());
    }
  }
  for (const auto& [name, part] :
       {std::pair{"one_cycle", comparisons.of_one_cycle}, {"others", comparisons.others}}) {
    ::testing::Test::RecordProperty(std::string(name) + "_rows", std::to_string(part.rows));
    ::testing::Test::RecordProperty(std::string(name) + "_within_two_percent",
                                    std::to_string(part.within_two_percent));
    ::testing::Test::RecordProperty(std::string(name) + "_largest_percent",
                                    std::to_string(part.largest_percent));
  }
  EXPECT_EQ(comparisons.of_one_cycle.rows + comparisons.others.rows, 3000u);
  return comparisons;
}

// Recorded loads of one wavefront and one transfer cycle take 0.94 to 0.99 cycles, which a data
// stage of one wavefront a cycle cannot do: those rows may differ by 6 %. All others are within 2
// %.
TEST(H200ClockThroughput, All3000AccessesInSteadyStateTakeTheMeasuredCycles) {
  const auto [of_one_cycle, others] = compare_all("steady_state/throughput.csv");
  EXPECT_EQ(others.within_two_percent, others.rows);
  EXPECT_LE(others.largest_cycles, 0.06);
  EXPECT_GE(of_one_cycle.within_two_percent, 640u);
  EXPECT_LE(of_one_cycle.largest_cycles, 0.06);
}

// The same accesses over longer runs: none takes 2 % less than the clock says, those loads
// included. What takes more is one cycle among 16 warps that do not share the data stage evenly.
TEST(H200ClockThroughput, MeasuredOnceMoreNoneIsFasterThanTheClock) {
  const auto [of_one_cycle, others] = compare_all("steady_state/throughput_again.csv.zst");
  EXPECT_LE(of_one_cycle.most_faster_percent, 2);
  EXPECT_LE(others.most_faster_percent, 2);
  EXPECT_GE(of_one_cycle.within_two_percent + others.within_two_percent, 2900u);
  EXPECT_LE(of_one_cycle.largest_cycles, 0.09);
}

}  // namespace
}  // namespace smem
