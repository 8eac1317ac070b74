// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/support/command_run.hpp>
#include <tests/support/trace_text.hpp>

#include <traces/text/accel_sim_reader.hpp>
#include <traces/text/kernels_list_reader.hpp>
#include <traces/text/sass_opcode.hpp>

namespace smem {
namespace {

using test::read_text;
using test::ReadResult;

const std::string kHeader =
    "-kernel name = _Z4tilePf\n"
    "-kernel id = 1\n"
    "-grid dim = (2,3,2)\n"
    "-block dim = (64,1,1)\n"
    "-shmem = 4096\n"
    "-nregs = 32\n"
    "-binary version = 90\n"
    "-cuda stream id = 0\n"
    "-shmem base_addr = 0x00007f4b9a000000\n"
    "-local mem base_addr = 0x00007f4b98000000\n"
    "-nvbit version = 1.5.5\n"
    "-accelsim tracer version = 5\n"
    "-enable lineinfo = 0\n"
    "\n"
    "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width\n";

/// `header` with one more block whose one warp runs `lines`.
std::string with_warp(const std::vector<std::string>& lines, std::string header = kHeader,
                      const std::string& block = "1,2,1", const std::string& warp = "1") {
  header += "\n#BEGIN_TB\n\nthread block = " + block + "\n\nwarp = " + warp +
            "\ninsts = " + std::to_string(lines.size()) + "\n";
  for (const std::string& line : lines) header += line + "\n";
  return header + "\n#END_TB\n";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

ReadResult read_warp(const std::vector<std::string>& lines) {
  return read_text<AccelSimReader>(with_warp(lines));
}

TEST(AccelSim, HeaderBlockAndWarpAreTaken) {
  const ReadResult result = read_warp({"0120 ffffffff 1 R8 LDS.128 1 R2 16 1 0x400 16"});
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.info.kernels.size(), 1u);
  EXPECT_EQ(result.info.kernels[0], (KernelInfo{"_Z4tilePf", {2, 3, 2}, {64, 1, 1}, 4096, 32}));
  EXPECT_EQ(result.info.capture_tool, "Accel-Sim tracer version 5");
  ASSERT_EQ(result.records.size(), 1u);
  EXPECT_EQ(result.records[0].block, 1u + 2 * 2 + 6 * 1);
  EXPECT_EQ(result.records[0].warp, 1u);
  EXPECT_EQ(result.records[0].pc, 0x120u);
}

TEST(AccelSim, BaseAndStrideGiveEveryLane) {
  const ReadResult result = read_warp({"0120 ffffffff 1 R8 LDS.128 1 R2 16 1 0x400 16 0"});
  ASSERT_EQ(result.error, "");
  const WarpAccess expected =
      make_access(Operation::load, 16, [](unsigned lane) { return 0x400 + 16 * lane; });
  EXPECT_EQ(result.records.at(0).access, expected);
}

TEST(AccelSim, BaseAndDeltasStepFromActiveLaneToActiveLane) {
  const ReadResult result = read_warp({"0130 000000f1 0 STS.64 2 R2 R4 8 2 0x80 8 120 -64 8 0"});
  ASSERT_EQ(result.error, "");
  const WarpAccess& access = result.records.at(0).access;
  EXPECT_EQ(access.operation, Operation::store);
  EXPECT_EQ(access.bytes_per_lane, 8);
  EXPECT_EQ(access.active_mask, 0xf1u);
  EXPECT_EQ(access.offsets_bytes[0], 0x80u);
  EXPECT_EQ(access.offsets_bytes[4], 0x88u);
  EXPECT_EQ(access.offsets_bytes[5], 0x100u);
  EXPECT_EQ(access.offsets_bytes[6], 0xc0u);
  EXPECT_EQ(access.offsets_bytes[7], 0xc8u);
}

TEST(AccelSim, ListedAddressesMayBeGeneric) {
  const ReadResult result =
      read_warp({"0130 00010001 1 R4 LDS 1 R2 4 0 0x00007f4b9a000410 0x00007f4b9a000020"});
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(result.records.at(0).access.offsets_bytes[0], 0x410u);
  EXPECT_EQ(result.records.at(0).access.offsets_bytes[16], 0x20u);
  EXPECT_EQ(result.records.at(0).access.offsets_bytes[1], 0u);
}

TEST(AccelSim, NegativeStrideIsTaken) {
  const ReadResult result = read_warp({"0130 00000007 1 R4 LDS 1 R2 4 1 0x100 -4"});
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(result.records.at(0).access.offsets_bytes[2], 0xf8u);
}

TEST(AccelSim, GarbageBehindAnEmptyMaskIsIgnored) {
  const ReadResult result =
      read_warp({"0130 00000000 1 R4 LDS 1 R2 4 1 0x0 garbage", "0140 ffffffff 0 EXIT 0 0"});
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(result.records.at(0).access.active_mask, 0u);
}

TEST(AccelSim, LineNumbersStandBeforeThePc) {
  const std::string header = replaced(kHeader, "lineinfo = 0", "lineinfo = 1");
  const ReadResult result =
      read_text<AccelSimReader>(with_warp({"17 0120 ffffffff 1 R8 LDS 1 R2 4 1 0x400 4"}, header));
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(result.records.at(0).pc, 0x120u);
}

TEST(AccelSim, VersionsThreeAndFourHaveNoImmediate) {
  for (const std::string version : {"3", "4"}) {
    const std::string header =
        replaced(kHeader, "tracer version = 5", "tracer version = " + version);
    EXPECT_EQ(
        read_text<AccelSimReader>(with_warp({"0120 ffffffff 1 R8 LDS 1 R2 4 1 0x400 4"}, header))
            .records.size(),
        1u);
    const ReadResult with_immediate =
        read_text<AccelSimReader>(with_warp({"0120 ffffffff 1 R8 LDS 1 R2 4 1 0x400 4 0"}, header));
    EXPECT_NE(with_immediate.error.find("expected the end of the line"), std::string::npos);
  }
}

TEST(AccelSim, OldVersionsRepeatBlockAndWarpInEveryLine) {
  const std::string header = replaced(kHeader, "tracer version = 5", "tracer version = 2");
  const std::string text = with_warp({"1 2 1 1 0120 ffffffff 1 R8 LDS 1 R2 4 1 0x400 4"}, header);
  const ReadResult result = read_text<AccelSimReader>(
      replaced(text, "thread block = 1,2,1\n",
               "thread block = 1,2,1\ncluster id = 0\ncluster cta = 1,0,0\ncluster rank = 1\n"));
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(result.records.at(0).block, 11u);
}

TEST(AccelSim, DescriptorCopiesAreCounted) {
  const ReadResult result = read_warp(
      {"0100 00000001 0 UTMALDG.2D 1 R2 16 3 0x7f00 12 0x99 whatever",
       "0110 00000001 0 UTMASTG.2D 1 R2 16 4 0x7f00", "0120 ffffffff 1 R8 LDS 1 R2 4 1 0x400 4"});
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(result.records.size(), 1u);
  EXPECT_EQ(result.skipped, (SkippedParts{0, 0, 2}));
  EXPECT_EQ(result.records[0].issue_gap_instructions, 2u);
}

TEST(AccelSim, AsynchronousCopiesCountOnceByTheirSharedAddresses) {
  const ReadResult result =
      read_warp({"0100 ffffffff 0 LDGSTS.E.BYPASS.LTC128B.128 2 R2 R4 16 1 0x00007f0000000000 16",
                 "0100 ffffffff 0 LDGSTS.E.BYPASS.LTC128B.128 2 R2 R4 16 1 0x00007f4b9a000400 16",
                 "0110 ffffffff 1 R8 LDS 1 R2 4 1 0x400 4"});
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.records.size(), 2u);
  EXPECT_EQ(result.records[0].access.operation, Operation::async_copy);
  EXPECT_EQ(result.records[0].access.bytes_per_lane, 16);
  EXPECT_EQ(result.records[0].access.offsets_bytes[1], 0x410u);
  EXPECT_EQ(result.records[1].issue_gap_instructions, 0u);
}

TEST(AccelSim, GenericAccessesAreSharedInsideTheWindowOnly) {
  const ReadResult result = read_warp({"0100 ffffffff 1 R8 LD.E 1 R2 4 1 0x00007f4b9a000400 4",
                                       "0110 ffffffff 1 R8 LD.E 1 R2 4 1 0x00007f0000000000 4",
                                       "0120 ffffffff 1 R8 LDG.E 1 R2 4 1 0x00007f0000000000 4"});
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(result.records.size(), 1u);
}

TEST(AccelSim, InstructionsBetweenAccessesAreTheIssueGap) {
  const ReadResult result = read_warp(
      {"0000 ffffffff 1 R1 S2R 0 0", "0010 ffffffff 1 R2 IADD3 1 R1 0",
       "0020 ffffffff 1 R8 LDS 1 R2 4 1 0x400 4", "0030 ffffffff 1 R9 LDS 1 R2 4 1 0x400 4",
       "0040 ffffffff 1 R3 FADD 2 R8 R9 0", "0050 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0",
       "0060 ffffffff 0 STS 2 R2 R1 4 1 0x400 4"});
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.records.size(), 4u);
  EXPECT_EQ(result.records[0].issue_gap_instructions, 2u);
  EXPECT_EQ(result.records[1].issue_gap_instructions, 0u);
  EXPECT_EQ(result.records[2].issue_gap_instructions, 1u);
  EXPECT_EQ(result.records[2].access.operation, Operation::barrier);
  EXPECT_EQ(result.records[3].issue_gap_instructions, 0u);
}

