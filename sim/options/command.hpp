// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace smem {

using Arguments = std::vector<std::string>;

/// A command line that does not fit the help: an unknown command, option or word, text where a
/// number belongs, options that are missing or exclude each other. Exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;  ///< a file or a number cannot be used; past a tolerance
inline constexpr int kExitUsage = 2;

/// One command of `smemsim`: `run` gets the words after its name, prints its result to standard
/// output and returns the exit code. It throws UsageError, InputError, ConfigError or TraceError.
struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Arguments& arguments);
};

/// All commands, in the order `--help` lists them.
std::span<const Command> commands();

}  // namespace smem
