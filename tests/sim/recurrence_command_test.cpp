// SPDX-License-Identifier: Apache-2.0
// --timing recurrence prints what --timing systemc prints, or refuses with the reason.
#include <gtest/gtest.h>
#include <tests/support/command_run.hpp>

namespace smem::test {
namespace {

CommandRun run_with(std::vector<std::string> arguments, const std::string& method) {
  arguments.insert(arguments.end(), {"--timing", method});
  return run_smemsim(arguments);
}

std::string measured(const std::string& name) {
  return source_file("traces/measured/h200/" + name);
}

const std::string kOneWarp =
    "conv:grid_x=1,grid_y=1,grid_z=1,block_x=8,block_y=4,block_z=1,channels=3";

void expect_same_output(const std::vector<std::string>& arguments) {
  const CommandRun systemc = run_with(arguments, "systemc");
  const CommandRun recurrence = run_with(arguments, "recurrence");
  EXPECT_EQ(systemc.exit_code, 0) << systemc.err;
  EXPECT_EQ(recurrence.exit_code, 0) << recurrence.err;
  EXPECT_FALSE(systemc.out.empty());
  EXPECT_EQ(systemc.out, recurrence.out);
}

TEST(RecurrenceCommand, PrintsTheSameTablesOfATrace) {
  expect_same_output({"run", kOneWarp, "--show", "accesses,cycles,stalls,warps"});
}

TEST(RecurrenceCommand, WritesTheSameCyclesOfEveryAccess) {
  const TemporaryFolder folder;
  for (const char* method : {"systemc", "recurrence"}) {
    const CommandRun run = run_with({"run", kOneWarp, "--per-access", folder.path(method)}, method);
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
  EXPECT_EQ(read_file(folder.path("systemc")), read_file(folder.path("recurrence")));
}

TEST(RecurrenceCommand, PrintsTheSameProgramTimings) {
  expect_same_output({"run", measured("programs/random.json"), "--warps", "1"});
}

TEST(RecurrenceCommand, ComparesTheSame) {
  const TemporaryFolder folder;
  const std::string one_warp =
      folder.write("measured.csv", "program,warps,total_cycles\n0,1,100\n1,1,200\n2,1,300\n");
  expect_same_output({"compare", measured("programs/systematic.json"), "--measured", one_warp});
}

TEST(RecurrenceCommand, RefusesWarpsSideBySideWithTheReason) {
  for (const CommandRun& run :
       {run_with({"run", measured("programs/random.json"), "--warps", "2"}, "recurrence"),
        run_with({"compare", measured("programs/systematic.json"), "--measured",
                  measured("programs/systematic_measured.csv")},
                 "recurrence")}) {
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err.find("smemsim: the recurrence needs one warp a block, found 2"), 0u)
        << run.err;
  }
}

TEST(RecurrenceCommand, RefusesWhatNeedsTheModules) {
  const TemporaryFolder folder;
  const CommandRun view =
      run_with({"run", kOneWarp, "--vcd", folder.path("waves.vcd")}, "recurrence");
  EXPECT_EQ(view.exit_code, 2);
  EXPECT_NE(view.err.find("--vcd: expected --timing systemc, found --timing recurrence"),
            std::string::npos)
      << view.err;
  EXPECT_EQ(run_with({"run", kOneWarp, "--fast"}, "recurrence").exit_code, 2);
  const CommandRun unknown = run_with({"run", kOneWarp}, "guess");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("--timing: expected systemc or recurrence, found 'guess'"),
            std::string::npos)
      << unknown.err;
}

}  // namespace
}  // namespace smem::test
