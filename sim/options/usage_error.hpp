// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace smem {

/// The words of a command line behind the command's name.
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

}  // namespace smem
