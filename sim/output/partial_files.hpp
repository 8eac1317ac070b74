// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace smem {

/// Opens a new file beside `target`, which no other process uses, for writing; returns its
/// descriptor and sets `partial` to its name. -1 and errno when it cannot be created. Until
/// `forget_partial` the file is removed when a signal ends the process.
[[nodiscard]] int open_partial(const std::string& target, std::string& partial);
void forget_partial(const std::string& partial);

}  // namespace smem
