// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/support/trace_text.hpp>

#include <traces/text/nvbit_reader.hpp>

namespace smem {
namespace {

using test::read_text;
using test::ReadResult;

/// A line as mem_trace prints it: `active` lanes from 0 on have base + lane * stride, others 0.
std::string line_of(const std::string& opcode, std::uint64_t base, std::uint64_t stride,
                    unsigned active = 32,
                    const std::string& place = "grid_launch_id 0 - CTA 1,0,0 - warp 2") {
  char text[32];
  std::string line = "MEMTRACE: CTX 0x00005581b2a3c0d0 - " + place + " - " + opcode + " - ";
  for (unsigned lane = 0; lane < 32; ++lane) {
    std::snprintf(text, sizeof(text), "0x%016llx ",
                  static_cast<unsigned long long>(lane < active ? base + lane * stride : 0));
    line += text;
  }
  return line + "\n";
}

TEST(Nvbit, SharedAccessesAreTakenOthersSkipped) {
  const ReadResult result = read_text<NvbitReader>(
      "------------- NVBit (NVidia Binary Instrumentation Tool v1.5.5) Loaded --------------\n" +
      line_of("LDG.E", 0x7f0000000000, 4) + line_of("LDS.64", 0x400, 8, 16) +
      "the program's own words\n" + line_of("STS", 0x7f4b9a000400, 4) +
      line_of("LDL", 0xfffc00, 4));
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.records.size(), 2u);
  const TraceRecord& load = result.records[0];
  EXPECT_EQ(load.access.operation, Operation::load);
  EXPECT_EQ(load.access.bytes_per_lane, 8);
  EXPECT_EQ(load.access.active_mask, 0xffffu);
  EXPECT_EQ(load.access.offsets_bytes[15], 0x400u + 15 * 8);
  EXPECT_EQ(load.access.offsets_bytes[16], 0u);
  EXPECT_EQ(load.warp, 2u);
  EXPECT_EQ(result.records[1].access.offsets_bytes[0], 0x400u);
  ASSERT_EQ(result.info.kernels.size(), 1u);
  EXPECT_EQ(result.info.kernels[0].name, "launch 0");
}

TEST(Nvbit, LaunchLinesNameKernelsAndPlaceBlocks) {
  const std::string launch =
      "MEMTRACE: CTX 0x00005581b2a3c0d0 - LAUNCH - Kernel pc 0x00007f4b9a000000 - Kernel name "
      "tile(float*) - grid launch id 5 - grid size 4,2,1 - block size 64,1,1 - nregs 24 - shmem "
      "512 "
      "- cuda stream id 0\n";
  const ReadResult result = read_text<NvbitReader>(
      launch + line_of("LDS", 0x400, 4, 32, "grid_launch_id 5 - CTA 3,1,0 - warp 0"));
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.records.size(), 1u);
  EXPECT_EQ(result.records[0].block, 7u);
  EXPECT_EQ(result.info.kernels.at(0),
            (KernelInfo{"tile(float*)", {4, 2, 1}, {64, 1, 1}, 512, 24}));
}

TEST(Nvbit, BlocksOfAnUnknownGridAreNumberedAsTheyAppear) {
  const auto place = [](const std::string& cta) {
    return "grid_launch_id 1 - CTA " + cta + " - warp 0";
  };
  const ReadResult result = read_text<NvbitReader>(line_of("LDS", 4, 4, 32, place("5,0,0")) +
                                                   line_of("LDS", 4, 4, 32, place("0,3,0")) +
                                                   line_of("LDS", 4, 4, 32, place("5,0,0")));
  ASSERT_EQ(result.records.size(), 3u);
  EXPECT_EQ(result.records[0].block, 0u);
  EXPECT_EQ(result.records[1].block, 1u);
  EXPECT_EQ(result.records[2].block, 0u);
}

TEST(Nvbit, ErrorsGiveLineAndGoodRecords) {
  const std::string good = line_of("LDS", 0x400, 4);
  const struct {
    std::string line, expected;
  } cases[] = {
      {line_of("LDS", 0x401, 4), "multiples of 4"},
      {line_of("LDS", 0x400, 4, 32, "grid_launch_id x - CTA 1,0,0 - warp 2"), "a launch id"},
      {line_of("LDS", 0x400, 4, 32, "grid_launch_id 0 - CTA 1,0 - warp 2"), "x,y,z"},
      {line_of("LDS", 0x400, 4, 32, "grid_launch_id 0 - warp 2"), "expected CTA"},
      {good.substr(0, good.size() - 30) + "\n", "32 hexadecimal addresses"},
      {good.substr(0, good.size() - 1) + "0x1 \n", "32 addresses, found more"},
  };
  for (const auto& bad : cases) {
    const ReadResult result = read_text<NvbitReader>(good + bad.line + good);
    EXPECT_NE(result.error.find("trace:2: expected "), std::string::npos) << result.error;
    EXPECT_NE(result.error.find(bad.expected), std::string::npos) << result.error;
    EXPECT_EQ(result.good_records, 1u);
    const ReadResult skipping =
        read_text<NvbitReader>(good + bad.line + good, {.skip_damaged = true});
    EXPECT_EQ(skipping.records.size(), 2u);
    EXPECT_EQ(skipping.skipped.places, 1u);
  }
}

TEST(Nvbit, DamagedFilesNeitherCrashNorInventRecords) {
  const std::string text = line_of("LDS", 0x400, 4) + line_of("STS.128", 0x400, 16);
  for (std::size_t at = 0; at < text.size(); ++at) {
    EXPECT_LE(read_text<NvbitReader>(text.substr(0, at)).records.size(), 2u);
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      EXPECT_LE(read_text<NvbitReader>(damaged).records.size(), 2u);
    }
  }
}

}  // namespace
}  // namespace smem