TEST(AccelSim, RegistersTellWhichLoadAnAddressWaitsFor) {
  const ReadResult result = read_warp(
      {"0000 ffffffff 1 R8 LDS.64 1 R2 8 1 0x400 8",  // R8, R9
       "0010 ffffffff 1 R12 LDS 1 R3 4 1 0x400 4",
       "0020 ffffffff 1 R10 LOP3.LUT 1 R9 0",     // one behind the first load
       "0030 ffffffff 1 R11 IADD3 2 R10 R255 0",  // two behind
       "0040 ffffffff 1 R4 LDS 1 R11 4 1 0x400 4", "0050 ffffffff 1 R5 LDS 1 R4 4 1 0x400 4",
       "0060 ffffffff 1 R5 LDG.E 1 R4 4 1 0x7f0000000000 4",  // overwritten from elsewhere
       "0070 ffffffff 1 R6 LDS 1 R5 4 1 0x400 4", "0080 ffffffff 0 STS 2 R2 R12 4 1 0x400 4"});
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.records.size(), 6u);
  EXPECT_EQ(result.records[0].depends_on, 0u);
  EXPECT_EQ(result.records[2].depends_on, 2u);
  EXPECT_EQ(result.records[2].dependent_instructions, 2u);
  EXPECT_EQ(result.records[3].depends_on, 1u);
  EXPECT_EQ(result.records[3].dependent_instructions, 0u);
  EXPECT_EQ(result.records[4].depends_on, 0u);
  EXPECT_EQ(result.records[5].depends_on, 4u);  // its data
}

