// SPDX-License-Identifier: Apache-2.0
// Modules that are due in one cycle may step in any order: in that of their construction, or any
// other that the model is told to.
#include <algorithm>
#include <numeric>
#include <random>
#include <sstream>

#include <clock/gpu_timings.hpp>
#include <gtest/gtest.h>
#include <tests/support/child_process.hpp>
#include <tests/support/clocked_history.hpp>
#include <tests/support/random_blocks.hpp>

namespace smem {
namespace {

constexpr std::size_t kStreams = 12;
constexpr std::size_t kPermutations = 60;

struct Stream {
  clock::TimingSpec timing;
  std::vector<clock::Block> blocks;
};

/// Half of them under the H200's numbers. Seed 21.
std::vector<Stream> streams() {
  std::mt19937 random(21);
  const clock::TimingSpec h200 = clock::kH200Timing;
  std::vector<Stream> result;
  for (std::size_t index = 0; index < kStreams; ++index) {
    const clock::TimingSpec timing = test::random_timing(random);
    result.push_back({index % 2 == 0 ? h200 : timing, test::random_blocks(random, {})});
  }
  return result;
}

/// What a model that steps in `order` makes of the streams: the first difference from the
/// reference.
std::string difference_in_order(const std::vector<std::size_t>& order,
                                const std::vector<Stream>& all,
                                const std::vector<test::History>& expected) {
  // Never freed: SystemC's kernel outlives no module.
  static auto* const model = new clock::StreamingMultiprocessor("sm", order);
  for (std::size_t index = 0; index < all.size(); ++index) {
    const std::string found = test::difference(
        expected[index], test::clocked_history(*model, all[index].timing, all[index].blocks));
    if (!found.empty()) return "stream " + std::to_string(index) + ": " + found;
  }
  return "same";
}

std::string text_of(const std::vector<std::size_t>& order) {
  std::ostringstream text;
  for (const std::size_t module : order) text << module << ' ';
  return text.str();
}

TEST(ClockStepOrder, SixtyOrdersOfStepsGiveTheSameStamps) {
  const std::vector<Stream> all = streams();
  std::vector<test::History> expected;
  expected.reserve(all.size());
  for (const Stream& stream : all) {
    expected.push_back(test::reference_clock(stream.timing, stream.blocks));
  }
  std::vector<std::size_t> order(clock::StreamingMultiprocessor::kClockedModules);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(22);
  for (std::size_t count = 0; count < kPermutations; ++count) {
    EXPECT_EQ(test::in_child([&] { return difference_in_order(order, all, expected); }), "same")
        << "order " << text_of(order);
    if (count == 0) {
      std::reverse(order.begin(), order.end());
    } else {
      std::shuffle(order.begin(), order.end(), random);
    }
  }
}

}  // namespace
}  // namespace smem
