// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tests/support/command_run.hpp>
#include <tests/support/random_access.hpp>

#include <sim/explain/access_picture.hpp>

namespace smem::test {
namespace {

TEST(ExplainCommand, DrawsATwoWayConflict) {
  const CommandRun run = run_smemsim({"explain", "--index", "lane * 2 * 4"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out,
            "ld, 4 bytes a lane, mask ffffffff, NVIDIA H200\n"
            "\n"
            "  2 wavefronts, ideal 1: 1 bank conflict\n"
            "  2 cycles an instruction at best: 2 wavefronts, 1 cycle of data transfer\n"
            "  2 wavefronts would be the least with any grouping of these lanes\n"
            "\n"
            "  1 group: this operation and width serves all lanes at once.\n"
            "\n"
            "Group 1: lanes 0-31, 2 wavefronts: bank 0 is the tallest, 2 different words\n"
            "bank 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 "
            "27 28 29 30 31\n"
            "  1  0  .  1  .  2  .  3  .  4  .  5  .  6  .  7  .  8  .  9  . 10  . 11  . 12  . 13 "
            " . 14  . 15  .\n"
            "  2 16  . 17  . 18  . 19  . 20  . 21  . 22  . 23  . 24  . 25  . 26  . 27  . 28  . 29 "
            " . 30  . 31  .\n"
            "  Bank 0: word 0 (bytes 0-3): lane 0; word 32 (bytes 128-131): lane 16\n");
}

TEST(ExplainCommand, NamesTheFirstLanesThatBreakThePairRuleAtEachDistance) {
  const CommandRun run =
      run_smemsim({"explain", "--bytes", "16", "--index", "lane / 4 * 16 + (lane & 2) * 256"});
  EXPECT_NE(run.out.find("2 groups, merged."), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("    distance 1: all pair up\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("    distance 2: lanes 0 and 2 differ (bytes 0 and 512)\n"),
            std::string::npos)
      << run.out;
  const CommandRun apart = run_smemsim({"explain", "--bytes", "16", "--index", "lane % 4 * 16"});
  EXPECT_NE(apart.out.find("4 groups, not merged."), std::string::npos) << apart.out;
  EXPECT_NE(apart.out.find("    distance 1: lanes 0 and 1 differ (bytes 0 and 16)\n"),
            std::string::npos)
      << apart.out;
  EXPECT_NE(apart.out.find("  Broadcast: words 0-3 (bytes 0-15): lanes 0,4;"), std::string::npos)
      << apart.out;
}

TEST(ExplainCommand, SaysWhichLanesOfAStoreLose) {
  const CommandRun run =
      run_smemsim({"explain", "--op", "st", "--bytes", "8", "--index", "lane % 31 * 8"});
  EXPECT_NE(run.out.find("\nLost writes: byte 0: lane 31 stays, lane 0 lost\n"), std::string::npos)
      << run.out;
}

TEST(ExplainCommand, ShowsTwoWavefrontsForEveryTurnOfACompareAndSwap) {
  const CommandRun run = run_smemsim(
      {"explain", "--op", "atom.cas.b32", "--index", "lane % 16 * 4", "--format", "json"});
  const auto document = nlohmann::json::parse(run.out);
  EXPECT_EQ(document["access"][0]["wavefronts"], 4);
  EXPECT_EQ(document["words"].size(), 32u);
  EXPECT_EQ(document["words"][31]["wavefront"], 2);
  EXPECT_EQ(document["words"][31]["lanes"], "80000000");
}

TEST(ExplainCommand, TakesTheNamedRecordOfATrace) {
  const std::string trace = source_file("traces/samples/published_cases.csv");
  const CommandRun run =
      run_smemsim({"explain", trace, "--record", "12", "--gpu", "a100", "--format", "csv"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("\nldmatrix.x4,16,ffffffff,16,4,12,4,16,4,no,"), std::string::npos)
      << run.out;
}

TEST(ExplainCommand, RefusesWhatItCannotExplainInOneLineWithoutAResult) {
  const std::string trace = source_file("traces/samples/published_cases.csv");
  struct BadExplain {
    std::vector<std::string> arguments;
    int exit_code;
    std::string message;
  };
  const std::string aligned =
      " 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 "
      "100 104 108 112 116 120 124";
  const std::vector<BadExplain> cases = {
      {{}, 2, "expected one of TRACE, --addresses and --index, found 0"},
      {{trace, "--index", "0"}, 2, "expected one of TRACE, --addresses and --index, found 2"},
      {{trace, "--record", "15"}, 1, "expected a number below the 15 records"},
      {{trace, "--record", "-1"}, 1, "--record: expected at least 0, found -1"},
      {{trace, "--record", "99999999999999999999"}, 1, "expected a number below the 15 records"},
      {{trace, "--record", "x"}, 2, "--record: expected a whole number, found 'x'"},
      {{trace, "--bytes", "4"}, 2, "--bytes: expected --addresses or --index, found TRACE"},
      {{"--index", "0", "--record", "0"}, 2, "--record: expected TRACE, found none"},
      {{"--index", "lane *"}, 2, "--index: column 7: expected a number"},
      {{"--index", "lane / 0"}, 1, "--index: column 6: expected a divisor that is not 0"},
      {{"--index", "lane"}, 1, "expected addresses that are multiples of 4, found 1 in lane 1"},
      {{"--index", "-4"},
       1,
       "--index: expected byte offsets from 0 to 4294967295, found -4 in lane 0"},
      {{"--index", "lane << 20"},
       1,
       "bytes of shared memory of NVIDIA H200, found 1048576 in lane 1"},
      {{"--addresses", "0 4"}, 2, "--addresses: expected 32 byte offsets, found 2"},
      {{"--addresses", "0 x"}, 2, "--addresses: expected a whole number, found 'x'"},
      {{"--addresses", "-4" + aligned}, 1, "--addresses: expected at least 0, found -4"},
      {{"--addresses", "2" + aligned}, 1, "addresses that are multiples of 4, found 2 in lane 0"},
      {{"--addresses", "233472" + aligned}, 1, "of shared memory of NVIDIA H200, found 233472"},
      {{"--addresses", "4294967296" + aligned},
       1,
       "--addresses: expected at most 4294967295, found 4294967296"},
      {{"--index", "0", "--mask", "xyz"}, 2, "--mask: expected up to 8 hexadecimal digits"},
      {{"--index", "0", "--op", "mov"}, 2, "--op: expected an operation"},
      {{"--index", "0", "--op", "ldmatrix.x4", "--bytes", "4"}, 2, "--bytes: expected 16"},
      {{"--index", "0", "--bytes", "3"}, 2, "--bytes: expected 1, 2, 4, 8 or 16, found '3'"},
      {{"--index", "0", "--op", "ldmatrix.x4", "--set", "access_rules.ldmatrix.bytes_per_lane=[8]"},
       1,
       "an access rule for, found ldmatrix.x4 of 16 bytes"},
  };
  for (const auto& [arguments, exit_code, message] : cases) {
    std::vector<std::string> words = {"explain"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const CommandRun run = run_smemsim(words);
    EXPECT_EQ(run.exit_code, exit_code) << message;
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

// Property: no line is wider than 100 characters, and there is one row of lanes per bank row and
// turn. Generator: support/random_access.hpp, 100 random GPUs, every operation. Seed 5.
TEST(AccessPicture, FitsAHundredColumnsWhateverTheGpuAndTheAccess) {
  std::mt19937 random(5);
  for (unsigned gpu = 0; gpu < 100; ++gpu) {
    const GpuSpec spec = random_gpu(random);
    for (const OperationTraits& operation : kOperationTraits) {
      const auto bytes = static_cast<std::uint8_t>(1u << below(random, 5));
      if (operation.rule_kind == RuleKind::none) continue;
      const WarpAccess access = random_access(random, operation.operation, bytes, 1u << 17);
      const AccessExplanation explanation = explain_access(spec, access);
      std::stringstream picture;
      draw_access(picture, explanation, "a GPU");
      std::size_t rows = 0;
      for (std::string line; std::getline(picture, line);) {
        ASSERT_LE(line.size(), 100u) << line;
        const std::size_t digit = line.find_first_not_of(' ');
        const bool is_row =
            digit <= 3 && line.find_first_not_of("0123456789+. ") == std::string::npos;
        rows += is_row && !line.starts_with("    ") ? 1u : 0u;
      }
      std::size_t turns = 0;
      for (const ExplainedGroup& group : explanation.groups) turns += group.collisions.turns;
      const std::size_t bank_rows = (spec.bank_map.bank_count() + 31) / 32;
      ASSERT_EQ(rows, turns * bank_rows) << picture.str();
    }
  }
}

}  // namespace
}  // namespace smem::test
