// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace smem {

/// CuTe's Swizzle<bits, base, shift> of an index (elements or bytes, as the layout counts): the
/// field of `bits` bits at `base` + `shift` is XORed into the field at `base`. For <2, 3, 3>:
///
///   index   ... i8 [i7 i6] i5 [i4 i3] i2 i1 i0
///   result  ... i8  i7 i6  i5 [i4^i7 i3^i6] i2 i1 i0
///
/// A negative shift goes the other way: the field at `base` is XORed into the one at `base` +
/// |shift|. The fields must not overlap: |shift| >= bits. A permutation that is its own inverse.
struct Swizzle {
  std::uint8_t bits = 0;
  std::uint8_t base = 0;
  std::int8_t shift = 0;

  /// Whether the two fields lie apart and inside 32 bits.
  [[nodiscard]] constexpr bool is_valid() const {
    const int distance = shift < 0 ? -shift : shift;
    return bits == 0 || (distance >= bits && bits + base + distance <= 32);
  }

  /// Precondition: is_valid().
  constexpr std::uint32_t operator()(std::uint32_t index) const {
    if (bits == 0) return index;
    const std::uint32_t field = ((1u << bits) - 1u) << base;
    if (shift >= 0) return index ^ ((index >> shift) & field);
    return index ^ ((index & field) << -shift);
  }

  friend constexpr bool operator==(const Swizzle&, const Swizzle&) = default;
};

/// The plain XOR swizzle of a tile: in row r, vector v of a row of `vectors` (a power of two) lies
/// where v ^ (r mod vectors) would.
[[nodiscard]] constexpr std::uint32_t xor_swizzled(std::uint32_t row, std::uint32_t vector,
                                                   std::uint32_t vectors) {
  return vector ^ (row & (vectors - 1));
}

}  // namespace smem
