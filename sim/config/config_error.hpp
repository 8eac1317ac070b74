// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace smem {

/// A configuration that cannot be used. `what()` is one line:
/// "FILE:LINE:COLUMN: KEY.PATH: expected …, found …".
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace smem
