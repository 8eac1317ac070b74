// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include <sim/config/config_loader.hpp>
#include <smem/analyzer.hpp>

namespace smem {
namespace {

std::string h200_text() {
  std::ifstream in(std::string(SMEMSIM_SOURCE_DIR) + "/configs/h200.yaml");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// "LINE:COLUMN" of the first `marker` in `text`.
std::string place_of(const std::string& text, const std::string& marker) {
  const std::size_t at = text.find(marker);
  EXPECT_NE(at, std::string::npos) << marker;
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  const std::size_t line_begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  return std::to_string(line + 1) + ":" + std::to_string(at - line_begin + 1);
}

std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parse_gpu_spec(text, "gpu.yaml", overrides);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

/// One edit of h200.yaml that must be refused: `from` becomes `to`, and the message is
/// "gpu.yaml:" + the place of `marker` + ": " + `message`.
struct BadEdit {
  const char* name;
  std::string from;
  std::string to;
  std::string marker;
  std::string message;
};

class BadConfig : public testing::TestWithParam<BadEdit> {};

TEST_P(BadConfig, IsRefusedWithFileLineColumnAndKeyPath) {
  const BadEdit& edit = GetParam();
  std::string text = h200_text();
  const std::size_t at = text.find(edit.from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, edit.from.size(), edit.to);
  const std::string message = error_of(text);
  EXPECT_EQ(message.substr(0, message.find(',')),
            "gpu.yaml:" + place_of(text, edit.marker) + ": " +
                edit.message.substr(0, edit.message.find(',')));
  EXPECT_NE(message.find(edit.message), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

const std::string kLd64 = "operations: [ld]\n    bytes_per_lane: [8]\n";

INSTANTIATE_TEST_SUITE_P(
    Edits, BadConfig,
    testing::Values(
        BadEdit{"WrongType", "sm_count: 132", "sm_count: many", "many",
                "sm_count: expected a whole number from 1 to 65536, found 'many'"},
        BadEdit{"Negative", "sm_count: 132", "sm_count: -1", "-1",
                "sm_count: expected a whole number from 1 to 65536, found '-1'"},
        BadEdit{"Fraction", "sm_count: 132", "sm_count: 1.5", "1.5",
                "sm_count: expected a whole number from 1 to 65536, found '1.5'"},
        BadEdit{"OutOfRange", "sm_count: 132", "sm_count: 0", "0            #",
                "sm_count: expected a whole number from 1 to 65536, found '0'"},
        BadEdit{"ListForANumber", "sm_count: 132", "sm_count: [132]", "[132]",
                "sm_count: expected a whole number from 1 to 65536, found a list"},
        BadEdit{"EmptyValue", "name: NVIDIA H200", "name:", "sm_count",
                "name: expected text, found nothing"},
        BadEdit{"NameTooLong", "name: NVIDIA H200", "name: " + std::string(48, 'x'), "xxx",
                "name: expected at most 47 characters, found '" + std::string(48, 'x') + "'"},
        BadEdit{"MissingKey", "sm_clock_mhz:", "#", "name: NVIDIA",
                "sm_clock_mhz: expected this key, found none"},
        BadEdit{"MissingNestedKey", "  word_bytes: 4", "",
                "bank_count:", "bank_map.word_bytes: expected this key, found none"},
        BadEdit{"UnknownKey", "sm_count: 132", "sm_count: 132\ncolour: red", "colour",
                "colour: expected one of the keys access_rules, bank_map"},
        BadEdit{"UnknownNestedKey", "  word_bytes: 4", "  word_bytes: 4\n  color: 1", "color",
                "bank_map.color: expected one of the keys bank_bits, bank_count, word_bytes, found "
                "'color'"},
        BadEdit{"KeyTwice", "  word_bytes: 4", "  word_bytes: 4\n  word_bytes: 8", "word_bytes: 8",
                "bank_map.word_bytes: expected this key once"},
        BadEdit{"ScalarForAMapping", "occupancy:\n", "occupancy: 3\nrest:\n", "3\nrest",
                "occupancy: expected a mapping, found '3'"},
        BadEdit{"BanksNoPowerOfTwo", "bank_count: 32", "bank_count: 31", "31 ",
                "bank_map.bank_count: expected a power of two, found '31'"},
        BadEdit{"UnknownBankMap", "bank_bits: linear", "bank_bits: random", "random",
                "bank_map.bank_bits: expected one of linear, found 'random'"},
        BadEdit{"TooFewBankRows", "bank_bits: linear", "bank_bits: [[0], [1]]", "[[0]",
                "bank_map.bank_bits: expected `linear` or one list of word-address bits per bank "
                "bit (5), found a list"},
        BadEdit{"BankBitOutOfRange", "bank_bits: linear",
                "bank_bits: [[0], [1], [2], [3], [4, 32]]", "32]]",
                "bank_map.bank_bits.4.1: expected a whole number from 0 to 31, found '32'"},
        BadEdit{"BankMapNotBijective", "bank_bits: linear",
                "bank_bits: [[0], [1], [0, 1], [3], [4]]", "[[0]",
                "bank_map.bank_bits: expected rows that put the words of a row on different banks"},
        BadEdit{"UnknownOperation", kLd64, "operations: [mov]\n    bytes_per_lane: [8]\n", "mov]",
                "access_rules.ld_64.operations.0: expected one of ld, st"},
        BadEdit{"WidthNoPowerOfTwo", kLd64, "operations: [ld]\n    bytes_per_lane: [12]\n", "12]",
                "access_rules.ld_64.bytes_per_lane.0: expected 1, 2, 4, 8 or 16, found '12'"},
        BadEdit{"RuleTwice", kLd64, "operations: [ld]\n    bytes_per_lane: [4]\n",
                "4]\n    groups: [\"0-15",
                "access_rules.ld_64.bytes_per_lane.0: expected an operation and width that no "
                "earlier rule has, found '4'"},
        BadEdit{"LanesOutOfRange", "[\"0-15\", \"16-31\"]", "[\"0-15\", \"16-32\"]", "\"16-32",
                "access_rules.ld_64.groups.1: expected lanes such as \"0-15\" or \"0-3,8-11\""},
        BadEdit{"LanesBackwards", "[\"0-15\", \"16-31\"]", "[\"15-0\", \"16-31\"]", "\"15-0",
                "access_rules.ld_64.groups.0: expected lanes such as \"0-15\" or \"0-3,8-11\""},
        BadEdit{"LaneInTwoGroups", "[\"0-15\", \"16-31\"]", "[\"0-16\", \"16-31\"]", "\"16-31",
                "access_rules.ld_64.groups.1: expected lanes that no earlier group has"},
        BadEdit{"LaneInNoGroup", "[\"0-15\", \"16-31\"]", "[\"0-15\", \"17-31\"]", "[\"0-15",
                "access_rules.ld_64.groups: expected groups that cover all 32 lanes"},
        BadEdit{"UnknownGrouping", "[\"0-15\", \"16-31\"]", "quarters", "quarters",
                "access_rules.ld_64.groups: expected one of packed, per_lane, found 'quarters'"},
        BadEdit{"UnknownMergeScope", "scope: warp", "scope: block", "block, groups",
                "access_rules.ld_64.merge.scope: expected one of warp, group, found 'block'"},
        BadEdit{"MergeOfOne", "groups_per_merge: 2", "groups_per_merge: 1", "1}",
                "access_rules.ld_64.merge.groups_per_merge: expected a whole number from 2 to 32"},
        BadEdit{"DistanceOutOfRange", "partner_distances: [1, 2]", "partner_distances: [1, 32]",
                "32]",
                "access_rules.ld_64.merge.partner_distances.1: expected a whole number from 1 to "
                "31, found '32'"},
        BadEdit{"UnknownWinner", "store_winner: lowest_lane", "store_winner: first", "first\n",
                "access_rules.st_narrow.store_winner: expected one of lowest_lane, highest_lane, "
                "found 'first'"},
        BadEdit{"NoYaml", "name: NVIDIA H200", "name: [", "sm_clock_mhz",
                "expected YAML: end of sequence flow not found"}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

TEST(ConfigLoader, RefusesWhatIsNoMapping) {
  EXPECT_EQ(error_of("just text"), "gpu.yaml:1:1: expected a mapping");
  EXPECT_EQ(error_of(""), "gpu.yaml:1:1: expected a mapping");
}

TEST(ConfigLoader, NamesTheKnownGpusWhenAskedForAnother) {
  try {
    find_config("h300");
    FAIL() << "found";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "--gpu: expected a YAML file or one of a100, h100, h200, rtx3090, rtx4090, "
                 "rtx5080, t4, found 'h300'");
  }
}

TEST(ConfigLoader, RefusesAFileThatIsNotThere) {
  EXPECT_THROW(load_gpu_spec("/nowhere/gpu.yaml"), ConfigError);
}

TEST(ConfigOverride, ChangesTheNamedValueAndNothingElse) {
  const std::vector<std::string> overrides = {"sm_count=7", "bank_map.bank_count=64",
                                              "access_rules.ld_64.groups=packed",
                                              "access_rules.ld_128.groups.0=0-7"};
  GpuSpec expected = parse_gpu_spec(h200_text(), "gpu.yaml");
  expected.sm_count = 7;
  expected.bank_map.bank_count_log2 = 6;
  AccessRule& rule = expected.rules[RuleKey{RuleKind::load, 8}.index()];
  rule.grouping = Grouping::packed;
  rule.group_count = 1;
  rule.group_masks = {kFullMask};
  EXPECT_EQ(parse_gpu_spec(h200_text(), "gpu.yaml", overrides), expected);
}

TEST(ConfigOverride, AddsAnOptionalKey) {
  const std::vector<std::string> overrides = {"access_rules.reduction.wavefront_factor=3"};
  const GpuSpec spec = parse_gpu_spec(h200_text(), "gpu.yaml", overrides);
  EXPECT_EQ(spec.rule({RuleKind::reduction, 4}).wavefront_factor, 3);
}

TEST(ConfigOverride, IsNamedInEveryMessageAboutIt) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"sm_count=many",
       "--set sm_count=many: sm_count: expected a whole number from 1 to 65536, found 'many'"},
      {"bank_map.bank_count=31",
       "--set bank_map.bank_count=31: bank_map.bank_count: expected a power of two, found '31'"},
      {"access_rules.ld_64.merge.scope=block",
       "--set access_rules.ld_64.merge.scope=block: access_rules.ld_64.merge.scope: expected one "
       "of warp, group, found 'block'"},
      {"access_rules.ld_64.merge={scope: warp}",
       "--set access_rules.ld_64.merge={scope: warp}: access_rules.ld_64.merge.partner_distances: "
       "expected this key, found none"},
      {"bank_map.colour=red",
       "--set bank_map.colour=red: bank_map.colour: expected one of the keys bank_bits, "
       "bank_count, "
       "word_bytes, found 'colour'"},
      {"banks.count=3", "--set banks.count=3: expected a key of the file, found 'banks'"},
      {"sm_count.x=3",
       "--set sm_count.x=3: expected a key with keys below it, found a value above "
       "'x'"},
      {"access_rules.ld_64.groups.2=0",
       "--set access_rules.ld_64.groups.2=0: expected an index "
       "below 2, found '2'"},
      {"sm_count", "--set sm_count: expected key.path=value"},
      {"=3", "--set =3: expected key.path=value"},
      {"bank_map..x=3", "--set bank_map..x=3: expected a key of the file, found ''"},
      {"sm_count=[", "--set sm_count=[: expected a YAML value: "},
  };
  for (const auto& [assignment, message] : cases) {
    const std::string error = error_of(h200_text(), {assignment});
    EXPECT_EQ(error.substr(0, message.size()), message);
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
}

TEST(BankMapConfig, ReadsXorRowsAsParitiesOfWordAddressBits) {
  const std::vector<std::string> overrides = {
      "bank_map.bank_bits=[[0, 5], [1, 6], [2, 7], [3], [4, 0]]"};
  const BankMap map = parse_gpu_spec(h200_text(), "gpu.yaml", overrides).bank_map;
  EXPECT_EQ(map.bank_bit_masks[0], (1u << 0) | (1u << 5));
  EXPECT_EQ(map.bank_bit_masks[4], (1u << 4) | (1u << 0));
  for (std::uint32_t row = 0; row < 8; ++row) {
    std::set<std::uint32_t> banks;
    for (std::uint32_t word = 0; word < 32; ++word) banks.insert(map.bank_of_word(row * 32 + word));
    EXPECT_EQ(banks.size(), 32u);
  }
  EXPECT_EQ(map.bank_of_word(33), 16u)
      << "bits 0 and 5 cancel in bank bit 0; bit 0 sets bank bit 4";
}

TEST(Schema, NamesEveryKeyThatAShippedDescriptionUses) {
  std::ifstream in(std::string(SMEMSIM_SOURCE_DIR) + "/configs/README.md");
  std::stringstream schema;
  schema << in.rdbuf();
  std::stringstream lines(h200_text());
  std::size_t keys = 0;
  bool in_rules = false;  // the names of rules, two spaces deep, are free
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    const std::size_t colon = line.find(':');
    if (begin == std::string::npos || line[begin] == '#' || colon == std::string::npos) continue;
    const std::string key = line.substr(begin, colon - begin);
    if (begin == 0) in_rules = key == "access_rules";
    if (in_rules && begin == 2) continue;
    EXPECT_NE(schema.str().find("`" + key + "`"), std::string::npos) << key;
    ++keys;
  }
  EXPECT_GT(keys, 50u);
}

TEST(ShippedConfigs, AllLoadAndSupportEveryLoadAndStoreWidth) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(SMEMSIM_SOURCE_DIR) + "/configs")) {
    if (entry.path().extension() != ".yaml") continue;
    ++files;
    const GpuSpec spec = load_gpu_spec(entry.path().string());
    for (const std::uint8_t bytes : {std::uint8_t{1}, std::uint8_t{4}, std::uint8_t{16}}) {
      EXPECT_TRUE(spec.supports(Operation::load, bytes)) << entry.path();
      EXPECT_TRUE(spec.supports(Operation::store, bytes)) << entry.path();
    }
    EXPECT_EQ(spec.shared_window_bytes, spec.occupancy.shared_memory_per_sm_bytes) << entry.path();
    EXPECT_EQ(spec.occupancy.shared_memory_per_block_bytes +
                  spec.occupancy.shared_memory_reserved_per_block_bytes,
              spec.occupancy.shared_memory_per_sm_bytes)
        << entry.path();
  }
  EXPECT_GE(files, 4u);
}

// Every number of a clock says itself where it comes from.
TEST(ShippedConfigs, EveryTimingLineNamesItsSource) {
  std::ifstream file(std::string(SMEMSIM_SOURCE_DIR) + "/configs/h200.yaml");
  const std::regex marked("  [a-z_]+: +[a-z_0-9]+ +# \\[(measured|fitted|published|assumed)\\].*");
  std::size_t numbers = 0;
  bool in_timing = false;
  for (std::string line; std::getline(file, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || line[begin] == '#') continue;
    if (begin == 0) in_timing = line.starts_with("timing:");
    if (!in_timing || begin == 0) continue;
    EXPECT_TRUE(std::regex_match(line, marked)) << line;
    ++numbers;
  }
  EXPECT_GT(numbers, 20u);
}

}  // namespace
}  // namespace smem