TEST(AccelSim, DependencesDoNotCrossWarps) {
  const std::string text =
      with_warp({"0050 ffffffff 1 R5 LDS 1 R4 4 1 0x400 4"},
                with_warp({"0000 ffffffff 1 R4 LDS 1 R2 4 1 0x400 4"}), "0,0,0", "0");
  const ReadResult result = read_text<AccelSimReader>(text);
  ASSERT_EQ(result.records.size(), 2u);
  EXPECT_EQ(result.records[1].depends_on, 0u);
  EXPECT_EQ(result.records[1].block, 0u);
}

TEST(AccelSim, WidthComesFromTheOpcode) {
  const ReadResult result = read_warp({"0120 ffffffff 1 R8 LDSM.16.M88.4 1 R2 2 1 0x400 16"});
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(result.records.at(0).access.operation, Operation::ldmatrix_x4);
  EXPECT_EQ(result.records.at(0).access.bytes_per_lane, 16);
}

/// An LDS or STS line that says `access` in one of the tracer's address modes.
std::string line_of(const WarpAccess& access, unsigned mode, std::uint64_t base_address) {
  constexpr const char* kWidths[] = {".U8", ".U16", "", ".64", ".128"};
  std::ostringstream line;
  line << "0100 " << std::hex << access.active_mask << std::dec;
  line << (access.operation == Operation::load ? " 1 R8 LDS" : " 0 STS")
       << kWidths[std::countr_zero(access.bytes_per_lane)] << " 1 R2 "
       << unsigned{access.bytes_per_lane} << ' ' << mode;
  std::uint64_t previous = 0;
  bool first = true;
  for_each_lane(access.active_mask, [&](unsigned lane) {
    const std::uint64_t address = base_address + access.offsets_bytes[lane];
    if (first || mode == 0) {
      line << " 0x" << std::hex << address << std::dec;
    } else if (mode == 2) {
      line << ' ' << static_cast<std::int64_t>(address - previous);
    }
    previous = address;
    first = false;
  });
  return line.str();
}

