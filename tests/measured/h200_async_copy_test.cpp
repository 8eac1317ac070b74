// SPDX-License-Identifier: Apache-2.0
// cp.async on an H200: the rule that needs both sides' addresses, and where the model, which knows
// the shared side only, agrees with it.
#include <array>
#include <charconv>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <sim/config_loader.hpp>
#include <smem/analyzer.hpp>
#include <traces/text_source.hpp>

namespace smem {
namespace {

using Offsets = std::array<std::uint32_t, kLanesPerWarp>;

struct Copy {
  std::string operation;
  WarpAccess shared;
  Offsets global_bytes;
  double hit_wavefronts;
  double hit_bank_conflicts;
};

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

Offsets offsets_of(const std::string& text) {
  Offsets offsets{};
  const std::vector<std::string> numbers = split(text, ' ');
  EXPECT_EQ(numbers.size(), offsets.size());
  for (std::size_t lane = 0; lane < numbers.size(); ++lane) {
    offsets.at(lane) = static_cast<std::uint32_t>(std::stoul(numbers[lane]));
  }
  return offsets;
}

/// The `.ca` rows of a measured file, whose last two columns are the global and shared offsets.
std::vector<Copy> read_copies(const std::string& file) {
  TextSource source(std::string(SMEMSIM_SOURCE_DIR) + "/traces/measured/h200/" + file);
  std::vector<Copy> copies;
  std::string_view view;
  while (source.next_line(view)) {
    const std::string line(view);
    if (!line.starts_with("cp.async.ca")) continue;
    const std::vector<std::string> fields = split(line, ',');
    const auto bytes = static_cast<std::uint8_t>(std::stoul(fields[1]));
    const auto mask = static_cast<std::uint32_t>(std::stoul(fields[2], nullptr, 16));
    copies.push_back({fields[0],
                      {Operation::async_copy, bytes, mask, offsets_of(fields.back())},
                      offsets_of(fields[fields.size() - 2]),
                      std::stod(fields[3]),
                      std::stod(fields[4])});
  }
  return copies;
}

std::set<unsigned> banks_of(std::uint32_t offset_bytes, unsigned bytes) {
  std::set<unsigned> banks;
  for (unsigned word = 0; word < bytes / 4; ++word) banks.insert((offset_bytes / 4 + word) % 32);
  return banks;
}

bool claim(std::set<unsigned>& taken, const std::set<unsigned>& banks) {
  bool free = true;
  for (const unsigned bank : banks) free &= taken.insert(bank).second;
  return free;
}

/// Passes of one group of lanes: in a pass, lanes in order; a lane is served when no lower waiting
/// lane, served or not, claims one of its banks on either side. Equal addresses collide, too.
unsigned passes(const Copy& copy, std::vector<unsigned> waiting) {
  unsigned count = 0;
  for (; !waiting.empty(); ++count) {
    std::set<unsigned> shared_taken, global_taken;
    std::vector<unsigned> left;
    for (const unsigned lane : waiting) {
      const unsigned bytes = copy.shared.bytes_per_lane;
      const bool shared_free =
          claim(shared_taken, banks_of(copy.shared.offsets_bytes[lane], bytes));
      const bool global_free = claim(global_taken, banks_of(copy.global_bytes[lane], bytes));
      if (!shared_free || !global_free) left.push_back(lane);
    }
    waiting = left;
  }
  return count;
}

/// The active lanes of each group of 128 bytes, empty groups left out.
std::vector<std::vector<unsigned>> groups_of(const WarpAccess& access) {
  const unsigned lanes_per_group = std::min(32u, 128u / access.bytes_per_lane);
  std::vector<std::vector<unsigned>> groups;
  for (unsigned first = 0; first < kLanesPerWarp; first += lanes_per_group) {
    std::vector<unsigned> lanes;
    for (unsigned lane = first; lane < first + lanes_per_group; ++lane) {
      if ((access.active_mask >> lane) & 1u) lanes.push_back(lane);
    }
    if (!lanes.empty()) groups.push_back(lanes);
  }
  return groups;
}

/// Means over 1024 copies, the first of which misses.
constexpr double kFirstMissTolerance = 0.05;

void expect_the_rule(const std::string& file, std::size_t rows) {
  const std::vector<Copy> copies = read_copies(file);
  ASSERT_EQ(copies.size(), rows);
  for (std::size_t row = 0; row < copies.size(); ++row) {
    const Copy& copy = copies[row];
    const auto groups = groups_of(copy.shared);
    unsigned wavefronts = 0;
    for (const auto& lanes : groups) wavefronts += passes(copy, lanes);
    EXPECT_NEAR(copy.hit_wavefronts, wavefronts, kFirstMissTolerance) << file << " row " << row;
    EXPECT_NEAR(copy.hit_bank_conflicts, wavefronts - static_cast<double>(groups.size()),
                kFirstMissTolerance)
        << file << " row " << row;
  }
}

TEST(H200AsyncCopy, EveryL1HitFollowsTheRuleOfBothSidesBanks) {
  expect_the_rule("cp_async.csv.zst", 570);
}

TEST(H200AsyncCopy, CopiesMeasuredAfterTheRuleFollowItToo) {
  expect_the_rule("cp_async_hold_out.csv.zst", 570);
}

TEST(H200AsyncCopy, TheModelIsExactWhereNoGroupsGlobalWordsShareABank) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  std::size_t compared = 0;
  for (const char* file : {"cp_async.csv.zst", "cp_async_hold_out.csv.zst"}) {
    for (const Copy& copy : read_copies(file)) {
      bool distinct = true;
      for (const auto& lanes : groups_of(copy.shared)) {
        std::set<unsigned> taken;
        for (const unsigned lane : lanes) {
          distinct &= claim(taken, banks_of(copy.global_bytes[lane], copy.shared.bytes_per_lane));
        }
      }
      if (!distinct) continue;
      ++compared;
      EXPECT_NEAR(copy.hit_wavefronts, analyze(spec, copy.shared).wavefronts, kFirstMissTolerance);
    }
  }
  EXPECT_GT(compared, 400u);
  RecordProperty("compared", static_cast<int>(compared));
}

}  // namespace
}  // namespace smem
