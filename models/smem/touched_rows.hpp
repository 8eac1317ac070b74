// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include <smem/bank_map.hpp>
#include <smem/warp_access.hpp>

namespace smem {

/// How a group of lanes loads the banks.
struct BankLoad {
  std::uint16_t tallest = 0;         ///< max over banks of distinct words
  std::uint16_t tallest_serial = 0;  ///< max over banks of word touches, equal words included
  std::uint16_t distinct_words = 0;
};

namespace detail {

/// A set of up to kCapacity / 2 keys on the stack: open addressing, linear probing.
template <unsigned kCapacity>
class KeySet {
 public:
  static_assert(std::has_single_bit(kCapacity));

  /// Adds `key`; true when it was not in the set.
  constexpr bool insert(std::uint32_t key) {
    const std::uint32_t stored = key + 1;  // 0 marks a free slot
    std::uint32_t slot = (stored * 0x9e3779b1u) >> (32 - std::countr_zero(kCapacity));
    while (slots_[slot] != 0) {
      if (slots_[slot] == stored) return false;
      slot = (slot + 1) & (kCapacity - 1);
    }
    slots_[slot] = stored;
    return true;
  }

 private:
  std::array<std::uint32_t, kCapacity> slots_{};
};

/// Counts *units* per bank: a unit is one bank word, or, when the map keeps runs of words together,
/// one lane's whole aligned access, whose words always hit the same set of banks.
template <unsigned kCapacity>
constexpr BankLoad count_units(const BankMap& map, const WarpAccess& access, std::uint32_t lanes,
                               unsigned unit_words_log2, unsigned units_per_lane) {
  KeySet<kCapacity> touched;
  std::array<std::uint16_t, 128> distinct{};
  std::array<std::uint16_t, 128> touches{};
  BankLoad load;
  const std::uint32_t linear_mask = map.bank_count() - 1;
  const bool linear = map.is_linear();
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t first_word =
        map.word_of(access.offsets_bytes[static_cast<unsigned>(std::countr_zero(lanes))]);
    for (unsigned index = 0; index < units_per_lane; ++index) {
      const std::uint32_t word = first_word + index;
      const std::uint32_t bank =
          (linear ? word & linear_mask : map.bank_of_word(word)) >> unit_words_log2;
      const std::uint16_t serial = ++touches[bank];
      if (serial > load.tallest_serial) load.tallest_serial = serial;
      if (!touched.insert(word >> unit_words_log2)) continue;
      const std::uint16_t height = ++distinct[bank];
      if (height > load.tallest) load.tallest = height;
      ++load.distinct_words;
    }
  }
  load.distinct_words = static_cast<std::uint16_t>(load.distinct_words << unit_words_log2);
  return load;
}

}  // namespace detail

/// Counts the distinct words each bank must serve for `lanes` of an access.
/// `access.offsets_bytes` of these lanes are aligned to `access.bytes_per_lane`.
constexpr BankLoad bank_load(const BankMap& map, const WarpAccess& access, std::uint32_t lanes) {
  const unsigned lane_words_log2 =
      access.bytes_per_lane > map.word_bytes()
          ? static_cast<unsigned>(std::countr_zero(access.bytes_per_lane)) - map.word_bytes_log2
          : 0;
  const unsigned lane_count = static_cast<unsigned>(std::popcount(lanes));
  if (lane_words_log2 == 0 || map.keeps_runs_of(lane_words_log2)) {
    return detail::count_units<64>(map, access, lanes, lane_words_log2, 1);
  }
  const unsigned lane_words = 1u << lane_words_log2;
  if (lane_count * lane_words <= 64) {
    return detail::count_units<128>(map, access, lanes, 0, lane_words);
  }
  return lane_count * lane_words <= 128
             ? detail::count_units<256>(map, access, lanes, 0, lane_words)
             : detail::count_units<1024>(map, access, lanes, 0, lane_words);
}

}  // namespace smem
