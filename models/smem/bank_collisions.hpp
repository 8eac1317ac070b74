// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include <smem/access_rule.hpp>
#include <smem/bank_map.hpp>

namespace smem {

/// One word a bank serves for a group of lanes.
struct ServedWord {
  std::uint32_t word = 0;   ///< word index: byte offset / word bytes
  std::uint32_t lanes = 0;  ///< the lanes it serves; more than one = broadcast
  std::uint16_t bank = 0;
  std::uint16_t turn =
      0;  ///< counted from the group's first; one turn = wavefront_factor wavefronts

  friend constexpr bool operator==(const ServedWord&, const ServedWord&) = default;
};

/// Which bank serves which word of one group, and when: the k-th distinct word of a bank, in the
/// order of the lowest lane that touches it, is served in the group's turn k. Where equal words
/// serialise, every lane's word is served by itself.
struct BankCollisions {
  static constexpr unsigned kMaxBanks = 1u << BankMap::kMaxBankCountLog2;
  static constexpr unsigned kMaxWords = kLanesPerWarp * 16;  ///< 16-byte accesses, 1-byte words

  std::uint32_t lanes = 0;         ///< the group
  std::uint16_t turns = 0;         ///< height of the tallest bank
  std::uint16_t tallest_bank = 0;  ///< the lowest-numbered of the tallest banks
  std::uint16_t word_count = 0;
  std::array<std::uint16_t, kMaxBanks> heights_turns{};  ///< words each bank serves
  std::array<ServedWord, kMaxWords> words{};  ///< in order of first touching lane, then of address

  [[nodiscard]] constexpr std::span<const ServedWord> served() const {
    return {words.data(), word_count};
  }
};

namespace detail {

/// Fills a BankCollisions touch by touch; each bank's words form a chain, newest first.
class CollisionBuilder {
 public:
  constexpr explicit CollisionBuilder(EqualWords equal_words, BankCollisions& result)
      : equal_words_(equal_words), result_(result) {
    newest_.fill(kNone);
  }

  constexpr void touch(std::uint32_t word, std::uint32_t bank, std::uint32_t lane_bit) {
    if (equal_words_ == EqualWords::share) {
      for (std::uint16_t entry = newest_[bank]; entry != kNone; entry = older_[entry]) {
        if (result_.words[entry].word != word) continue;
        result_.words[entry].lanes |= lane_bit;
        return;
      }
    }
    const std::uint16_t index = result_.word_count++;
    older_[index] = newest_[bank];
    newest_[bank] = index;
    const std::uint16_t turn = result_.heights_turns[bank]++;
    result_.words[index] = {word, lane_bit, static_cast<std::uint16_t>(bank), turn};
  }

 private:
  static constexpr std::uint16_t kNone = 0xffff;

  EqualWords equal_words_;
  BankCollisions& result_;
  std::array<std::uint16_t, BankCollisions::kMaxBanks> newest_{};
  std::array<std::uint16_t, BankCollisions::kMaxWords> older_{};
};

}  // namespace detail

/// Lays the words of `lanes` of an access on their banks and turns. `turns` times the rule's
/// `wavefront_factor` is what `group_wavefronts` says of the same group. Allocates nothing.
[[nodiscard]] constexpr BankCollisions bank_collisions(const BankMap& map, const AccessRule& rule,
                                                       const WarpAccess& access,
                                                       std::uint32_t lanes) noexcept {
  BankCollisions result;
  result.lanes = lanes;
  detail::CollisionBuilder builder(rule.equal_words, result);
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint32_t first = map.word_of(access.offsets_bytes[lane]);
    const std::uint32_t last = map.word_of(access.offsets_bytes[lane] + access.bytes_per_lane - 1u);
    for (std::uint32_t word = first; word <= last; ++word) {
      builder.touch(word, map.bank_of_word(word), 1u << lane);
    }
  }
  for (std::uint32_t bank = 0; bank < map.bank_count(); ++bank) {
    if (result.heights_turns[bank] <= result.turns) continue;
    result.turns = result.heights_turns[bank];
    result.tallest_bank = static_cast<std::uint16_t>(bank);
  }
  return result;
}

}  // namespace smem
