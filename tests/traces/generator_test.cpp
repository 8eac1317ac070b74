// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <smem/analyzer.hpp>
#include <smem/gpus.hpp>
#include <smem/swizzle.hpp>
#include <smem/tally.hpp>
#include <traces/generators/generator_spec.hpp>

namespace smem {
namespace {

std::vector<TraceRecord> records_of(const std::string& spec, std::size_t batch = 1024) {
  const std::unique_ptr<TraceReader> reader = make_generator(spec, kH200);
  std::vector<TraceRecord> all;
  std::vector<TraceRecord> some(batch);
  while (const std::size_t count = reader->read(some)) {
    all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return all;
}

std::string error_of(const std::string& spec) {
  try {
    records_of(spec);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "no error";
}

std::map<Operation, Tally> tallies_of(const std::string& spec) {
  std::map<Operation, Tally> tallies;
  for (const TraceRecord& record : records_of(spec)) {
    if (record.access.operation == Operation::barrier) continue;
    tallies[record.access.operation].add(analyze(kH200, record.access), record.count);
  }
  return tallies;
}

std::vector<std::uint32_t> active_offsets(const WarpAccess& access) {
  std::vector<std::uint32_t> offsets;
  for_each_lane(access.active_mask,
                [&](unsigned lane) { offsets.push_back(access.offsets_bytes[lane]); });
  return offsets;
}

// Published counters (Nsight Compute, compute capability 8.6): grid 4x4x16, block 8x8x8, one input
// channel, 28x28 image.
TEST(ConvGenerator, GivesThePublishedCountersOfKernelSize5) {
  auto tallies = tallies_of("conv:kernel=5,image=28,channels=1");
  EXPECT_EQ(tallies[Operation::load].instructions, 89600u);
  EXPECT_EQ(tallies[Operation::load].bank_conflicts, 67200u);
  EXPECT_EQ(tallies[Operation::store].instructions, 12288u);
  EXPECT_EQ(tallies[Operation::store].bank_conflicts, 6144u);
}

TEST(ConvGenerator, GivesThePublishedCountersOfKernelSize3) {
  auto tallies = tallies_of("conv:kernel=3,image=28,channels=1");
  EXPECT_EQ(tallies[Operation::load].instructions, 32256u);
  EXPECT_EQ(tallies[Operation::load].bank_conflicts, 32256u);
  EXPECT_EQ(tallies[Operation::store].instructions, 12288u);
  EXPECT_EQ(tallies[Operation::store].bank_conflicts, 4096u);
}

// Nsight Compute on two kernels on an H200: three channels, a 32x32 image, stores by z 0 alone,
// dynamic shared memory from byte 1024.
TEST(ConvGenerator, GivesTheMeasuredCountersOfConv5) {
  auto tallies = tallies_of("conv:kernel=5,image=32,channels=3,storing_layers=1,base=1024");
  EXPECT_EQ(tallies[Operation::load].instructions, 307200u);
  EXPECT_EQ(tallies[Operation::load].wavefronts, 614400u);
  EXPECT_EQ(tallies[Operation::load].bank_conflicts, 307200u);
  EXPECT_EQ(tallies[Operation::store].instructions, 4608u);
  EXPECT_EQ(tallies[Operation::store].wavefronts, 6912u);
  EXPECT_EQ(tallies[Operation::store].bank_conflicts, 2304u);
}

TEST(ConvGenerator, GivesTheMeasuredCountersOfConv3) {
  auto tallies = tallies_of("conv:kernel=3,image=32,channels=3,storing_layers=1,base=1024");
  EXPECT_EQ(tallies[Operation::load].instructions, 110592u);
  EXPECT_EQ(tallies[Operation::load].wavefronts, 221184u);
  EXPECT_EQ(tallies[Operation::load].bank_conflicts, 110592u);
  EXPECT_EQ(tallies[Operation::store].instructions, 4608u);
  EXPECT_EQ(tallies[Operation::store].wavefronts, 6144u);
  EXPECT_EQ(tallies[Operation::store].bank_conflicts, 1536u);
}

TEST(ConvGenerator, PadsTileRows) {
  // Rows 16 words apart and 4 rows of 8 lanes: rows 0 and 2 share banks. 8 words apart: none do.
  auto with_pad = tallies_of("conv:kernel=1,image=32,pad=8,grid_x=1,grid_y=1,grid_z=1");
  EXPECT_EQ(with_pad[Operation::load].bank_conflicts, with_pad[Operation::load].instructions);
  auto without = tallies_of("conv:kernel=1,image=32,pad=0,grid_x=1,grid_y=1,grid_z=1");
  EXPECT_EQ(without[Operation::load].bank_conflicts, 0u);
}

// Property: a full warp whose lanes are S words apart and access w = 1, 2 or 4 words each, S >= w,
// needs w * max(1, gcd(S, 32) / w) wavefronts. S must be a multiple of w: at any other stride
// some lane is misaligned and the width cannot be issued (next test). Loads and stores.
TEST(StrideGenerator, NeedsTheGcdFormulasWavefrontsOnFullWarps) {
  std::mt19937 random(20240117);
  std::uniform_int_distribution<std::uint32_t> factor(1, 1800);
  for (int round = 0; round < 6000; ++round) {
    const std::uint32_t words = 1u << (random() % 3);
    const std::uint32_t stride = factor(random) / words * words + words;
    const std::string spec = "stride:words=" + std::to_string(stride) +
                             ",width=" + std::to_string(4 * words) +
                             (random() % 2 != 0 ? ",op=st" : ",op=ld");
    const std::vector<TraceRecord> records = records_of(spec);
    ASSERT_EQ(records.size(), 1u);
    const std::uint32_t formula = words * std::max(1u, std::gcd(stride, 32u) / words);
    ASSERT_EQ(wavefronts(kH200, records[0].access), formula) << spec;
  }
}

TEST(StrideGenerator, RefusesAStrideThatMisalignsALane) {
  EXPECT_EQ(error_of("stride:words=33,width=8"),
            "stride:words=33,width=8: expected addresses that are multiples of 8, found 132 in "
            "lane 1");
}

TEST(StrideGenerator, RepeatsForEveryWarpAndBlock) {
  const auto records = records_of("stride:words=2,lanes=3,repeat=2,warps=2,blocks=3,base=64", 5);
  ASSERT_EQ(records.size(), 12u);
  EXPECT_EQ(records[0].access.active_mask, 7u);
  EXPECT_EQ(active_offsets(records[11].access), (std::vector<std::uint32_t>{64, 72, 80}));
  EXPECT_EQ(records[11].block, 2u);
  EXPECT_EQ(records[11].warp, 1u);
  EXPECT_EQ(records[11].pc, 16u);
}

TEST(ChunkGenerator, WalksAThreadsChunkAndEndsItWithNarrowerInstructions) {
  const auto records =
      records_of("chunk:chunk=7,pad=1,element_bytes=4,width=16,threads=34");  // 28 bytes of 32
  ASSERT_EQ(records.size(), 6u);
  const std::vector<std::pair<unsigned, std::uint32_t>> expected = {{16, 0}, {8, 16}, {4, 24}};
  for (std::size_t index = 0; index < records.size(); ++index) {
    const auto [bytes, offset] = expected[index % 3];
    const std::uint32_t warp = index < 3 ? 0 : 1;
    EXPECT_EQ(records[index].warp, warp);
    EXPECT_EQ(records[index].access.bytes_per_lane, bytes);
    EXPECT_EQ(records[index].access.active_mask, warp == 0 ? kFullMask : 3u);
    EXPECT_EQ(records[index].access.offsets_bytes[1], (32 * warp + 1) * 32 + offset);
  }
}

TEST(ChunkGenerator, LoadsThenStoresEveryElementOfAnInPlaceScan) {
  const auto records = records_of("chunk:chunk=2,element_bytes=2,width=2,threads=32,op=both");
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].access.operation, Operation::load);
  EXPECT_EQ(records[1].access.operation, Operation::store);
  EXPECT_EQ(records[1].access.offsets_bytes, records[0].access.offsets_bytes);
  EXPECT_EQ(records[2].access.offsets_bytes[31], 31u * 4 + 2);
  std::set<std::uint64_t> sites;
  for (const TraceRecord& record : records) sites.insert(record.pc);
  EXPECT_EQ(sites.size(), 4u);
}

TEST(TransposeGenerator, ConflictsOnTheColumnLoadUnlessRowsArePadded) {
  auto plain = tallies_of("transpose:tile=32,rows=8");
  EXPECT_EQ(plain[Operation::store].wavefronts, 32u);
  EXPECT_EQ(plain[Operation::load].wavefronts, 32u * 32);
  auto padded = tallies_of("transpose:tile=32,rows=8,pad=1");
  EXPECT_EQ(padded[Operation::load].wavefronts, 32u);
}

TEST(TransposeGenerator, StoresTheWholeTileThenLoadsItAcrossOneBarrier) {
  std::map<std::uint32_t, std::vector<Operation>> order;
  std::multiset<std::uint32_t> stored;
  std::multiset<std::uint32_t> loaded;
  for (const TraceRecord& record : records_of("transpose:tile=24,rows=4,element_bytes=2")) {
    order[record.warp].push_back(record.access.operation);
    if (record.access.operation == Operation::barrier) continue;
    auto& into = record.access.operation == Operation::store ? stored : loaded;
    for (const std::uint32_t offset : active_offsets(record.access)) into.insert(offset);
  }
  ASSERT_EQ(order.size(), 3u);
  for (const auto& [warp, operations] : order) {
    ASSERT_EQ(operations.size(), 13u);
    for (std::size_t index = 0; index < 13; ++index) {
      EXPECT_EQ(operations[index], index < 6    ? Operation::store
                                   : index == 6 ? Operation::barrier
                                                : Operation::load);
    }
  }
  std::multiset<std::uint32_t> all;
  for (std::uint32_t element = 0; element < 24 * 24; ++element) all.insert(2 * element);
  EXPECT_EQ(stored, all);
  EXPECT_EQ(loaded, all);
}

/// Byte offsets all lanes of all records start at, with repetitions.
std::multiset<std::uint32_t> touched(const std::string& spec) {
  std::multiset<std::uint32_t> offsets;
  for (const TraceRecord& record : records_of(spec)) {
    for (const std::uint32_t offset : active_offsets(record.access)) offsets.insert(offset);
  }
  return offsets;
}

TEST(TileGenerator, TouchesEveryVectorOfTheTileOnceInEitherOrder) {
  std::multiset<std::uint32_t> expected;
  for (std::uint32_t row = 0; row < 11; ++row) {
    for (std::uint32_t column = 0; column < 24; column += 2) {
      expected.insert(512 + (row * 28 + column) * 4);
    }
  }
  const std::string shape =
      "tile:rows=11,columns=24,pad=4,width=8,base=512,threads_x=8,threads_y=5";
  EXPECT_EQ(touched(shape + ",order=row"), expected);
  EXPECT_EQ(touched(shape + ",order=column"), expected);
}

TEST(TileGenerator, ColumnOrderOfA32WideTileMeets32WayConflicts) {
  EXPECT_EQ(tallies_of("tile:order=column")[Operation::load].wavefronts, 32u * 32);
  EXPECT_EQ(tallies_of("tile:order=column,pad=1")[Operation::load].wavefronts, 32u);
  EXPECT_EQ(tallies_of("tile:order=row")[Operation::load].wavefronts, 32u);
}

TEST(SwizzleGenerator, XorRemovesColumnConflictsWithoutPadding) {
  EXPECT_EQ(tallies_of("swizzle:kind=xor,order=column")[Operation::load].wavefronts, 32u);
  EXPECT_EQ(tallies_of("swizzle:kind=xor,order=row")[Operation::load].wavefronts, 32u);
}

// A 64-column half tile swizzled <3,3,3> (128-byte rows of eight 16-byte vectors): 16-byte loads
// down a column need their four wavefronts and no more; unswizzled, 8 lanes meet in 4 banks.
TEST(SwizzleGenerator, CuteSwizzle333ServesHalfTilesInBothDirections) {
  const std::string shape = "rows=32,columns=64,element_bytes=2,width=16,order=column";
  EXPECT_EQ(tallies_of("swizzle:kind=cute,bits=3,least_bit=3,shift=3," + shape)[Operation::load]
                .bank_conflicts,
            0u);
  EXPECT_EQ(tallies_of("tile:" + shape)[Operation::load].wavefronts, 8u * 32);
}

TEST(SwizzleGenerator, UnitByteCountsBytes) {
  const std::string shape = "rows=32,columns=64,element_bytes=2,width=16,order=column";
  EXPECT_EQ(touched("swizzle:kind=cute,bits=3,least_bit=4,shift=3,unit=byte," + shape),
            touched("swizzle:kind=cute,bits=3,least_bit=3,shift=3," + shape));
}

TEST(SwizzleGenerator, TouchesTheSameBytesAsThePlainTile) {
  for (const char* kind : {"kind=xor", "kind=cute,bits=2,least_bit=2,shift=3",
                           "kind=cute,bits=2,least_bit=2,shift=-3", "kind=cute,bits=0"}) {
    const std::string shape = "rows=64,columns=32,width=16,threads_x=8,threads_y=16";
    EXPECT_EQ(touched("swizzle:" + shape + "," + kind), touched("tile:" + shape)) << kind;
  }
}

// The bit fields by hand. <2,3,3>: bits 6-7 go into bits 3-4.
static_assert(Swizzle{2, 3, 3}(0b0000'0000) == 0b0000'0000);
static_assert(Swizzle{2, 3, 3}(0b0100'0000) == 0b0100'1000);
static_assert(Swizzle{2, 3, 3}(0b1100'1101) == 0b1101'0101);
static_assert(Swizzle{2, 3, 3}(0b1'0010'0111) == 0b1'0010'0111);
// <1,0,-2>: bit 0 goes into bit 2.
static_assert(Swizzle{1, 0, -2}(0b0001) == 0b0101);
static_assert(!Swizzle{3, 3, 2}.is_valid() && !Swizzle{3, 20, 10}.is_valid());

// Property: every valid swizzle undoes itself. All field shapes below 12 bits, all indices.
TEST(Swizzle, IsItsOwnInverse) {
  for (std::uint8_t bits = 0; bits <= 4; ++bits) {
    for (std::uint8_t base = 0; base <= 4; ++base) {
      for (std::int8_t shift = -6; shift <= 6; ++shift) {
        const Swizzle swizzle{bits, base, shift};
        if (!swizzle.is_valid()) continue;
        for (std::uint32_t index = 0; index < 4096; ++index) {
          ASSERT_EQ(swizzle(swizzle(index)), index);
        }
      }
    }
  }
}

TEST(GeneratorSpec, NamesTheKernelAfterTheSpecAndSaysItsShape) {
  const auto reader = make_generator("tile:threads_y=4,blocks=7", kH200);
  ASSERT_EQ(reader->info().kernels.size(), 1u);
  const KernelInfo& kernel = reader->info().kernels[0];
  EXPECT_EQ(kernel.name, "tile:threads_y=4,blocks=7");
  EXPECT_EQ(kernel.grid, (std::array<std::uint32_t, 3>{7, 1, 1}));
  EXPECT_EQ(kernel.block, (std::array<std::uint32_t, 3>{32, 4, 1}));
  EXPECT_EQ(kernel.shared_bytes, 4096u);
}

TEST(GeneratorSpec, DeliversTheSameRecordsInBatchesOfAnySize) {
  for (const Generator& generator : generators()) {
    const std::string spec(generator.name);
    const auto all = records_of(spec);
    EXPECT_FALSE(all.empty());
    EXPECT_EQ(records_of(spec, 7), all) << spec;
  }
}

TEST(GeneratorSpec, DefaultsEqualTheirTextForm) {
  EXPECT_EQ(records_of("chunk:chunk=32,pad=0,element_bytes=4,width=4,threads=128,op=ld"),
            records_of("chunk"));
  EXPECT_EQ(records_of("chunk:"), records_of("chunk"));
}

TEST(GeneratorSpec, TellsSpecsFromFileNames) {
  EXPECT_TRUE(is_generator_spec("stride:words=3"));
  EXPECT_TRUE(is_generator_spec("conv:"));
  EXPECT_FALSE(is_generator_spec("stride"));
  EXPECT_FALSE(is_generator_spec("stride.csv"));
  EXPECT_FALSE(is_generator_spec("folder:stride"));
}

TEST(GeneratorSpec, HelpNamesEveryGeneratorAndParameter) {
  const std::string help = generator_help();
  for (const Generator& generator : generators()) {
    EXPECT_NE(help.find("  " + std::string(generator.name) + ": "), std::string::npos);
    for (const GeneratorParameter& parameter : generator.parameters) {
      EXPECT_NE(help.find("    " + std::string(parameter.name) + "="), std::string::npos);
    }
  }
}

TEST(GeneratorSpec, ExplainsWhatIsWrongInOneLine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"chunk:pad=-1", "chunk: expected pad of at least 0, found -1"},
      {"chunk:chunk=-1", "chunk: expected chunk of at least 1, found -1"},
      {"chunk:chunk=0", "chunk: expected chunk of at least 1, found 0"},
      {"chunk:chunk=99999999999999999999",
       "chunk: expected chunk of at most 1048576, found "
       "99999999999999999999"},
      {"chunk:chunk=-99999999999999999999",
       "chunk: expected chunk of at least 1, found "
       "-99999999999999999999"},
      {"chunk:chunk=1.5", "chunk: expected a whole number for chunk, found '1.5'"},
      {"chunk:chunk=", "chunk: expected a whole number for chunk, found ''"},
      {"chunk:width=3", "chunk: expected width out of 1, 2, 4, 8, 16, found '3'"},
      {"chunk:op=load", "chunk: expected op out of ld, st, both, found 'load'"},
      {"chunk:chunks=4",
       "chunk: expected parameters out of chunk, pad, element_bytes, width, threads, op, base, "
       "blocks, found 'chunks'"},
      {"chunk:pad=1,pad=2", "chunk: expected each parameter once, found 'pad' again"},
      {"chunk:pad", "chunk: expected parameters as key=value, found 'pad'"},
      {"chunk:pad=1,", "chunk: expected another key=value after the last ',', found nothing"},
      {"chunk:chunk=1000,threads=128",
       "chunk: expected at most 233472 bytes of shared memory on "
       "NVIDIA H200, found 512000"},
      {"chunk:threads=1025", "chunk: expected at most 1024 threads a block, found 1025 x 1 x 1"},
      {"stride:op=ldmatrix.x4",
       "stride:op=ldmatrix.x4: expected an operation and width that NVIDIA H200 has an access rule "
       "for, found ldmatrix of 4 bytes"},
      {"transpose:tile=32,rows=5", "transpose: expected rows that divide a tile of 32, found 5"},
      {"tile:columns=6,width=16",
       "tile: expected columns that are multiples of 4 elements, one instruction's, found 6"},
      {"tile:element_bytes=8,width=4",
       "tile: expected width of at least element_bytes, 8, found 4"},
      {"swizzle:columns=24", "swizzle: expected a power of two of vectors in a row, found 24"},
      {"swizzle:kind=cute,bits=3,shift=2",
       "swizzle: expected shift of at least 3 (bits) either way, and the fields inside 32 bits, "
       "found 2"},
      {"swizzle:kind=cute,width=16,least_bit=1",
       "swizzle: expected least_bit of at least 2, which keeps an instruction's bytes together, "
       "found 1"},
      {"conv:kernel=0", "conv: expected kernel of at least 1, found 0"},
      {"wave:x=1",
       "wave:x=1: expected a generator out of stride, chunk, transpose, tile, swizzle, conv, found "
       "'wave'"},
  };
  for (const auto& [spec, message] : cases) EXPECT_EQ(error_of(spec), message);
}

}  // namespace
}  // namespace smem
