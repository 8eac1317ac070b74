// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <numeric>
#include <tuple>

#include <gtest/gtest.h>
#include <tests/support/command_run.hpp>

// What `run` refuses of a sound trace because the clock cannot take it.

namespace smem::test {
namespace {

const std::string kAddresses =
    "0 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 104 108 112 116 "
    "120 124";

/// An access list, a load of each warp, a comment before each.
std::string list_of_warps(const std::vector<std::uint32_t>& warps, const std::string& columns = "",
                          const std::string& values = "") {
  std::string list = "op,bytes,mask,warp,addresses" + columns + "\n";
  for (const std::uint32_t warp : warps) {
    list += "# a comment\nld,4,ffffffff," + std::to_string(warp) + "," + kAddresses + values + "\n";
  }
  return list;
}

TEST(ClockInput, WarpsThatTheGpuCannotHoldAreRefusedByTheClockWithTheirLine) {
  const TemporaryFolder folder;
  std::vector<std::uint32_t> all(33);
  std::iota(all.begin(), all.end(), 0u);
  const std::vector<std::tuple<std::vector<std::uint32_t>, std::string, std::string>> cases = {
      {{0, 64}, "5", "expected a warp below the 64 that an SM of NVIDIA H200 holds, found 64"},
      {{4000000000}, "3", "found 4000000000"},
      {all, "67", "expected at most 32 warps in a block of NVIDIA H200, found 33"}};
  for (const auto& [warps, line, message] : cases) {
    const std::string file = folder.write("list.csv", list_of_warps(warps));
    const CommandRun run = run_smemsim({"run", file});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err.find("list.csv:" + line + ": expected"), std::string::npos) << run.err;
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
    EXPECT_EQ(run_smemsim({"run", file, "--fast"}).exit_code, 0);
  }
  const std::string packed = folder.path("list.smt");
  ASSERT_EQ(
      run_smemsim({"convert", folder.write("list.csv", list_of_warps({0, 99})), packed}).exit_code,
      0);
  const CommandRun run = run_smemsim({"run", packed});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("list.smt: record 1: expected a warp below"), std::string::npos)
      << run.err;
}

TEST(ClockInput, ProgramsWhoseWarpsStartLateAreRefused) {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "late.json",
      R"([{"id": 7, "name": "late", "late": [0, 4], "ops": [{"op": "ld", "bytes": 4, "ways": 1, "after": -1}]}])");
  const std::string measured = folder.write("measured.csv", "program,warps,total_cycles\n7,2,90\n");
  for (const CommandRun& run :
       {run_smemsim({"run", file}), run_smemsim({"compare", file, "--measured", measured})}) {
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_NE(
        run.err.find("late.json: program 7: expected warps that start together, found `late`"),
        std::string::npos)
        << run.err;
  }
}

// A load, then a wide store: where its data is made, and where the clock is read, shows.
TEST(ClockInput, MeasurementsSayWhereTheirStartClockWasRead) {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "wide.json",
      R"([{"id": 0, "name": "wide", "ops": [{"op": "ld", "bytes": 4, "ways": 1, "after": -1},
           {"op": "st", "bytes": 16, "ways": 1, "after": -1}]}])");
  std::string arrival_output;
  for (const std::string start : {"arrival", "release", "release-data-ready"}) {
    const std::string plain = folder.write("plain.csv", "program,warps,total_cycles\n0,1,90\n");
    const std::string named =
        folder.write("named.csv", "program,warps,clock_start,total_cycles\n0,1," + start + ",90\n");
    const CommandRun asked =
        run_smemsim({"compare", file, "--measured", plain, "--clock-start", start});
    EXPECT_EQ(asked.exit_code, 0) << asked.err;
    EXPECT_EQ(run_smemsim({"compare", file, "--measured", named}).out, asked.out);
    EXPECT_EQ(run_smemsim({"compare", file, "--measured", named, "--clock-start", "arrival"}).out,
              run_smemsim({"compare", file, "--measured", plain}).out);
    if (start == "arrival")
      arrival_output = asked.out;
    else
      EXPECT_NE(asked.out, arrival_output);
  }
}

TEST(ClockInput, MeasurementsWithAnUnknownOrChangingStartClockAreRefused) {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "one.json",
      R"([{"id": 0, "name": "one", "ops": [{"op": "ld", "bytes": 4, "ways": 1, "after": -1}]}])");
  for (const auto& [rows, message] : std::vector<std::pair<std::string, std::string>>{
           {"0,1,soon,90\n",
            "measured.csv:2: expected arrival, release or release-data-ready, the"},
           {"0,1,release,90\n0,2,arrival,90\n",
            "measured.csv:3: expected arrival, release or release-data-ready, the"},
           {"0,1,,90\n", "measured.csv:2: expected arrival, release or release-data-ready, the"}}) {
    const std::string measured =
        folder.write("measured.csv", "program,warps,clock_start,total_cycles\n" + rows);
    const CommandRun run = run_smemsim({"compare", file, "--measured", measured});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
  }
  const CommandRun asked = run_smemsim({"run", file, "--clock-start", "soon"});
  EXPECT_EQ(asked.exit_code, 2);
  EXPECT_NE(asked.err.find("expected arrival, release or release-data-ready"), std::string::npos);
}

TEST(ClockInput, AsManyWarpsAsABlockHoldsRunWhateverTheirSlotsOfTheSm) {
  const TemporaryFolder folder;
  std::vector<std::uint32_t> low(32);
  std::iota(low.begin(), low.end(), 0u);
  std::vector<std::uint32_t> high(32);
  std::iota(high.begin(), high.end(), 32u);
  const auto cycles = [&](const std::vector<std::uint32_t>& warps) {
    const CommandRun run =
        run_smemsim({"run", folder.write("list.csv", list_of_warps(warps)), "--show", "cycles"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.out;
  };
  EXPECT_EQ(cycles(high), cycles(low));
}

TEST(ClockInput, NumbersPastWhatTheClockCountsAreRefusedWithTheirLine) {
  const TemporaryFolder folder;
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {",count", ",4294967296", "list.csv:3: expected at most 4294967295 repetitions"},
      {",count", ",3000000000", "list.csv:5: expected at most 4294967295 loads of a warp"},
      {",depends_on", ",1", "list.csv:3: expected a dependence on one of 0 earlier records"}};
  for (const auto& [columns, values, message] : cases) {
    const std::string file = folder.write("list.csv", list_of_warps({0, 0}, columns, values));
    const CommandRun run = run_smemsim({"run", file});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
  }
  const std::string idle = "op,bytes,mask,issue_gap_instructions,addresses\nld,4,0,4294967295," +
                           kAddresses + "\nld,4,ffffffff,0," + kAddresses + "\n";
  const CommandRun run = run_smemsim({"run", folder.write("idle.csv", idle)});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("idle.csv:3: expected at most 4294967295 instructions before an access"),
            std::string::npos)
      << run.err;
}

}  // namespace
}  // namespace smem::test
