// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tests/support/command_run.hpp>

namespace smem::test {
namespace {

nlohmann::json budget(std::vector<std::string> words) {
  words.insert(words.begin(), "budget");
  words.insert(words.end(), {"--format", "json"});
  const CommandRun run = run_smemsim(words);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  return nlohmann::json::parse(run.out, nullptr, false);
}

nlohmann::json tile(std::vector<std::string> words) {
  words.insert(words.end(), {"--shared-budget", "65536"});
  return budget(words)["tile"][0];
}

TEST(BudgetCommand, GivesTheKnownAnswersOfTiles) {
  EXPECT_EQ(tile({"--tile", "32x32x32"})["shared_memory_bytes"], 8192);
  EXPECT_EQ(tile({"--tile", "32x32x32"})["blocks_by_shared_memory"], 8);
  EXPECT_EQ(tile({"--tile", "32x32x32", "--buffers", "2"})["shared_memory_bytes"], 16384);
  EXPECT_EQ(tile({"--tile", "32x32x32", "--buffers", "2"})["blocks_by_shared_memory"], 4);
  EXPECT_EQ(tile({"--tile", "32x32x32", "--pad", "1"})["padding_bytes"], 128);
  EXPECT_EQ(tile({"--tile", "32x32x32", "--pad", "1"})["blocks_by_shared_memory"], 7);
  EXPECT_EQ(tile({"--tile", "128x128x128"})["blocks_by_shared_memory"], 0);
  EXPECT_EQ(tile({"--tile", "32x32x32", "--type", "bf16"})["shared_memory_bytes"], 4096);
}

TEST(BudgetCommand, GivesTheKnownAnswersOfRegisters) {
  const auto within = budget({"--threads", "256", "--registers", "64"})["registers"][0];
  EXPECT_EQ(within["blocks_by_registers"], 4);
  EXPECT_TRUE(within["registers_over_budget"].is_null());
  const auto over =
      budget({"--threads", "256", "--registers", "80", "--register-budget", "64"})["registers"][0];
  EXPECT_EQ(over["blocks_by_registers"], 3);
  EXPECT_EQ(over["registers_over_budget"], 16);
}

TEST(BudgetCommand, GivesTheKnownAnswersOfReuse) {
  const auto reuse = budget({"--reuse-bytes", "4096", "--uses", "4"})[0];
  EXPECT_EQ(reuse["global_bytes_without_reuse"], 16384);
  EXPECT_EQ(reuse["global_bytes_with_reuse"], 4096);
  EXPECT_EQ(reuse["saved_global_bytes"], 12288);
  EXPECT_EQ(reuse["shared_write_bytes"], 4096);
  EXPECT_EQ(reuse["shared_read_bytes"], 16384);
  EXPECT_EQ(reuse["sync_points"], 1);
}

TEST(BudgetCommand, CombinesTheGpusLimits) {
  const auto tables = budget({"--tile", "64x64x32", "--threads", "256", "--registers", "80"});
  const auto resident = tables["resident blocks"][0];
  EXPECT_EQ(resident["blocks_by_shared_memory"], 13);  // 233472 / (16384 + 1024)
  EXPECT_EQ(resident["blocks_by_threads"], 8);
  EXPECT_EQ(resident["blocks_by_registers"], 3);
  EXPECT_EQ(resident["blocks_by_block_slots"], 32);
  EXPECT_EQ(resident["resident_blocks"], 3);
  EXPECT_EQ(resident["limited_by"], "registers");
  EXPECT_EQ(resident["resident_threads"], 768);
}

TEST(BudgetCommand, TakesAnyLimitFromSet) {
  const auto resident = budget({"--threads", "64", "--set", "occupancy.blocks_per_sm=2"})[0];
  EXPECT_EQ(resident["resident_blocks"], 2);
  EXPECT_EQ(resident["limited_by"], "block slots");
  EXPECT_TRUE(resident["blocks_by_shared_memory"].is_null());
}

struct BadBudget {
  std::vector<std::string> words;
  int exit_code;
  std::string message;
};

TEST(BudgetCommand, RefusesBadInputInOneLineWithoutAResult) {
  const std::vector<BadBudget> cases = {
      {{"--threads", "0"}, 1, "--threads: expected at least 1, found 0"},
      {{"--threads", "-4"}, 1, "--threads: expected at least 1, found -4"},
      {{"--threads", "2.5"}, 2, "--threads: expected a whole number, found '2.5'"},
      {{"--tile", "32x0x32"}, 1, "--tile: expected at least 1, found 0"},
      {{"--tile", "32x-1x32"}, 1, "--tile: expected at least 1, found -1"},
      {{"--tile", "32x32"}, 2, "--tile: expected MxNxK, found '32x32'"},
      {{"--tile", "32x32x32x32"}, 2, "--tile: expected a whole number, found '32x32'"},
      {{"--tile", "32x32x9999999"}, 1, "--tile: expected at most 1048576, found 9999999"},
      {{"--threads", "99999999999999999999"},
       1,
       "--threads: expected at most 1048576, found 99999999999999999999"},
      {{"--tile", "8x8x8", "--buffers", "0"}, 1, "--buffers: expected at least 1, found 0"},
      {{"--tile", "8x8x8", "--pad", "-1"}, 1, "--pad: expected at least 0, found -1"},
      {{"--tile", "8x8x8", "--shared-budget", "0"},
       1,
       "--shared-budget: expected at least 1, found 0"},
      {{"--threads", "64", "--registers", "0"}, 1, "--registers: expected at least 1, found 0"},
      {{"--registers", "64"}, 2, "--registers: expected --threads too, found none"},
      {{"--threads", "64", "--register-budget", "64"},
       2,
       "--register-budget: expected --registers too, found none"},
      {{"--reuse-bytes", "0", "--uses", "4"}, 1, "--reuse-bytes: expected at least 1, found 0"},
      {{"--reuse-bytes", "4096", "--uses", "x"}, 2, "--uses: expected a whole number, found 'x'"},
      {{"--reuse-bytes", "4096"},
       2,
       "expected --reuse-bytes and --uses together, found one of them"},
      {{}, 2, "budget: expected --tile, --shared, --threads or --reuse-bytes, found none"},
  };
  for (const BadBudget& bad : cases) {
    std::vector<std::string> words = {"budget"};
    words.insert(words.end(), bad.words.begin(), bad.words.end());
    const CommandRun run = run_smemsim(words);
    EXPECT_EQ(run.exit_code, bad.exit_code) << bad.message;
    EXPECT_EQ(run.err, "smemsim: " + bad.message + "\n");
    EXPECT_EQ(run.out, "");
  }
}

}  // namespace
}  // namespace smem::test
