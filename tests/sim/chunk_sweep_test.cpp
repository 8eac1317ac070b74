// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include <sim/count/chunk_sweep.hpp>
#include <smem/gpus.hpp>
#include <traces/trace_reader.hpp>

namespace smem {
namespace {

const ChunkCounter& counter() {
  static const ChunkCounter counter(kH200);
  return counter;
}

double ways(const ChunkLayout& layout) {
  return counter().cost(layout).ways();
}

// Published for the H200: fp32, chunk 64, one column a width, by gcd(S, 32). Where the stride does
// not align the width, narrower instructions take its place and meet no conflict either.
TEST(ChunkSweep, GivesThePublishedFormulaColumnsOfFp32Chunk64) {
  struct Row {
    std::uint32_t gcd;
    std::int64_t pad;
    std::array<double, 3> ways;  // of 4, 8 and 16 bytes
    std::array<std::uint32_t, 3> issued_bytes;
  };
  const std::array<Row, 6> rows = {{{1, 1, {1, 1, 1}, {4, 4, 4}},
                                    {2, 2, {2, 1, 1}, {4, 8, 8}},
                                    {4, 4, {4, 2, 1}, {4, 8, 16}},
                                    {8, 8, {8, 4, 2}, {4, 8, 16}},
                                    {16, 16, {16, 8, 4}, {4, 8, 16}},
                                    {32, 0, {32, 16, 8}, {4, 8, 16}}}};
  for (const Row& row : rows) {
    for (std::size_t index = 0; index < 3; ++index) {
      const ChunkLayout layout{64, row.pad, 4, std::int64_t{4} << index, 128, Operation::load};
      const ChunkCost cost = counter().cost(layout);
      EXPECT_EQ(stride_gcd(kH200, layout), row.gcd);
      EXPECT_EQ(cost.ways(), row.ways[index]) << "gcd " << row.gcd << ", column " << index;
      EXPECT_EQ(cost.issued_width_bytes, row.issued_bytes[index]);
      EXPECT_EQ(cost.aligned, row.issued_bytes[index] == layout.width_bytes);
    }
  }
}

// Published for the H200: fp16, one 2-byte load and store an element.
TEST(ChunkSweep, GivesThePublishedWaysOfFp16SerialScans) {
  struct Row {
    std::int64_t chunk;
    std::int64_t threads;
    std::array<double, 5> ways;  // pads 0, 2, 4, 8, 16
  };
  constexpr std::array<std::int64_t, 5> kPads = {0, 2, 4, 8, 16};
  const std::array<Row, 4> rows = {{{16, 256, {8, 1, 2, 4, 16}},
                                    {32, 128, {16, 1, 2, 4, 8}},
                                    {64, 64, {32, 1, 2, 4, 8}},
                                    {128, 32, {32, 1, 2, 4, 8}}}};
  for (const Row& row : rows) {
    for (std::size_t index = 0; index < kPads.size(); ++index) {
      for (const Operation operation : {Operation::load, Operation::store}) {
        EXPECT_EQ(ways({row.chunk, kPads[index], 2, 2, row.threads, operation}), row.ways[index])
            << "chunk " << row.chunk << " pad " << kPads[index];
      }
    }
  }
}

// Published for the H200: bf16, chunk 56, LDS.64: pad 8 is 16-way at S = 32, pad 16 2-way at S
// = 36.
TEST(ChunkSweep, GivesThePublishedWaysOfBf16Chunk56) {
  EXPECT_EQ(ways({56, 8, 2, 8, 64, Operation::load}), 16);
  EXPECT_EQ(ways({56, 16, 2, 8, 64, Operation::load}), 2);
}

// Published: gcd(S, 32) of 2-byte elements with 16 and with 32 bytes of pad.
TEST(PublishedPad, TakesTheSmallerGcdOfOneAndTwoTimes16Bytes) {
  struct Row {
    std::int64_t chunk;
    std::uint32_t gcd_of_16;
    std::uint32_t gcd_of_32;
  };
  for (const Row& row :
       {Row{32, 4, 8}, Row{56, 32, 4}, Row{64, 4, 8}, Row{72, 8, 4}, Row{128, 4, 8}}) {
    EXPECT_EQ(stride_gcd(kH200, {row.chunk, 8, 2, 8, 32, Operation::load}), row.gcd_of_16);
    EXPECT_EQ(stride_gcd(kH200, {row.chunk, 16, 2, 8, 32, Operation::load}), row.gcd_of_32);
    const PadChoice choice = counter().published_pad({row.chunk, 0, 2, 8, 32, Operation::load});
    EXPECT_EQ(choice.pad, row.gcd_of_16 <= row.gcd_of_32 ? 8 : 16) << row.chunk;
  }
}

// Property: the best pad of 4-byte elements is the smallest one that makes S an odd multiple of the
// width's words, which meets no conflict at the full width. All chunks to 130, all widths.
TEST(BestPad, IsTheSmallestThatMakesTheStrideAnOddMultipleOfTheWidth) {
  for (std::int64_t chunk = 4; chunk <= 130; ++chunk) {
    for (const std::int64_t words : {1, 2, 4}) {
      std::int64_t expected = 0;
      while ((chunk + expected) % words != 0 || (chunk + expected) / words % 2 == 0) ++expected;
      const auto best = counter().best_pad({chunk, 0, 4, 4 * words, 32, Operation::load});
      ASSERT_TRUE(best.has_value());
      EXPECT_EQ(best->pad, expected) << "chunk " << chunk << ", words " << words;
      EXPECT_EQ(best->cost.ways(), 1);
    }
  }
}

TEST(BestPad, IsNoneWhenNoPadFitsSharedMemory) {
  EXPECT_FALSE(counter().best_pad({1000, 0, 4, 4, 1024, Operation::load}).has_value());
}

/// Wavefronts of one 2-byte element of every thread of a warp: the most distinct words on a bank.
std::size_t naive_wavefronts(std::uint64_t stride_bytes, std::uint64_t offset_bytes) {
  std::map<std::uint64_t, std::set<std::uint64_t>> words_of_bank;
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    const std::uint64_t word = (lane * stride_bytes + offset_bytes) / 4;
    words_of_bank[word % 32].insert(word);
  }
  std::size_t tallest = 0;
  for (const auto& [bank, words] : words_of_bank) tallest = std::max(tallest, words.size());
  return tallest;
}

// Property: for random chunks and pads of 2-byte elements with an odd sum, where S is no whole
// number of words, wavefronts are what the byte addresses give, element by element.
TEST(ChunkSweep, CountsOddTwoByteChunksFromByteAddresses) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const std::int64_t chunk = 1 + static_cast<std::int64_t>(random() % 150);
    const std::int64_t pad = 2 * static_cast<std::int64_t>(random() % 20) + (chunk % 2 == 0);
    const ChunkLayout layout{chunk, pad, 2, 2, 64, Operation::load};
    std::size_t sum = 0;
    for (std::int64_t element = 0; element < chunk; ++element) {
      sum += naive_wavefronts(layout.stride_bytes(), static_cast<std::uint64_t>(2 * element));
    }
    EXPECT_FALSE(stride_gcd(kH200, layout).has_value());
    EXPECT_NEAR(counter().cost(layout).wavefronts,
                static_cast<double>(sum) / static_cast<double>(chunk), 1e-9)
        << "chunk " << chunk << " pad " << pad;
  }
}

