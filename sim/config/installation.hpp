// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

namespace smem {

/// The folder above the running program's, where an installation, which may lie anywhere, has its
/// data; nothing where the program's own place is not known.
[[nodiscard]] std::optional<std::filesystem::path> installation_prefix();

}  // namespace smem
