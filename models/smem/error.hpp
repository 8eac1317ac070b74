// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace smem {

/// What every error of this project's own derives from: something outside the program (a file, a
/// number, a command line, an environment variable) cannot be used. `what()` is one line that says
/// where, what was expected and what was found. Anything else that is thrown is a mistake of ours.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace smem
