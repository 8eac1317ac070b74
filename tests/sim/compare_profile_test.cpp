// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <tests/support/command_run.hpp>

namespace smem::test {
namespace {

const std::string kLoadConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";

/// Nsight Compute's counters of the conv5 sample (traces/measured/h200/README.md), as its raw page.
std::string raw_page(const std::string& load_conflicts) {
  return "==PROF== Connected to process 1\n\"ID\",\"Kernel Name\",\"" + kLoadConflicts +
         "\",\"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum\","
         "\"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum\",\"gpc__cycles_elapsed.max\"\n"
         "\"\",\"\",\"\",\"\",\"\",\"cycle\"\n"
         "\"0\",\"conv5(float *)\",\"" +
         load_conflicts + "\",\"614,400\",\"6,912\",\"123,456\"\n";
}

TEST(CompareProfile, CountersOfALaunchAgree) {
  const TemporaryFolder folder;
  const std::string profile = folder.write("ncu.csv", raw_page("307,200"));
  const CommandRun run =
      run_smemsim({"compare", source_file("traces/samples/conv5.csv.zst"), "--measured", profile,
                   "--tolerance", "0", "--format", "csv"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("conv5(float *),0,," + kLoadConflicts + ",307200,307200,0"),
            std::string::npos)
      << run.out;
  EXPECT_EQ(run.out.find("gpc__cycles"), std::string::npos);
}

TEST(CompareCommand, ATraceWithoutMeasurementsIsWrongUsage) {
  const CommandRun run = run_smemsim({"compare", source_file("traces/samples/conv3.smt")});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find("needs --measured"), std::string::npos) << run.err;
}

TEST(CompareCommand, ToleranceAndWorstAreNumbersOfAtLeastZero) {
  const std::string list = source_file("traces/samples/published_cases.csv");
  using Wrong = std::pair<const char*, int>;
  for (const auto& [wrong, exit_code] : {Wrong{"-1", 1}, Wrong{"nan", 2}, Wrong{"x", 2}}) {
    const CommandRun run = run_smemsim({"compare", list, "--tolerance", wrong});
    EXPECT_EQ(run.exit_code, exit_code) << wrong;
    EXPECT_EQ(run.out, "") << wrong;
  }
  for (const auto& [wrong, exit_code] : {Wrong{"-1", 1}, Wrong{"1.5", 2}, Wrong{"x", 2}}) {
    const CommandRun run = run_smemsim({"compare", list, "--worst", wrong});
    EXPECT_EQ(run.exit_code, exit_code) << wrong;
    EXPECT_EQ(run.out, "") << wrong;
    EXPECT_NE(run.err.find("--worst: expected"), std::string::npos) << run.err;
  }
}

TEST(CompareProfile, ADeviationPastTheToleranceFails) {
  const TemporaryFolder folder;
  const std::string profile = folder.write("ncu.csv", raw_page("300,000"));
  const auto run = [&](const std::string& tolerance) {
    return run_smemsim({"compare", source_file("traces/samples/conv5.csv.zst"), "--measured",
                        profile, "--tolerance", tolerance})
        .exit_code;
  };
  EXPECT_EQ(run("2"), 1);
  EXPECT_EQ(run("3"), 0);
}

TEST(CompareProfile, SourceRowsMeetThePcsOfTheTrace) {
  const TemporaryFolder folder;
  // The measured numbers are made up; the predicted one must be that of `run --by pc`.
  const std::string profile = folder.write(
      "source.csv",
      "\"#\",\"Address\",\"Source\",\"L1 Wavefronts Shared\",\"L1 Wavefronts Shared Ideal\"\n"
      "\"0\",\"7f0000000000\",\"MOV R1, c[0x0][0x28]\",\"0\",\"0\"\n"
      "\"1\",\"7f0000000340\",\"STS [R2], R4\",\"1,536\",\"768\"\n");
  const CommandRun run = run_smemsim({"compare", source_file("traces/samples/conv5.csv.zst"),
                                      "--measured", profile, "--format", "csv"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const CommandRun by_pc = run_smemsim({"run", "--fast", "--by", "pc", "--format", "csv",
                                        source_file("traces/samples/conv5.csv.zst")});
  const std::size_t row = by_pc.out.find("conv5,340,st,4,");
  ASSERT_NE(row, std::string::npos) << by_pc.out;
  std::string numbers = by_pc.out.substr(row + 15, by_pc.out.find('\n', row) - row - 15);
  numbers.erase(0, numbers.find(',') + 1);  // instructions
  const std::string wavefronts = numbers.substr(0, numbers.find(','));
  EXPECT_NE(run.out.find(",340,L1 Wavefronts Shared,1536," + wavefronts + ","), std::string::npos)
      << run.out << wavefronts;
}

TEST(CompareProfile, AReportWithoutCountersOfSharedMemoryIsAnError) {
  const TemporaryFolder folder;
  const std::string profile =
      folder.write("ncu.csv", "\"ID\",\"Kernel Name\",\"gpc__cycles\"\n\"0\",\"k\",\"5\"\n");
  const CommandRun run =
      run_smemsim({"compare", source_file("traces/samples/conv5.csv.zst"), "--measured", profile});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("expected counters of shared memory"), std::string::npos) << run.err;
  EXPECT_EQ(run.out, "");
}

}  // namespace
}  // namespace smem::test
