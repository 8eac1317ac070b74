// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <gtest/gtest.h>
#include <tests/support/naive_oracle.hpp>
#include <tests/support/random_access.hpp>

#include <smem/store_outcome.hpp>

namespace smem::test {
namespace {

/// A GPU that stores 16 bytes a lane in quarters, lowest lane of a quarter winning.
constexpr GpuSpec quarters(StoreWinner winner) {
  GpuSpec spec;
  AccessRule& rule = spec.rules[RuleKey{RuleKind::store, 16}.index()];
  rule.supported = true;
  rule.group_count = 4;
  rule.group_masks = {0xffu, 0xff00u, 0xff0000u, 0xff000000u};
  rule.store_winner = winner;
  return spec;
}

constexpr WarpAccess all_lanes_on_one_address() {
  return make_access(Operation::store, 16, [](unsigned) { return 64; });
}

static_assert(store_outcome(quarters(StoreWinner::lowest_lane), all_lanes_on_one_address())
                      .surviving_lanes == 1u << 24,
              "the outcome of a store is known at compile time");

TEST(StoreOutcome, LaterGroupsOverwriteAndTheRuleDecidesInsideAGroup) {
  const WarpAccess access = all_lanes_on_one_address();
  const StoreOutcome lowest = store_outcome(quarters(StoreWinner::lowest_lane), access);
  const StoreOutcome highest = store_outcome(quarters(StoreWinner::highest_lane), access);
  EXPECT_EQ(lowest.surviving_lanes, 1u << 24);
  EXPECT_EQ(highest.surviving_lanes, 1u << 31);
  EXPECT_EQ(lowest.lost_lanes(), ~(1u << 24));
  EXPECT_EQ(lowest.winner_lanes[3], 24);
  EXPECT_EQ(lowest.surviving_bytes(24, 16), 0xffffu);
  EXPECT_EQ(lowest.surviving_bytes(25, 16), 0u);
}

TEST(StoreOutcome, InactiveLanesNeitherWriteNorLose) {
  WarpAccess access = all_lanes_on_one_address();
  access.active_mask = 0x00000110;
  const StoreOutcome outcome = store_outcome(quarters(StoreWinner::lowest_lane), access);
  EXPECT_EQ(outcome.writing_lanes, 0x110u);
  EXPECT_EQ(outcome.surviving_lanes, 0x100u);
}

TEST(StoreOutcome, LoadsAndAdditionsHaveNone) {
  std::mt19937 random(7);
  const GpuSpec spec = random_gpu(random);
  for (const Operation operation :
       {Operation::load, Operation::ldmatrix_x4, Operation::reduction, Operation::atomic_add}) {
    WarpAccess access = all_lanes_on_one_address();
    access.operation = operation;
    EXPECT_EQ(store_outcome(spec, access), StoreOutcome{});
  }
}

// Property: the outcome is what memory holds after writing byte by byte in service order.
// Generator: support/random_access.hpp, 200 random GPUs, 100 accesses each. Seed 20260.
TEST(StoreOutcome, EqualsAMemoryWrittenByteByByteOnRandomGpus) {
  constexpr std::array kOperations = {Operation::store, Operation::stmatrix_x2,
                                      Operation::stmatrix_x4, Operation::atomic_exchange,
                                      Operation::async_copy};
  std::mt19937 random(20260);
  for (unsigned gpu = 0; gpu < 200; ++gpu) {
    const GpuSpec spec = random_gpu(random);
    for (unsigned at = 0; at < 100; ++at) {
      const Operation operation = kOperations[below(random, kOperations.size())];
      const auto bytes = static_cast<std::uint8_t>(1u << below(random, 5));
      const WarpAccess access = random_access(random, operation, bytes, 4096);
      const AccessRule& rule = spec.rule_of(access);
      std::map<std::uint32_t, unsigned> memory;
      for (const NaiveOracle::Lanes& group : NaiveOracle::groups(rule, access)) {
        std::vector<unsigned> order(group.begin(), group.end());
        if (rule.store_winner == StoreWinner::lowest_lane) std::reverse(order.begin(), order.end());
        for (const unsigned lane : order) {
          for (unsigned byte = 0; byte < bytes; ++byte) {
            memory[access.offsets_bytes[lane] + byte] = lane;
          }
        }
      }
      const StoreOutcome outcome = store_outcome(spec, access);
      ASSERT_EQ(outcome.writing_lanes, addressing_lanes(access));
      for_each_lane(outcome.writing_lanes, [&](unsigned lane) {
        for (unsigned byte = 0; byte < bytes; ++byte) {
          const unsigned stays = memory.at(access.offsets_bytes[lane] + byte);
          ASSERT_EQ(stays == lane, (outcome.surviving_bytes(lane, bytes) >> byte & 1u) != 0);
          ASSERT_EQ(stays, outcome.winner_lanes[lane]);
        }
      });
    }
  }
}

}  // namespace
}  // namespace smem::test