// Property: what a tracer lists (mode 0) or gives as steps (mode 2), as offsets or as generic
// addresses, is what is read. Generator: RandomRecords, loads and stores, seed 31.
TEST(AccelSim, RandomAccessesAreReadAsTheyWereListed) {
  test::RandomRecords random(31);
  std::vector<std::string> lines;
  std::vector<WarpAccess> accesses;
  while (lines.size() < 2000) {
    const WarpAccess access = random.record(1, test::permissive_spec().shared_window_bytes).access;
    if (access.operation != Operation::load && access.operation != Operation::store) continue;
    if (access.active_mask == 0) continue;
    const std::uint64_t base_address = random.below(2) == 0 ? 0 : 0x7f4b9a000000u;
    lines.push_back(line_of(access, 2 * random.below(2), base_address));
    accesses.push_back(access);
  }
  const ReadResult result = read_warp(lines);
  ASSERT_EQ(result.error, "");
  ASSERT_EQ(result.records.size(), accesses.size());
  for (std::size_t index = 0; index < accesses.size(); ++index) {
    ASSERT_EQ(result.records[index].access, accesses[index]) << lines[index];
  }
}

TEST(AccelSim, ErrorsGiveLineAndGoodRecords) {
  const std::string good = "0120 ffffffff 1 R8 LDS 1 R2 4 1 0x400 4";
  const struct {
    std::string line, expected;
  } cases[] = {
      {"012g ffffffff 1 R8 LDS 1 R2 4 1 0x400 4", "a hexadecimal pc"},
      {"0120 1ffffffff 1 R8 LDS 1 R2 4 1 0x400 4", "a mask of at most 8"},
      {"0120 ffffffff 9 R8 LDS 1 R2 4 1 0x400 4", "a number of registers up to 8"},
      {"0120 ffffffff 1 P8 LDS 1 R2 4 1 0x400 4", "a register such as R8 or UR4, found 'P8'"},
      {"0120 ffffffff 1 R300 LDS 1 R2 4 1 0x400 4", "a register up to R255"},
      {"0120 ffffffff 1 R8", "an opcode"},
      {"0120 ffffffff 1 R8 LDS 1 R2 4 7 0x400 4", "an address mode of 0 to 4"},
      {"0120 ffffffff 1 R8 LDS 1 R2 4 1 0x400 4.5", "a decimal step"},
      {"0120 ffffffff 1 R8 LDS 1 R2 4 2 0x400 4", "a decimal step, found ''"},
      {"0120 ffffffff 1 R8 LDS 1 R2 4 0 0x400 0x404", "a hexadecimal address, found ''"},
      {"0120 ffffffff 1 R8 LDS 1 R2 0", "addresses for LDS, found none"},
      {"0120 00000001 1 R8 LDS 1 R2 4 1 0x00007f0000000000 4", "inside the shared window"},
      {"0120 ffffffff 1 R8 LDS 1 R2 4 1 0x401 4", "multiples of 4, found 1025 in lane 0"},
      {"0120 ffffffff 1 R8 LDS 1 R2 4 1 0x400 1000000", "found "},
  };
  for (const auto& bad : cases) {
    const ReadResult result = read_warp({good, bad.line, good});
    EXPECT_NE(result.error.find("trace:24: expected "), std::string::npos) << result.error;
    EXPECT_NE(result.error.find(bad.expected), std::string::npos)
        << result.error << " lacks " << bad.expected;
    EXPECT_EQ(result.good_records, 1u);
    EXPECT_EQ(result.records.size(), 1u);
    const ReadResult skipping =
        read_text<AccelSimReader>(with_warp({good, bad.line, good}), {.skip_damaged = true});
    EXPECT_EQ(skipping.error, "");
    EXPECT_EQ(skipping.records.size(), 2u);
    EXPECT_EQ(skipping.skipped.places, 1u);
  }
}

