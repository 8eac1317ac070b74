// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include <sim/options/usage_error.hpp>

namespace smem {

/// One command of `smemsim`: `run` gets the words after its name, prints its result to standard
/// output and returns the exit code. It throws UsageError, InputError, ConfigError or TraceError.
struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Arguments& arguments);
};

/// All commands, in the order `--help` lists them.
[[nodiscard]] std::span<const Command> commands();

// Each in a file of its name; a command is its file, its line here and its row in commands.cpp.
int run_command(const Arguments& arguments);
int explain_command(const Arguments& arguments);
int convert_command(const Arguments& arguments);
int sweep_command(const Arguments& arguments);
int budget_command(const Arguments& arguments);
int time_command(const Arguments& arguments);
int compare_command(const Arguments& arguments);

}  // namespace smem
