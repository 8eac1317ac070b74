// SPDX-License-Identifier: Apache-2.0
// Small files in the forms that public tools write (files/README.md), and damage they can take.
#include <array>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <tests/support/command_run.hpp>

#include <smem/analyzer.hpp>
#include <smem/gpus.hpp>
#include <traces/formats/open_trace.hpp>

namespace smem::test {
namespace {

std::string public_file(const std::string& name) {
  return source_file("tests/traces/files/" + name);
}

struct ClassTotals {
  std::uint64_t instructions = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t ideal = 0;

  friend bool operator==(const ClassTotals&, const ClassTotals&) = default;
};

std::ostream& operator<<(std::ostream& out, const ClassTotals& totals) {
  return out << totals.instructions << " instructions, " << totals.wavefronts << " wavefronts, "
             << totals.ideal << " ideal";
}

struct Totals {
  std::map<OperationClass, ClassTotals> by_class;
  std::map<std::string, std::uint64_t> wavefronts_of_kernel;
  SkippedParts skipped;
};

Totals totals_of(const std::string& file, ReadOptions options = {}) {
  const auto reader = open_trace(file, kH200, options);
  std::array<TraceRecord, 16> records;
  Totals totals;
  while (const std::size_t count = reader->read(records)) {
    for (std::size_t index = 0; index < count; ++index) {
      const TraceRecord& record = records[index];
      if (record.access.operation == Operation::barrier) continue;
      const AccessCost cost = analyze(kH200, record.access);
      ClassTotals& row = totals.by_class[traits(record.access.operation).operation_class];
      row.instructions += record.count;
      row.wavefronts += record.count * cost.wavefronts;
      row.ideal += record.count * cost.ideal;
      totals.wavefronts_of_kernel[reader->info().kernels[record.kernel].name] += cost.wavefronts;
    }
  }
  totals.skipped = reader->skipped();
  return totals;
}

std::string error_of(const std::string& file) {
  try {
    totals_of(file);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "none";
}

class AccelSimForms : public ::testing::TestWithParam<const char*> {};

TEST_P(AccelSimForms, HoldTheSameAccesses) {
  const Totals totals = totals_of(public_file(GetParam()));
  const std::map<OperationClass, ClassTotals> expected = {{OperationClass::st, {2, 2, 2}},
                                                          {OperationClass::ld, {4, 72, 10}},
                                                          {OperationClass::ldsm, {2, 8, 8}}};
  EXPECT_EQ(totals.by_class, expected);
  EXPECT_EQ(totals.skipped, SkippedParts{});
}

INSTANTIATE_TEST_SUITE_P(PublicFiles, AccelSimForms,
                         ::testing::Values("accel_v5_as_read_today.traceg",
                                           "accel_v5_clusters.traceg", "accel_v5_hopper_all.traceg",
                                           "accel_v5_two_immediates.traceg",
                                           "accel_v5_uniform_registers.traceg", "accel_v6.traceg",
                                           "kernelslist_cudamalloc.g"));

TEST(AccelSimForms, AnAddressThroughAUniformRegisterDependsOnItsLoad) {
  const TemporaryFolder folder;
  const std::string head =
      "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n"
      "-nregs = 8\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n#traces format\n"
      "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 3\n";
  const std::string trace =
      folder.write("k.traceg", head +
                                   "0000 ffffffff 1 R5 LDS 1 R3 4 1 0x0 4 0 0\n"
                                   "0010 ffffffff 1 UR4 R2UR 1 R5 0 0 0\n"
                                   "0020 ffffffff 1 R6 LDS 1 UR4 4 1 0x0 4 0 0\n#END_TB\n");
  const auto reader = open_trace(trace, kH200);
  std::array<TraceRecord, 4> records;
  ASSERT_EQ(reader->read(records), 2u);
  EXPECT_EQ(records[1].depends_on, 1u);
  EXPECT_EQ(records[1].dependent_instructions, 1u);
}

TEST(AccelSimForms, ATraceBeforePostProcessingIsAnsweredWithWhatToDo) {
  const TemporaryFolder folder;
  const std::string trace = folder.write(
      "kernel-1.trace",
      "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n"
      "-nregs = 8\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n#traces format\n"
      "0 0 0 0 0000 ffffffff 1 R5 LDS 1 R3 4 1 0x0 4 0 0\n");
  EXPECT_NE(error_of(trace).find("post-traces-processing"), std::string::npos) << error_of(trace);
  const std::string list = folder.write("kernelslist", "kernel-1.trace\n");
  EXPECT_NE(error_of(list).find("post-traces-processing"), std::string::npos) << error_of(list);
}

TEST(AccelSimForms, BlocksThatNoSmHoldsAreRefused) {
  const TemporaryFolder folder;
  const auto with = [&](const std::string& block, const std::string& shmem,
                        const std::string& nregs) {
    return folder.write("k.traceg", "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = " + block +
                                        "\n-shmem = " + shmem + "\n-nregs = " + nregs +
                                        "\n-accelsim tracer version = 5\n#traces format\n"
                                        "#BEGIN_TB\n#END_TB\n");
  };
  EXPECT_EQ(error_of(with("(32,32,1)", "232448", "255")), "none");
  EXPECT_NE(error_of(with("(65536,65536,1)", "0", "8")).find("1024 threads a block"),
            std::string::npos);
  EXPECT_NE(error_of(with("(64,32,1)", "0", "8")).find("found 2048"), std::string::npos);
  EXPECT_NE(error_of(with("(32,1,1)", "1000000", "8")).find("bytes of shared memory a block"),
            std::string::npos);
  EXPECT_NE(error_of(with("(32,1,1)", "0", "300")).find("255 registers a thread"),
            std::string::npos);
}

TEST(NvbitForms, LaunchesNumberedOneHigherKeepTheirNames) {
  const Totals totals = totals_of(public_file("nvbit_launch_ids_from_1.txt"));
  const std::map<std::string, std::uint64_t> expected = {{"first(float*, int)", 2},
                                                         {"second(float*, int)", 33}};
  EXPECT_EQ(totals.wavefronts_of_kernel, expected);
}

TEST(NvbitForms, LaunchesNumberedAsTheirAccessesKeepTheirNames) {
  std::string text = read_file(public_file("nvbit_launch_ids_from_1.txt"));
  for (const char launch : {'1', '2'}) {
    const std::string key = "grid launch id ";
    const std::size_t begin = text.find(key + launch);
    ASSERT_NE(begin, std::string::npos);
    text[begin + key.size()] = static_cast<char>(launch - 1);
  }
  const TemporaryFolder folder;
  const Totals totals = totals_of(folder.write("new.txt", text));
  const std::map<std::string, std::uint64_t> expected = {{"first(float*, int)", 2},
                                                         {"second(float*, int)", 33}};
  EXPECT_EQ(totals.wavefronts_of_kernel, expected);
}

std::string nvbit_line(const std::string& opcode, const std::string& address) {
  std::string line = "MEMTRACE: CTX 0x1 - grid_launch_id 0 - CTA 0,0,0 - warp 0 - " + opcode + " -";
  for (int lane = 0; lane < 32; ++lane) line += ' ' + address;
  return line + '\n';
}

TEST(NvbitForms, CopiesOfWhichOnlyTheGlobalAddressIsKnownAreCounted) {
  const TemporaryFolder folder;
  const std::string global = nvbit_line("LDGSTS.E.BYPASS.128", "0x7f0012340000");
  const std::string shared = nvbit_line("LDGSTS.E.BYPASS.128", "0x400");
  EXPECT_EQ(totals_of(folder.write("both.txt", global + shared)).skipped.copies_without_offsets,
            0u);
  const Totals totals = totals_of(folder.write("global.txt", global + global + shared));
  EXPECT_EQ(totals.skipped.copies_without_offsets, 1u);
  const CommandRun run = run_smemsim({"run", folder.path("global.txt"), "--fast"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.err.find("1 asynchronous cop"), std::string::npos) << run.err;
}

TEST(NvbitForms, ADamagedPrefixLosesNoRecordSilently) {
  const TemporaryFolder folder;
  const std::string good = nvbit_line("LDS", "0x400");
  const std::string damaged = good + "MEMTRACE CTX 0x1 - grid_launch_id 0" + good.substr(37);
  EXPECT_NE(error_of(folder.write("damaged.txt", damaged)).find(":2: expected MEMTRACE: CTX"),
            std::string::npos);
  // A program's own output without a line break stands before it.
  const Totals totals = totals_of(folder.write("output.txt", good + "step 1 done " + good));
  EXPECT_EQ(totals.by_class.at(OperationClass::ld).instructions, 2u);
}

TEST(TextForms, ALastLineWithoutLineBreakIsTold) {
  const TemporaryFolder folder;
  std::string list = "op,bytes,mask,addresses\nld,4,ffffffff,";
  for (int lane = 0; lane < 32; ++lane) list += (lane == 0 ? "" : " ") + std::to_string(128 * lane);
  EXPECT_EQ(totals_of(folder.write("whole.csv", list + "\n")).skipped.lines_without_end, 0u);
  EXPECT_EQ(totals_of(folder.write("cut.csv", list)).skipped.lines_without_end, 1u);
  EXPECT_EQ(totals_of(folder.write("comment.csv", list + "\n# end")).skipped.lines_without_end, 0u);
  const std::string nvbit = nvbit_line("LDS", "0x400");
  EXPECT_EQ(totals_of(folder.write("cut.txt", nvbit + nvbit.substr(0, nvbit.size() - 2)))
                .skipped.lines_without_end,
            1u);
  const CommandRun run = run_smemsim({"run", folder.path("cut.csv"), "--fast"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.err.find("no line break"), std::string::npos) << run.err;
}

TEST(TextForms, AByteOrderMarkAndCarriageReturnsChangeNothing) {
  const TemporaryFolder folder;
  std::string list = "\xef\xbb\xbf# exported\r\nop,bytes,mask,addresses\r\nld,4,1,0";
  for (int lane = 1; lane < 32; ++lane) list += " 0";
  EXPECT_EQ(totals_of(folder.write("marked.csv", list + "\r\n"))
                .by_class.at(OperationClass::ld)
                .instructions,
            1u);
  const std::string accel = read_file(public_file("accel_v6.traceg"));
  EXPECT_EQ(totals_of(folder.write("marked.traceg", "\xef\xbb\xbf" + accel))
                .by_class.at(OperationClass::ld)
                .wavefronts,
            72u);
}

TEST(TextForms, WhatHoldsNothingIsAnError) {
  const TemporaryFolder folder;
  EXPECT_NE(error_of(folder.write("header.csv", "op,bytes,mask,addresses\n"))
                .find("expected an access behind the header"),
            std::string::npos);
  EXPECT_NE(error_of(folder.write("copies.g", "MemcpyHtoD,0x1,8\nMemcpyHtoD,0x2,8\n"))
                .find("expected the name of a kernel's trace"),
            std::string::npos);
}

TEST(ProgramForms, DepthAndNumbersAreBounded) {
  const TemporaryFolder folder;
  const CommandRun deep = run_smemsim({"run", folder.write("deep.json", std::string(100000, '['))});
  EXPECT_EQ(deep.exit_code, 1) << deep.err;
  const CommandRun balanced = run_smemsim(
      {"run", folder.write("balanced.json", std::string(100000, '[') + std::string(100000, ']'))});
  EXPECT_EQ(balanced.exit_code, 1) << balanced.err;
  EXPECT_NE(balanced.err.find("within each other"), std::string::npos) << balanced.err;
  const CommandRun after = run_smemsim(
      {"run",
       folder.write("after.json", R"([{"id":0,"name":"x","ops":[{"op":"ld","bytes":4,"ways":1,)"
                                  R"("after":18446744073709551615}]}])")});
  EXPECT_EQ(after.exit_code, 1) << after.out;
}

class NsightForms : public ::testing::TestWithParam<const char*> {};

TEST_P(NsightForms, AreComparedWithCountersInFull) {
  const CommandRun run = run_smemsim({"compare", public_file("scan_trace.csv"), "--measured",
                                      public_file(GetParam()), "--format", "csv"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("op_ld.sum,8192,8192,0\n"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("e+06"), std::string::npos) << run.out;
  EXPECT_NE((run.out + run.err).find("1004499"), std::string::npos) << run.out;
}

INSTANTIATE_TEST_SUITE_P(PublicFiles, NsightForms,
                         ::testing::Values("ncu_details_short_rows.csv",
                                           "ncu_details_full_rows.csv"));

}  // namespace
}  // namespace smem::test