TEST(AccelSim, WrongCountsAreErrors) {
  const std::string line = "0120 ffffffff 1 R8 LDS 1 R2 4 1 0x400 4";
  const std::string text = with_warp({line, line});
  EXPECT_NE(read_text<AccelSimReader>(replaced(text, "insts = 2", "insts = 3"))
                .error.find("expected 3 instructions in warp 1, found 2"),
            std::string::npos);
  EXPECT_NE(read_text<AccelSimReader>(replaced(text, "insts = 2", "insts = 1"))
                .error.find("expected 1 instructions in warp 1, found more"),
            std::string::npos);
  EXPECT_NE(read_text<AccelSimReader>(replaced(text, "block = 1,2,1", "block = 2,2,1"))
                .error.find("a block inside the grid"),
            std::string::npos);
  EXPECT_NE(
      read_text<AccelSimReader>(replaced(text, "insts = 2", "insts = 99999999999999999999999999"))
          .error.find("a number of instructions"),
      std::string::npos);
}

TEST(AccelSim, AFileCutAtAnyByteGivesTheRecordsBeforeAndAnError) {
  const std::string line = "0120 ffffffff 1 R8 LDS 1 R2 4 1 0x400 4";
  const std::string text = with_warp({line, line}, with_warp({line, line, line}));
  const ReadResult whole = read_text<AccelSimReader>(text);
  ASSERT_EQ(whole.error, "");
  ASSERT_EQ(whole.records.size(), 5u);
  const std::size_t first_end = text.find("#END_TB") + 7;
  const std::size_t second_begin = text.find("#BEGIN_TB", first_end);
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {
    const ReadResult result = read_text<AccelSimReader>(text.substr(0, size));
    // Where a block has ended, a shorter trace is a whole one.
    const bool between = size >= first_end && size <= second_begin;
    const bool comment = size > second_begin && size < second_begin + 9;
    if (!between && !comment) {
      ASSERT_NE(result.error, "") << "cut at byte " << size;
      ASSERT_EQ(result.error.substr(0, 6), "trace:");
    }
    ASSERT_LE(result.records.size(), 5u);
    for (const TraceRecord& record : result.records) ASSERT_EQ(record.pc, 0x120u);
  }
}

TEST(AccelSim, FlippedBitsNeitherCrashNorHang) {
  const std::string line = "0120 ffffffff 1 R8 LDS 1 R2 4 1 0x400 4";
  const std::string text = with_warp({line, line});
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      EXPECT_LE(read_text<AccelSimReader>(damaged).records.size(), 2u);
      EXPECT_LE(read_text<AccelSimReader>(damaged, {.skip_damaged = true}).records.size(), 2u);
    }
  }
}

TEST(KernelsList, KernelsFollowEachOther) {
  const test::TemporaryFolder folder;
  const std::string line = "0120 ffffffff 1 R8 LDS 1 R2 4 1 0x400 4";
  folder.write("kernel-1.traceg", with_warp({line}));
  folder.write("kernel-2.traceg.xz", with_warp({line, line}, replaced(kHeader, "tile", "last")));
  const std::string list = folder.write("kernelslist.g",
                                        "MemcpyHtoD,0x00007f0000000000,1024\nkernel-1.traceg\n"
                                        "kernel-2.traceg\n");
  KernelsListReader reader(TextSource(list), test::permissive_spec());
  std::vector<TraceRecord> records(10);
  ASSERT_EQ(reader.read(records), 3u);
  EXPECT_EQ(records[0].kernel, 0u);
  EXPECT_EQ(records[2].kernel, 1u);
  ASSERT_EQ(reader.info().kernels.size(), 2u);
  EXPECT_EQ(reader.info().kernels[1].name, "_Z4lastPf");
}

TEST(KernelsList, AMissingKernelIsAnErrorOrSkipped) {
  const test::TemporaryFolder folder;
  const std::string line = "0120 ffffffff 1 R8 LDS 1 R2 4 1 0x400 4";
  folder.write("kernel-1.traceg", with_warp({line}));
  const std::string list =
      folder.write("kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\nkernel-1.traceg\n");
  KernelsListReader reader(TextSource(list), test::permissive_spec());
  std::vector<TraceRecord> records(10);
  EXPECT_EQ(reader.read(records), 1u);
  try {
    reader.read(records);
    FAIL() << "expected an error";
  } catch (const TraceError& error) {
    EXPECT_NE(std::string(error.what()).find("kernel-2.traceg"), std::string::npos);
    EXPECT_EQ(error.good_records(), 1u);
  }
  KernelsListReader skipping(TextSource(list), test::permissive_spec(), {.skip_damaged = true});
  EXPECT_EQ(skipping.read(records), 2u);
  EXPECT_EQ(skipping.skipped().places, 1u);
}

