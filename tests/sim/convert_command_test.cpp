// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <gtest/gtest.h>
#include <tests/support/command_run.hpp>

namespace smem::test {
namespace {

const std::string kList =
    "#! gpu NVIDIA H200\n"
    "#! capture_tool by hand\n"
    "#! kernel grid=2x1x1 block=64x1x1 shared_bytes=4096 registers_per_thread=32 name=first(int)\n"
    "#! array begin_bytes=0 end_bytes=2048 name=tile\n"
    "op,bytes,mask,addresses,kernel,block,warp,pc,count,issue_gap_instructions,depends_on,"
    "dependent_instructions,stored\n"
    "ld,4,ffffffff,0 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 104 "
    "108 112 116 120 124,0,0,0,120,1,0,0,0,\n"
    "st,2,3,512 514 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0,0,1,1,1f0,3,7,1,2,"
    "0100 0203 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 "
    "0000 "
    "0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000\n"
    "bar.sync,0,ffffffff,,0,1,1,200,1,0,0,0,\n";

TEST(Convert, ThroughSmtAndBackIsTheSameList) {
  const TemporaryFolder folder;
  const std::string list = folder.write("list.csv", kList);
  for (const std::string ending : {".csv", ".csv.gz", ".csv.zst"}) {
    const std::string smt = folder.path("trace.smt");
    const std::string back = folder.path("back" + ending);
    EXPECT_EQ(run_smemsim({"convert", list, smt}).exit_code, 0);
    const CommandRun run = run_smemsim({"convert", smt, back});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out + run.err, "");
    EXPECT_EQ(run_smemsim({"convert", back, "-", "--to", "csv"}).out, kList);
  }
}

TEST(Convert, FormatsAreToldApartByContent) {
  const TemporaryFolder folder;
  const std::string list = folder.write("no_ending", kList);
  const std::string smt = folder.path("also_no_ending");
  EXPECT_EQ(run_smemsim({"convert", list, smt, "--to", "smt"}).exit_code, 0);
  EXPECT_EQ(run_smemsim({"run", "--fast", smt}).out, run_smemsim({"run", "--fast", list}).out);
}

TEST(Convert, ADamagedTraceLeavesNoOutput) {
  const TemporaryFolder folder;
  const std::string smt = folder.path("trace.smt");
  EXPECT_EQ(run_smemsim({"convert", folder.write("list.csv", kList), smt}).exit_code, 0);
  const std::string bytes = read_file(smt);
  const std::string cut = folder.write("cut.smt", bytes.substr(0, bytes.size() - 40));
  const CommandRun run = run_smemsim({"convert", cut, folder.path("out.csv")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find(cut + ": byte "), std::string::npos) << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path("out.csv")));
  const CommandRun skipping =
      run_smemsim({"convert", cut, folder.path("out.csv"), "--skip-damaged"});
  EXPECT_EQ(skipping.exit_code, 0);
  EXPECT_NE(skipping.err.find("skipped 1 damaged place"), std::string::npos) << skipping.err;
  EXPECT_EQ(read_file(folder.path("out.csv")), kList);
}

TEST(Convert, WrongUseIsExplained) {
  const TemporaryFolder folder;
  const std::string list = folder.write("list.csv", kList);
  EXPECT_EQ(run_smemsim({"convert", list}).exit_code, 2);
  EXPECT_EQ(run_smemsim({"convert", list, folder.path("out.bin")}).exit_code, 2);
  EXPECT_EQ(run_smemsim({"convert", list, "-", "--to", "xml"}).exit_code, 2);
  EXPECT_EQ(run_smemsim({"convert", list, folder.path("a.smt"), "--level", "23"}).exit_code, 1);
  EXPECT_EQ(run_smemsim({"convert", list, folder.path("a.csv.gz"), "--level", "19"}).exit_code, 1);
  EXPECT_EQ(run_smemsim({"convert", list, folder.path("a.smt"), "--level", "x"}).exit_code, 2);
}

}  // namespace
}  // namespace smem::test
