// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>

namespace smem {

/// Digits without a prefix, as pcs and masks are written.
inline std::string hexadecimal(std::uint64_t value) {
  std::array<char, 16> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, 16);
  return {text.data(), end.ptr};
}

}  // namespace smem
