// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace smem {

/// Byte address -> bank, row. Any GF(2)-linear map: bank bit i is the parity of the word index
/// ANDed with `bank_bit_masks[i]`. The usual map is mask i = 1 << i, which is word mod banks:
///
///   word index   ... w7 w6 w5 | w4 w3 w2 w1 w0
///   bank bit 0 = parity(word & masks[0]),  masks[0] = 1: w0;  masks[0] = 0b100001: w0 ^ w5
///
/// A *row* is word / bank_count. `is_bijective_in_row` must hold: the words of a row lie on
/// different banks.
struct BankMap {
  static constexpr unsigned kMaxBankCountLog2 = 7;

  std::uint8_t bank_count_log2 = 5;  ///< log2 of the number of banks
  std::uint8_t word_bytes_log2 = 2;  ///< log2 of the bank's width in bytes
  std::array<std::uint32_t, kMaxBankCountLog2> bank_bit_masks = {1, 2, 4, 8, 16, 32, 64};

  [[nodiscard]] constexpr std::uint32_t bank_count() const { return 1u << bank_count_log2; }
  constexpr std::uint32_t word_bytes() const { return 1u << word_bytes_log2; }

  [[nodiscard]] constexpr std::uint32_t word_of(std::uint32_t byte_address) const {
    return byte_address >> word_bytes_log2;
  }

  [[nodiscard]] constexpr std::uint32_t row_of_word(std::uint32_t word) const {
    return word >> bank_count_log2;
  }

  [[nodiscard]] constexpr std::uint32_t bank_of_word(std::uint32_t word) const {
    if (is_linear()) return word & (bank_count() - 1);
    std::uint32_t bank = 0;
    for (unsigned bit = 0; bit < bank_count_log2; ++bit) {
      bank |= static_cast<std::uint32_t>(std::popcount(word & bank_bit_masks[bit]) & 1) << bit;
    }
    return bank;
  }

  /// The bytes after which the map repeats: the words of two bases that far apart lie on the same
  /// banks, shifted or not, so what a pattern costs depends on its base modulo that alone:
  ///
  ///   bank bit i = parity(word & mask i); adding a multiple of 2^k changes no bit below k
  ///
  /// With every mask below 2^k that is 2^k words: 128 bytes for the plain map of 32 banks of 4.
  /// 0 = 2^32: never, within 32-bit offsets.
  [[nodiscard]] constexpr std::uint32_t period_bytes() const {
    std::uint32_t mask_bits = bank_count() - 1;
    for (unsigned bit = 0; bit < bank_count_log2; ++bit) mask_bits |= bank_bit_masks[bit];
    const unsigned log2_bytes = static_cast<unsigned>(std::bit_width(mask_bits)) + word_bytes_log2;
    return log2_bytes >= 32 ? 0 : 1u << log2_bytes;
  }

  /// True for the plain map, word mod banks.
  [[nodiscard]] constexpr bool is_linear() const {
    bool linear = true;
    for (unsigned bit = 0; bit < bank_count_log2; ++bit)
      linear &= bank_bit_masks[bit] == (1u << bit);
    return linear;
  }

  /// True when an aligned run of 2^bits words always occupies an aligned run of banks in order, so
  /// that two such runs share either all their banks or none.
  [[nodiscard]] constexpr bool keeps_runs_of(unsigned bits) const {
    if (bits > bank_count_log2) return false;
    const std::uint32_t low = (1u << bits) - 1u;
    for (unsigned bit = 0; bit < bank_count_log2; ++bit) {
      if (bit < bits && bank_bit_masks[bit] != (1u << bit)) return false;
      if (bit >= bits && (bank_bit_masks[bit] & low) != 0) return false;
    }
    return true;
  }

  /// Whether the words of one row lie on different banks: the square matrix of the low word bits is
  /// invertible over GF(2).
  [[nodiscard]] constexpr bool is_bijective_in_row() const {
    std::array<std::uint32_t, kMaxBankCountLog2> rows{};
    for (unsigned bit = 0; bit < bank_count_log2; ++bit) {
      rows[bit] = bank_bit_masks[bit] & (bank_count() - 1);
    }
    for (unsigned column = 0; column < bank_count_log2; ++column) {
      unsigned pivot = column;
      while (pivot < bank_count_log2 && ((rows[pivot] >> column) & 1u) == 0) ++pivot;
      if (pivot == bank_count_log2) return false;
      const std::uint32_t pivot_row = rows[pivot];
      rows[pivot] = rows[column];
      rows[column] = pivot_row;
      for (unsigned row = 0; row < bank_count_log2; ++row) {
        if (row != column && ((rows[row] >> column) & 1u) != 0) rows[row] ^= pivot_row;
      }
    }
    return true;
  }

  friend constexpr bool operator==(const BankMap&, const BankMap&) = default;
};

}  // namespace smem
