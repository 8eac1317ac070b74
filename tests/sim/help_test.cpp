// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <tests/support/command_run.hpp>

#include <sim/commands/commands.hpp>
#include <sim/output/text_columns.hpp>

namespace smem {
namespace {

std::string help_of(const Command& command) {
  const test::CommandRun run = test::run_smemsim({std::string(command.name), "--help"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.out;
}

TEST(Help, OfEveryCommandKeepsWithinAHundredColumns) {
  for (const Command& command : commands()) {
    std::istringstream lines(help_of(command));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(text_columns(line), 100u) << command.name << ": " << line;
    }
  }
}

TEST(Help, OfEveryCommandStartsTheTextOfAllOptionsInOneColumn) {
  for (const Command& command : commands()) {
    const std::string help = help_of(command);
    const std::size_t end = help.find("print this\n");
    ASSERT_NE(end, std::string::npos) << command.name;
    const std::size_t column = end - (help.rfind('\n', end) + 1);
    std::istringstream lines(help.substr(help.find("Options:\n"), end));
    std::size_t options = 0;
    for (std::string line; std::getline(lines, line) && !line.starts_with("  --help");) {
      if (!line.starts_with(' ')) continue;
      options += line.starts_with("  --") ? 1 : 0;
      const std::size_t name_end = line.find("  ", 2);
      if (line.starts_with("  --")) {
        ASSERT_NE(name_end, std::string::npos) << command.name << ": " << line;
        EXPECT_EQ(text_columns(line.substr(0, line.find_first_not_of(' ', name_end))), column)
            << command.name << ": " << line;
      } else {
        EXPECT_EQ(line.find_first_not_of(' '), column) << command.name << ": " << line;
      }
    }
    EXPECT_GE(options, 4u) << command.name;
  }
}

}  // namespace
}  // namespace smem
