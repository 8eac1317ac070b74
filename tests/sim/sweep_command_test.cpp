// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tests/support/command_run.hpp>

namespace smem::test {
namespace {

TEST(SweepCommand, PrintsOneLineACombinationAsCsv) {
  const CommandRun run = run_smemsim({"sweep", "--chunk", "64", "--pad", "0,1", "--type", "fp32",
                                      "--width", "4,16", "--threads", "64", "--format", "csv"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out,
            "chunk,pad,type,element_bytes,width_bytes,threads,shared_memory_bytes,stride_words,gcd,"
            "aligned,issued_width_bytes,wavefronts,least_wavefronts,ways,cycles_per_access,"
            "shared_bound_tb_per_s,published_pad,published_pad_ways,best_pad,best_pad_ways\n"
            "64,0,fp32,4,4,64,16384,64,32,yes,4,32,1,32,32,1.04544,4,4,1,1\n"
            "64,0,fp32,4,16,64,16384,64,32,yes,16,32,4,8,32,4.18176,4,1,4,1\n"
            "64,1,fp32,4,4,64,16636,65,1,yes,4,1,1,1,1,33.4541,4,4,1,1\n"
            "64,1,fp32,4,16,64,16636,65,1,no,4,4,4,1,4,33.4541,4,1,4,1\n");
}

TEST(SweepCommand, BandwidthFollowsTheGpusClockAndSms) {
  const CommandRun run =
      run_smemsim({"sweep", "--chunk", "63", "--pad", "0", "--width", "4", "--set", "sm_count=100",
                   "--set", "sm_clock_mhz=1000", "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto rows = nlohmann::json::parse(run.out);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["shared_bound_tb_per_s"], 12.8);  // 100 SMs * 1 GHz * 128 bytes a cycle
}

TEST(SweepCommand, TakesRangesAndSeveralTypes) {
  const CommandRun run = run_smemsim({"sweep", "--chunk", "32:64:16", "--pad", "0:1", "--type",
                                      "fp16,bf16,8", "--width", "8", "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out).size(), 3u * 2 * 3);
}

TEST(SweepCommand, LeavesBlankWhatDoesNotFitOrHasNoFormula) {
  const CommandRun run = run_smemsim({"sweep", "--chunk", "33,100001", "--pad", "0", "--type",
                                      "fp16", "--width", "2", "--format", "json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto rows = nlohmann::json::parse(run.out);
  EXPECT_TRUE(rows[0]["gcd"].is_null());
  EXPECT_EQ(rows[0]["stride_words"], 16.5);
  EXPECT_FALSE(rows[0]["ways"].is_null());
  EXPECT_TRUE(rows[1]["ways"].is_null());
  EXPECT_TRUE(rows[1]["best_pad"].is_null());
}

struct BadSweep {
  std::vector<std::string> words;
  int exit_code;
  std::string message;
};

TEST(SweepCommand, RefusesBadInputInOneLineWithoutAResult) {
  const std::vector<BadSweep> cases = {
      {{"--chunk", "-1"}, 1, "chunk: expected chunk of at least 1, found -1"},
      {{"--chunk=-1"}, 1, "chunk: expected chunk of at least 1, found -1"},
      {{"--chunk", "0"}, 1, "chunk: expected chunk of at least 1, found 0"},
      {{"--pad", "-2"}, 1, "chunk: expected pad of at least 0, found -2"},
      {{"--width", "3"}, 2, "--width: expected 1, 2, 4, 8 or 16, found 3"},
      {{"--width", "4,x"},
       2,
       "--width: expected whole numbers and ranges such as 8,16 or 0:32:4, found 'x'"},
      {{"--threads", "2000"}, 1, "chunk: expected at most 1024 threads a block, found 2000"},
      {{"--chunk", "1.5"},
       2,
       "--chunk: expected whole numbers and ranges such as 8,16 or 0:32:4, found '1.5'"},
      {{"--chunk", ""},
       2,
       "--chunk: expected whole numbers and ranges such as 8,16 or 0:32:4, found ''"},
      {{"--chunk", "8:4"},
       2,
       "--chunk: expected a range that ends at or after its start, found '8:4'"},
      {{"--chunk", "4:8:0"}, 2, "--chunk: expected a range's step of at least 1, found '4:8:0'"},
      {{"--chunk", "1:99999999"},
       1,
       "--chunk: expected at most 65536 values, found more in 1:99999999"},
      {{"--chunk", "99999999999999999999"},
       1,
       "--chunk: expected numbers from -1099511627776 to 1099511627776, found "
       "99999999999999999999"},
      {{"--set", "x"}, 2, "--set: expected KEY.PATH=VALUE, found 'x'"},
      {{"--set", "=4"}, 2, "--set: expected KEY.PATH=VALUE, found '=4'"},
      {{"--set", "sm_count=0"},
       1,
       "--set sm_count=0: sm_count: expected a whole number from 1 to 65536, found '0'"},
      {{"--op", "red"}, 2, "--op: expected ld or st, found 'red'"},
      {{"--type", "fp32,"}, 2, "--type: expected words separated by commas, found 'fp32,'"},
      {{"--type", "fp12"},
       2,
       "--type: expected one of fp64, fp32, tf32, bf16, fp16, fp8, int64, int32, int16, int8, 1, "
       "2, "
       "4, 8, 16, found 'fp12'"},
  };
  for (const BadSweep& bad : cases) {
    std::vector<std::string> words = {"sweep"};
    words.insert(words.end(), bad.words.begin(), bad.words.end());
    const CommandRun run = run_smemsim(words);
    EXPECT_EQ(run.exit_code, bad.exit_code) << bad.message;
    EXPECT_EQ(run.err, "smemsim: " + bad.message + "\n");
    EXPECT_EQ(run.out, "");
  }
}

}  // namespace
}  // namespace smem::test
