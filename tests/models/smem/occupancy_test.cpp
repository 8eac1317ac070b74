// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <smem/gpus.hpp>
#include <smem/occupancy.hpp>
#include <smem/tile_plan.hpp>

namespace smem {
namespace {

// A budget of shared memory alone, nothing reserved.
constexpr OccupancyLimits of_64_kib() {
  OccupancyLimits limits;
  limits.shared_memory_per_sm_bytes = 65536;
  limits.shared_memory_per_block_bytes = 65536;
  return limits;
}

// Known answers of tile planning, decided by the compiler.
constexpr TilePlan kTile{32, 32, 32, 4, 1, 0};
static_assert(kTile.shared_memory_bytes() == 8192);
static_assert(blocks_by_shared_memory(of_64_kib(), kTile.shared_memory_bytes()) == 8);
constexpr TilePlan kDoubleBuffered{32, 32, 32, 4, 2, 0};
static_assert(kDoubleBuffered.shared_memory_bytes() == 16384);
static_assert(blocks_by_shared_memory(of_64_kib(), kDoubleBuffered.shared_memory_bytes()) == 4);
constexpr TilePlan kPadded{32, 32, 32, 4, 1, 1};
static_assert(kPadded.padding_bytes() == 128);
static_assert(kPadded.shared_memory_bytes() == 8192 + 128);
static_assert(blocks_by_shared_memory(of_64_kib(), kPadded.shared_memory_bytes()) == 7);
constexpr TilePlan kLarge{128, 128, 128, 4, 1, 0};
static_assert(blocks_by_shared_memory(of_64_kib(), kLarge.shared_memory_bytes()) == 0);

constexpr ReusePlan kReuse{4096, 4, 1, 1};
static_assert(kReuse.global_bytes_without_reuse() == 16384);
static_assert(kReuse.global_bytes_with_reuse() == 4096);
static_assert(kReuse.saved_global_bytes() == 12288);
static_assert(kReuse.shared_write_bytes() == 4096 && kReuse.shared_read_bytes() == 16384);
static_assert(kReuse.sync_points() == 1);
static_assert(ReusePlan{4096, 4, 8, 1}.sync_points() == 15);
static_assert(ReusePlan{4096, 4, 8, 2}.sync_points() == 8);

static_assert(registers_over_budget(80, 64) == 16 && registers_over_budget(64, 64) == 0);

constexpr const OccupancyLimits& kLimits = kH200.occupancy;

TEST(Occupancy, RegistersLimitBlocks) {
  EXPECT_EQ(blocks_by_registers(kLimits, 256, 64), 4u);
  EXPECT_EQ(blocks_by_registers(kLimits, 256, 80), 3u);
  EXPECT_EQ(blocks_by_registers(kLimits, 256, 256), 0u);
  EXPECT_EQ(blocks_by_registers(kLimits, 256, 0), ResidentBlocks::kUnlimited);
}

TEST(Occupancy, RegistersOfAWarpAreRoundedUpToTheAllocationUnit) {
  // 33 registers of 32 lanes are 1056; the unit of 256 makes 1280 of them: 12 warps in each of
  // the four files of 16384.
  EXPECT_EQ(blocks_by_registers(kLimits, 32, 33), 48u);
  EXPECT_EQ(blocks_by_registers(kLimits, 32, 40), 48u);
  EXPECT_EQ(blocks_by_registers(kLimits, 32, 41), 40u);
}

TEST(Occupancy, SharedMemoryIncludesWhatTheGpuReserves) {
  EXPECT_EQ(blocks_by_shared_memory(kLimits, 0), 228u);
  EXPECT_EQ(blocks_by_shared_memory(kLimits, 1), 202u);  // 1024 + 1, rounded up to 1152
  EXPECT_EQ(blocks_by_shared_memory(kLimits, 232448), 1u);
  EXPECT_EQ(blocks_by_shared_memory(kLimits, 232449), 0u);
}

TEST(Occupancy, ThreadsCountAsWholeWarps) {
  EXPECT_EQ(blocks_by_threads(kLimits, 1), 64u);
  EXPECT_EQ(blocks_by_threads(kLimits, 33), 32u);
  EXPECT_EQ(blocks_by_threads(kLimits, 1024), 2u);
  EXPECT_EQ(blocks_by_threads(kLimits, 1025), 0u);
  EXPECT_EQ(blocks_by_threads(kLimits, 0), 0u);
}

TEST(Occupancy, SaysWhatRunsOutFirst) {
  EXPECT_EQ(resident_blocks(kLimits, {256, 32, 65536}).limit(), OccupancyLimit::shared_memory);
  EXPECT_EQ(resident_blocks(kLimits, {256, 32, 65536}).blocks(), 3u);
  EXPECT_EQ(resident_blocks(kLimits, {256, 32, 0}).limit(), OccupancyLimit::threads);
  EXPECT_EQ(resident_blocks(kLimits, {256, 64, 0}).limit(), OccupancyLimit::registers);
  EXPECT_EQ(resident_blocks(kLimits, {32, 32, 0}).limit(), OccupancyLimit::block_slots);
  EXPECT_EQ(resident_blocks(kLimits, {32, 32, 0}).blocks(), 32u);
}

}  // namespace
}  // namespace smem
