// SPDX-License-Identifier: Apache-2.0
// The parts of traces/capture that need no GPU: machine code and what a record becomes.
#include <cstring>
#include <elf.h>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <smem/gpus.hpp>
#include <traces/capture/launch_trace.hpp>
#include <traces/capture/machine_code.hpp>
#include <traces/smt/smt_reader.hpp>

namespace smem::capture {
namespace {

constexpr const char* kDisassembly = R"(
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 LDS.128 R4, [R2] ;
        /*0020*/                   ATOMS.POPC.INC.32 RZ, [R4+UR4] ;
        /*0030*/               @P1 ATOMS.EXCH R10, [R9], R14 ;
        /*0040*/                   ATOMS.CAS R11, [R12], R6, R7 ;
        /*0050*/                   ATOMS.CAST.SPIN R5, [R2], R4, R5 ;
        /*0060*/                   ATOMS.MAX.S32 RZ, [R4], R5 ;
        /*0070*/                   LDSM.16.MT88.4 R4, [R2] ;
        /*0080*/                   LDSM.16.M88.2 R4, [R2] ;
        /*0090*/                   STSM.16.M88 [R2], R4 ;
        /*00a0*/                   STS [R2], R4 ;
)";
constexpr std::uint64_t kFunctionPc = 0x7f0000001000;

WarpRecord record(std::uint64_t pc, RecordKind kind, std::uint8_t bytes, std::uint8_t flags,
                  std::uint8_t matrices = 1) {
  WarpRecord seen{};
  seen.pc = pc;
  seen.active_mask = 1;
  seen.kind = kind;
  seen.bytes_per_lane = bytes;
  seen.flags = flags;
  seen.matrices = matrices;
  return seen;
}

/// Writes the records through a LaunchTrace and reads the trace back.
struct RoundTrip {
  std::vector<TraceRecord> records;
  std::uint64_t unknown_atomics;
  std::uint64_t foreign_pcs;
};

RoundTrip round_trip(const std::vector<WarpRecord>& seen, const Opcodes& opcodes) {
  const std::string file = testing::TempDir() + "capture_test_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".smt";
  SmtWriter writer(file);
  const std::uint32_t kernel = writer.add_kernel({"kernel", {1, 1, 1}, {32, 1, 1}, 0, 0});
  LaunchTrace trace(writer, kernel, kFunctionPc, 0x1000, [&] { return opcodes; });
  for (const WarpRecord& one : seen) trace.add(one);
  trace.finish();
  writer.finish();
  SmtReader reader(file, kH200);
  std::vector<TraceRecord> records(seen.size() + 1);
  records.resize(reader.read(records));
  return {records, trace.unknown_atomics(), trace.foreign_pcs()};
}

TEST(CaptureMachineCode, OpcodesAreReadBehindGuardsToo) {
  const Opcodes opcodes = parse_disassembly(kDisassembly);
  EXPECT_EQ(opcodes.size(), 11u);
  EXPECT_EQ(opcodes.at(0x10), "LDS.128");
  EXPECT_EQ(opcodes.at(0x30), "ATOMS.EXCH");
}

TEST(CaptureMachineCode, AFunctionsCodeIsItsTextSection) {
  const std::string names = std::string("\0.shstrtab\0.text.other\0.text.wanted\0", 36);
  const std::string code = "sixteen bytes, 2";
  std::vector<char> elf(sizeof(Elf64_Ehdr));
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_shoff = sizeof header + names.size() + code.size();
  header.e_shnum = 3;
  header.e_shstrndx = 0;
  std::memcpy(elf.data(), &header, sizeof header);
  elf.insert(elf.end(), names.begin(), names.end());
  elf.insert(elf.end(), code.begin(), code.end());
  Elf64_Shdr sections[3] = {};
  sections[0].sh_name = 1;
  sections[0].sh_offset = sizeof header;
  sections[0].sh_size = names.size();
  sections[1].sh_name = 11;
  sections[2].sh_name = 23;
  sections[2].sh_offset = sizeof header + names.size();
  sections[2].sh_size = code.size();
  const char* const raw = reinterpret_cast<const char*>(sections);
  elf.insert(elf.end(), raw, raw + sizeof sections);
  const std::span<const char> found = function_code(elf, "wanted");
  EXPECT_EQ(std::string(found.begin(), found.end()), code);
  EXPECT_TRUE(function_code(elf, "missing").empty());
  for (std::size_t size = 0; size < elf.size(); ++size) {
    EXPECT_TRUE(function_code(std::span(elf).first(size), "wanted").size() <= code.size());
  }
}

TEST(CaptureLaunchTrace, TheMachineCodeDecidesWhatAnAtomicIs) {
  constexpr std::uint8_t kBoth = kReads | kWrites;
  std::vector<WarpRecord> seen;
  for (const std::uint64_t offset : {0x20u, 0x30u, 0x40u, 0x50u, 0x60u, 0xf0u}) {
    seen.push_back(record(kFunctionPc + offset, RecordKind::memory, 4, kBoth));
  }
  const auto [records, unknown_atomics, foreign_pcs] =
      round_trip(seen, parse_disassembly(kDisassembly));
  ASSERT_EQ(records.size(), 6u);
  const std::vector<Operation> expected = {Operation::reduction,  Operation::atomic_exchange,
                                           Operation::atomic_cas, Operation::atomic_cas,
                                           Operation::atomic_add, Operation::atomic_add};
  for (std::size_t index = 0; index < expected.size(); ++index) {
    EXPECT_EQ(records[index].access.operation, expected[index]) << index;
    EXPECT_EQ(records[index].pc, seen[index].pc - kFunctionPc);
  }
  EXPECT_EQ(unknown_atomics, 1u);
  EXPECT_EQ(foreign_pcs, 0u);
}

TEST(CaptureLaunchTrace, MatricesCopiesAndBarriersKeepTheirKind) {
  const std::vector<WarpRecord> seen = {
      record(kFunctionPc + 0x70, RecordKind::matrix, 16, kReads, 4),
      record(kFunctionPc + 0x80, RecordKind::matrix, 16, kReads, 2),
      record(kFunctionPc + 0x90, RecordKind::matrix, 16, kWrites, 1),
      record(kFunctionPc + 0xa0, RecordKind::memory, 4, kWrites),
      record(kFunctionPc + 0x10, RecordKind::memory, 16, kReads),
      record(kFunctionPc + 0xb0, RecordKind::async_copy, 8, kWrites),
      record(kFunctionPc + 0xc0, RecordKind::barrier, 0, 0),
      record(kFunctionPc + 0x2000, RecordKind::memory, 4, kReads)};
  const auto [records, unknown_atomics, foreign_pcs] =
      round_trip(seen, parse_disassembly(kDisassembly));
  const std::vector<Operation> expected = {Operation::ldmatrix_x4_trans,
                                           Operation::ldmatrix_x2,
                                           Operation::stmatrix_x1,
                                           Operation::store,
                                           Operation::load,
                                           Operation::async_copy,
                                           Operation::barrier,
                                           Operation::load};
  ASSERT_EQ(records.size(), expected.size());
  for (std::size_t index = 0; index < expected.size(); ++index) {
    EXPECT_EQ(records[index].access.operation, expected[index]) << index;
  }
  EXPECT_EQ(foreign_pcs, 1u);
  EXPECT_EQ(records.back().pc, kFunctionPc + 0x2000);
}

auto place(const TraceRecord& record) {
  return std::tuple(record.block, record.warp, record.access.offsets_bytes[0]);
}

TEST(CaptureLaunchTrace, RecordsComeSortedByBlockAndWarpInProgramOrder) {
  std::vector<WarpRecord> seen;
  for (unsigned index = 0; index < 12; ++index) {
    seen.push_back(record(kFunctionPc + 0xa0, RecordKind::memory, 4, kWrites));
    seen.back().block = index % 2;
    seen.back().warp = index % 3;
    seen.back().offsets_bytes[0] = 4 * index;
  }
  const std::vector<TraceRecord> records = round_trip(seen, {}).records;
  ASSERT_EQ(records.size(), 12u);
  for (std::size_t index = 1; index < records.size(); ++index) {
    EXPECT_LT(place(records[index - 1]), place(records[index]));
  }
}

}  // namespace
}  // namespace smem::capture