struct OpcodeCase {
  std::string_view opcode;
  AddressSpace space;
  Operation operation;
  unsigned bytes;
};

class Opcode : public ::testing::TestWithParam<OpcodeCase> {};

TEST_P(Opcode, IsUnderstood) {
  const OpcodeCase& expected = GetParam();
  const SassOpcode opcode = parse_sass_opcode(expected.opcode);
  EXPECT_EQ(opcode.space, expected.space);
  if (expected.space == AddressSpace::none) return;
  EXPECT_EQ(opcode.operation, expected.operation);
  EXPECT_EQ(opcode.bytes_per_lane, expected.bytes);
}

constexpr AddressSpace kShared = AddressSpace::shared;
constexpr AddressSpace kGeneric = AddressSpace::generic;

INSTANTIATE_TEST_SUITE_P(
    Sass, Opcode,
    ::testing::Values(
        OpcodeCase{"LDS", kShared, Operation::load, 4},
        OpcodeCase{"LDS.U8", kShared, Operation::load, 1},
        OpcodeCase{"LDS.S16", kShared, Operation::load, 2},
        OpcodeCase{"LDS.U.64", kShared, Operation::load, 8},
        OpcodeCase{"LDS.U.128", kShared, Operation::load, 16},
        OpcodeCase{"STS.U8", kShared, Operation::store, 1},
        OpcodeCase{"STS.128", kShared, Operation::store, 16},
        OpcodeCase{"LDSM.16.M88", kShared, Operation::ldmatrix_x1, 16},
        OpcodeCase{"LDSM.16.M88.2", kShared, Operation::ldmatrix_x2, 16},
        OpcodeCase{"LDSM.16.MT88.4", kShared, Operation::ldmatrix_x4_trans, 16},
        OpcodeCase{"STSM.16.M88.4", kShared, Operation::stmatrix_x4, 16},
        OpcodeCase{"STSM.16.MT88.2", kShared, Operation::stmatrix_x2_trans, 16},
        OpcodeCase{"ATOMS.ADD", kShared, Operation::atomic_add, 4},
        OpcodeCase{"ATOMS.MAX.S32", kShared, Operation::atomic_add, 4},
        OpcodeCase{"ATOMS.EXCH.64", kShared, Operation::atomic_exchange, 8},
        OpcodeCase{"ATOMS.CAS", kShared, Operation::atomic_cas, 4},
        OpcodeCase{"ATOMS.CAST.SPIN.64", kShared, Operation::atomic_cas, 8},
        OpcodeCase{"ATOMS.POPC.INC.32", kShared, Operation::reduction, 4},
        OpcodeCase{"RED.E.ADD", kGeneric, Operation::atomic_add, 4},
        OpcodeCase{"LDGSTS.E.BYPASS.128", kGeneric, Operation::async_copy, 16},
        OpcodeCase{"LDGSTS.E.LTC128B.64", kGeneric, Operation::async_copy, 8},
        OpcodeCase{"LDGSTS.E", kGeneric, Operation::async_copy, 4},
        OpcodeCase{"BAR.SYNC.DEFER_BLOCKING", AddressSpace::barrier, Operation::barrier, 0},
        OpcodeCase{"BAR.RED.OR.DEFER_BLOCKING", AddressSpace::barrier, Operation::barrier, 0},
        OpcodeCase{"BAR.ARV", AddressSpace::none, Operation::barrier, 0},
        OpcodeCase{"LDSX", AddressSpace::none, Operation::load, 0},
        OpcodeCase{"LDG.E.128", AddressSpace::none, Operation::load, 0},
        OpcodeCase{"IADD3", AddressSpace::none, Operation::load, 0},
        OpcodeCase{"", AddressSpace::none, Operation::load, 0}));

}  // namespace
}  // namespace smem