TEST(ChunkSweep, ConflictFreeLoadsMove128BytesACycle) {
  for (const std::int64_t width : {4, 8, 16}) {
    const std::int64_t words = width / 4;
    const ChunkCost cost = counter().cost({64, words, 4, width, 128, Operation::load});
    EXPECT_EQ(cost.cycles_per_access, static_cast<double>(words));
    EXPECT_EQ(cost.bytes_per_cycle, 128);
  }
}

TEST(ChunkSweep, AHalfWarpCountsItsOwnMinimum) {
  const ChunkCost cost = counter().cost({32, 2, 4, 8, 16, Operation::store});
  EXPECT_EQ(cost.least_wavefronts, 1);
  EXPECT_EQ(cost.ways(), 1);
}

TEST(ChunkSweep, SaysWhenTheChunksDoNotFit) {
  const ChunkCost cost = counter().cost({1000, 0, 4, 4, 128, Operation::load});
  EXPECT_FALSE(cost.fits);
  EXPECT_EQ(cost.shared_memory_bytes, 512000u);
}

TEST(ChunkSweep, RefusesValuesOutOfRange) {
  EXPECT_THROW((void)counter().cost({-1, 0, 4, 4, 128, Operation::load}), TraceError);
  EXPECT_THROW((void)counter().cost({32, -1, 4, 4, 128, Operation::load}), TraceError);
  EXPECT_THROW((void)counter().cost({32, 0, 4, 3, 128, Operation::load}), TraceError);
  EXPECT_THROW((void)counter().cost({32, 0, 4, 4, 1025, Operation::load}), TraceError);
}

}  // namespace
}  // namespace smem
