// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include <smem/gpu_spec.hpp>

namespace smem {

/// Where the words of an asynchronous copy (LDGSTS) come from.
enum class CopySource : std::uint8_t {
  l1_hit,
  l1_miss,
  bypass,  ///< past L1 (`.cg`): the data never pass the load-store data stage
};

/// The banks that L1's tags are looked up in, one line a bank and pass: bank bit i is the parity of
/// the line's index ANDed with `bank_bit_masks[i]`.
struct TagBanks {
  std::uint8_t line_bytes_log2 = 7;
  std::array<std::uint64_t, 2> bank_bit_masks = {1, 2};
};

/// One warp's copy: both sides' byte offsets, multiples of the bytes a lane.
struct AsyncCopy {
  WarpAccess shared;
  std::array<std::uint64_t, kLanesPerWarp> global_bytes{};
};

struct AsyncCopyCost {
  std::uint16_t wavefronts = 0;      ///< passes through the data stage
  std::uint16_t bank_conflicts = 0;  ///< passes beyond the first of each group
};

namespace detail {

/// A set of up to 128 banks.
struct BankSet {
  std::array<std::uint64_t, 2> bits{};

  constexpr void add(std::uint32_t bank) { bits[bank / 64] |= std::uint64_t{1} << (bank % 64); }
  constexpr void add(const BankSet& other) {
    bits[0] |= other.bits[0];
    bits[1] |= other.bits[1];
  }
  [[nodiscard]] constexpr bool meets(const BankSet& other) const {
    return ((bits[0] & other.bits[0]) | (bits[1] & other.bits[1])) != 0;
  }
};

[[nodiscard]] constexpr BankSet banks_of(const BankMap& map, std::uint64_t address,
                                         std::uint32_t bytes) {
  BankSet banks;
  const auto word = static_cast<std::uint32_t>(address >> map.word_bytes_log2);
  for (std::uint32_t step = 0; step * map.word_bytes() < bytes; ++step) {
    banks.add(map.bank_of_word(word + step));
  }
  return banks;
}

/// Passes of the lanes of one group. In each, lanes are looked at from the lowest up, and one is
/// served if no lower waiting lane, served or not, uses one of its banks on either side.
[[nodiscard]] constexpr unsigned copy_passes(const BankMap& map, const AsyncCopy& copy,
                                             std::uint32_t lanes) {
  unsigned passes = 0;
  for (std::uint32_t waiting = lanes; waiting != 0; ++passes) {
    BankSet shared_taken;
    BankSet global_taken;
    std::uint32_t left = 0;
    for (std::uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint32_t bytes = copy.shared.bytes_per_lane;
      const BankSet shared = banks_of(map, copy.shared.offsets_bytes[lane], bytes);
      const BankSet global = banks_of(map, copy.global_bytes[lane], bytes);
      if (shared.meets(shared_taken) || global.meets(global_taken)) left |= 1u << lane;
      shared_taken.add(shared);
      global_taken.add(global);
    }
    waiting = left;
  }
  return passes;
}

/// The lanes of each pass through the tags: a pass takes one line of every tag bank, in the order
/// in which the lanes name them.
struct TagPasses {
  std::array<std::uint32_t, kLanesPerWarp> lanes{};
  unsigned count = 0;
};

[[nodiscard]] constexpr TagPasses tag_passes(const TagBanks& tags, const AsyncCopy& copy) {
  TagPasses passes;
  std::array<std::uint8_t, kLanesPerWarp> pass_of{};
  std::array<std::uint8_t, 4> lines_of_bank{};
  const auto line_of = [&](unsigned lane) {
    return copy.global_bytes[lane] >> tags.line_bytes_log2;
  };
  std::uint32_t seen = 0;
  for_each_lane(copy.shared.active_mask, [&](unsigned lane) {
    std::uint32_t same = seen;
    while (same != 0 && line_of(static_cast<unsigned>(std::countr_zero(same))) != line_of(lane)) {
      same &= same - 1;
    }
    if (same != 0) {
      pass_of[lane] = pass_of[static_cast<unsigned>(std::countr_zero(same))];
    } else {
      unsigned bank = 0;
      for (unsigned bit = 0; bit < tags.bank_bit_masks.size(); ++bit) {
        const int ones = std::popcount(line_of(lane) & tags.bank_bit_masks[bit]);
        bank |= (static_cast<unsigned>(ones) & 1u) << bit;
      }
      pass_of[lane] = lines_of_bank[bank]++;
    }
    seen |= 1u << lane;
    passes.lanes[pass_of[lane]] |= 1u << lane;
    if (passes.count <= pass_of[lane]) passes.count = pass_of[lane] + 1u;
  });
  return passes;
}

}  // namespace detail

/// What an asynchronous copy costs by itself, with both sides' addresses. On a miss every pass
/// through the tags is served by itself; on a hit all lanes are. The groups are those of the GPU's
/// rule for such a copy. Precondition: `spec.supports` it. The words of L1 lie in the banks of
/// shared memory.
[[nodiscard]] constexpr AsyncCopyCost analyze_async_copy(const GpuSpec& spec, const AsyncCopy& copy,
                                                         CopySource source, const TagBanks& tags) {
  if (source == CopySource::bypass) return {};
  detail::TagPasses passes{{copy.shared.active_mask}, 1};
  if (source == CopySource::l1_miss) passes = detail::tag_passes(tags, copy);
  const LaneGroups groups = lane_groups(spec.rule_of(copy.shared), copy.shared);
  unsigned turns = 0;
  unsigned first_turns = 0;
  for (unsigned pass = 0; pass < passes.count; ++pass) {
    for (unsigned group = 0; group < groups.count; ++group) {
      const std::uint32_t lanes = groups.masks[group] & passes.lanes[pass];
      turns += detail::copy_passes(spec.bank_map, copy, lanes);
      first_turns += lanes == 0 ? 0 : 1;
    }
  }
  return {static_cast<std::uint16_t>(turns), static_cast<std::uint16_t>(turns - first_turns)};
}

}  // namespace smem
