// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include <smem/gpu_spec.hpp>

namespace smem::test {

inline std::uint32_t below(std::mt19937& random, std::uint32_t bound) {
  return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random);
}

/// A mask that is full, random, sparse, a run, or empty.
inline std::uint32_t random_mask(std::mt19937& random) {
  const std::uint32_t any = static_cast<std::uint32_t>(random());
  switch (below(random, 6)) {
    case 0:
      return any;
    case 1:
      return any & static_cast<std::uint32_t>(random()) & static_cast<std::uint32_t>(random());
    case 2:
      return kFullMask >> below(random, 32);
    case 3:
      return below(random, 8) == 0 ? 0u : any | static_cast<std::uint32_t>(random());
    default:
      return kFullMask;
  }
}

/// An access whose addresses are scattered, strided, few and repeated, or equal in pairs at some
/// distance (so that merging happens), over a window from one row up to `window_bytes`.
inline WarpAccess random_access(std::mt19937& random, Operation operation, std::uint8_t bytes,
                                std::uint32_t window_bytes) {
  WarpAccess access{operation, bytes, random_mask(random), {}};
  const std::uint32_t slots = window_bytes / bytes;
  const std::uint32_t reach = 1 + below(random, below(random, 2) == 0 ? slots : 64);
  const std::uint32_t stride = below(random, 70);
  const std::uint32_t start = below(random, slots);
  const unsigned pattern = below(random, 4);
  for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
    const std::uint32_t slot =
        pattern == 0 ? (start + lane * stride) % slots : (start + below(random, reach)) % slots;
    access.offsets_bytes[lane] = slot * bytes;
  }
  if (pattern >= 2) {
    const unsigned distance = 1u << below(random, pattern == 2 ? 2 : 5);
    for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
      access.offsets_bytes[lane] = access.offsets_bytes[lane & ~distance];
    }
    if (below(random, 4) == 0) access.offsets_bytes[below(random, 32)] = start * bytes;
  }
  return access;
}

/// A bank map with up to 128 banks, 1- to 16-byte words, and linear or random invertible XOR rows.
inline BankMap random_bank_map(std::mt19937& random) {
  BankMap map;
  map.bank_count_log2 = static_cast<std::uint8_t>(below(random, BankMap::kMaxBankCountLog2 + 1));
  map.word_bytes_log2 = static_cast<std::uint8_t>(below(random, 5));
  if (below(random, 3) == 0) return map;
  const std::uint32_t low_bits_only = below(random, 2) == 0 ? 0xfffu : ~(map.bank_count() - 1u);
  do {
    for (unsigned bit = 0; bit < map.bank_count_log2; ++bit) {
      map.bank_bit_masks[bit] =
          (1u << bit) ^ (static_cast<std::uint32_t>(random()) & 0xfffu & low_bits_only);
    }
  } while (!map.is_bijective_in_row());
  return map;
}

/// A rule with random lane groups (1 to 32 of them, lanes dealt at random), merging of 2 to 8
/// groups at random distances, either scope, sharing or serialising, or an idealised grouping.
inline AccessRule random_rule(std::mt19937& random) {
  AccessRule rule;
  rule.supported = true;
  const std::uint32_t kind = below(random, 8);
  rule.grouping = kind == 0 ? Grouping::packed : kind == 1 ? Grouping::per_lane : Grouping::masks;
  if (rule.grouping == Grouping::masks) {
    const std::uint32_t groups = 1 + below(random, below(random, 2) == 0 ? 4 : 32);
    rule.group_masks = {};
    rule.group_count = static_cast<std::uint8_t>(groups);
    const bool deal = below(random, 2) == 0;
    for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
      rule.group_masks[deal ? below(random, groups) : lane * groups / kLanesPerWarp] |= 1u << lane;
    }
    if (below(random, 3) != 0) {
      rule.merge.partner_distances =
          static_cast<std::uint32_t>(random()) & random_mask(random) & ~1u;
      rule.merge.scope = below(random, 2) == 0 ? MergeScope::warp : MergeScope::group;
      rule.merge.groups_per_merge = static_cast<std::uint8_t>(2 + below(random, 7));
    }
  }
  rule.equal_words = below(random, 3) == 0 ? EqualWords::serialize : EqualWords::share;
  rule.store_winner = below(random, 2) == 0 ? StoreWinner::lowest_lane : StoreWinner::highest_lane;
  rule.wavefront_factor = static_cast<std::uint8_t>(1 + below(random, 3));
  return rule;
}

/// A GPU whose every rule and bank map is random.
inline GpuSpec random_gpu(std::mt19937& random) {
  GpuSpec spec;
  spec.bank_map = random_bank_map(random);
  spec.shared_window_bytes = 1u << 18;
  for (AccessRule& rule : spec.rules) rule = random_rule(random);
  return spec;
}

}  // namespace smem::test
