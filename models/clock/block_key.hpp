// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace smem::clock {

/// A thread block, among all that a simulation runs.
struct BlockKey {
  std::uint32_t kernel = 0;
  std::uint32_t block = 0;

  friend auto operator<=>(const BlockKey&, const BlockKey&) = default;
};

}  // namespace smem::clock
