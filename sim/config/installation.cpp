// SPDX-License-Identifier: Apache-2.0
#include <sim/config/installation.hpp>

namespace smem {

std::optional<std::filesystem::path> installation_prefix() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  return program.parent_path().parent_path();
}

}  // namespace smem
