// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include <smem/access_rule.hpp>
#include <smem/bank_map.hpp>
#include <smem/warp_access.hpp>

namespace smem {

/// How a group of lanes loads the banks.
struct BankLoad {
  std::uint16_t turns = 0;         ///< words that the tallest bank serves
  std::uint16_t served_words = 0;  ///< words that all banks serve
};

namespace detail {

/// A set of up to kCapacity / 2 keys on the stack: open addressing, linear probing.
template <unsigned kCapacity>
class KeySet {
 public:
  static_assert(std::has_single_bit(kCapacity));

  /// Adds `key`; 1 when it was not in the set, else 0.
  constexpr std::uint16_t insert(std::uint32_t key) {
    const std::uint32_t stored = key + 1;  // 0 marks a free slot
    std::uint32_t slot = (stored * 0x9e3779b1u) >> (32 - std::countr_zero(kCapacity));
    while (slots_[slot] != 0 && slots_[slot] != stored) slot = (slot + 1) & (kCapacity - 1);
    const std::uint16_t is_new = slots_[slot] == 0 ? 1 : 0;
    slots_[slot] = stored;
    return is_new;
  }

 private:
  std::array<std::uint32_t, kCapacity> slots_{};
};

/// What the lanes of a group touch, in *units*: a unit is one bank word, or, when the map keeps
/// runs of words together, one lane's whole aligned access, whose words always hit the same set of
/// banks.
struct Units {
  std::uint8_t words_log2 = 0;  ///< of one unit
  std::uint8_t per_lane = 1;
};

[[nodiscard]] constexpr Units units_of(const BankMap& map, std::uint8_t bytes_per_lane) {
  if (bytes_per_lane <= map.word_bytes()) return {};
  const unsigned words_log2 =
      static_cast<unsigned>(std::countr_zero(bytes_per_lane)) - map.word_bytes_log2;
  if (map.keeps_runs_of(words_log2)) return {static_cast<std::uint8_t>(words_log2), 1};
  return {0, static_cast<std::uint8_t>(1u << words_log2)};
}

/// Calls `visit(bank, unit)` for every unit of every lane; both are indices counted in units.
template <class Visit>
constexpr void for_each_unit(const BankMap& map, const WarpAccess& access, std::uint32_t lanes,
                             Units units, Visit visit) {
  const std::uint32_t linear_mask = map.bank_count() - 1;
  const bool linear = map.is_linear();
  for (; lanes != 0; lanes &= lanes - 1) {
    const std::uint32_t first_word =
        map.word_of(access.offsets_bytes[static_cast<unsigned>(std::countr_zero(lanes))]);
    for (std::uint32_t word = first_word; word < first_word + units.per_lane; ++word) {
      const std::uint32_t bank = linear ? word & linear_mask : map.bank_of_word(word);
      visit(bank >> units.words_log2, word >> units.words_log2);
    }
  }
}

/// Heights of all banks, and of the tallest.
struct BankHeights {
  std::array<std::uint16_t, 1u << BankMap::kMaxBankCountLog2> heights{};
  std::uint16_t tallest = 0;

  constexpr void raise(std::uint32_t bank, std::uint16_t by) {
    const auto height = static_cast<std::uint16_t>(heights[bank] + by);
    heights[bank] = height;
    tallest = height > tallest ? height : tallest;
  }
};

/// The load when lanes share equal words. kCapacity: at least twice the units touched; eight times
/// saves most second probes.
template <unsigned kCapacity>
[[nodiscard]] constexpr BankLoad shared_load(const BankMap& map, const WarpAccess& access,
                                             std::uint32_t lanes, Units units) {
  KeySet<kCapacity> touched;
  BankHeights banks;
  std::uint16_t distinct = 0;
  std::uint32_t previous = ~0u;
  for_each_unit(map, access, lanes, units, [&](std::uint32_t bank, std::uint32_t unit) {
    if (unit == previous) return;
    previous = unit;
    const std::uint16_t is_new = touched.insert(unit);
    banks.raise(bank, is_new);
    distinct = static_cast<std::uint16_t>(distinct + is_new);
  });
  return {banks.tallest, static_cast<std::uint16_t>(distinct << units.words_log2)};
}

/// The load when every lane's words are served by themselves.
[[nodiscard]] constexpr BankLoad serial_load(const BankMap& map, const WarpAccess& access,
                                             std::uint32_t lanes, Units units) {
  BankHeights banks;
  for_each_unit(map, access, lanes, units,
                [&](std::uint32_t bank, std::uint32_t) { banks.raise(bank, 1); });
  const unsigned served = static_cast<unsigned>(std::popcount(lanes)) * units.per_lane;
  return {banks.tallest, static_cast<std::uint16_t>(served << units.words_log2)};
}

}  // namespace detail

/// Counts the words each bank must serve for `lanes` of an access; equal words once, or, where they
/// serialise, once a lane. `access.offsets_bytes` of these lanes are multiples of its width.
[[nodiscard]] constexpr BankLoad bank_load(const BankMap& map, EqualWords equal_words,
                                           const WarpAccess& access, std::uint32_t lanes) {
  const detail::Units units = detail::units_of(map, access.bytes_per_lane);
  if (equal_words == EqualWords::serialize) {
    return detail::serial_load(map, access, lanes, units);
  }
  const unsigned count = static_cast<unsigned>(std::popcount(lanes)) * units.per_lane;
  if (count <= 16) return detail::shared_load<64>(map, access, lanes, units);
  if (count <= 64) return detail::shared_load<256>(map, access, lanes, units);
  return detail::shared_load<1024>(map, access, lanes, units);
}

}  // namespace smem
