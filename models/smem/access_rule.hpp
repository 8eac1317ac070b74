// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include <smem/warp_access.hpp>

namespace smem {

/// How the lanes of a warp are split before the banks serve them.
enum class Grouping : std::uint8_t {
  masks,     ///< the groups listed in the rule, one after the other
  packed,    ///< one group of all lanes: any conflict-free set of words fits one wavefront
  per_lane,  ///< every lane alone
};

/// What equal words in one group do.
enum class EqualWords : std::uint8_t {
  share,      ///< one bank cycle serves all lanes of a word
  serialize,  ///< every lane on a bank takes its own turn
};

/// Whose value stays when lanes of one group write the same byte. Later groups overwrite earlier
/// ones.
enum class StoreWinner : std::uint8_t { lowest_lane, highest_lane };

/// Whether the partner condition is decided for the whole warp or for each merged group.
enum class MergeScope : std::uint8_t { warp, group };

/// Neighbouring groups become one when every lane pairs up: for one distance d, every lane i is
/// inactive, or lane i^d is, or both have the same address.
struct MergeRule {
  std::uint32_t partner_distances = 0;  ///< bit d set: distance d counts; 0 = never merges
  MergeScope scope = MergeScope::warp;
  std::uint8_t groups_per_merge = 1;  ///< how many neighbouring groups become one

  friend constexpr bool operator==(const MergeRule&, const MergeRule&) = default;
};

/// Everything one (operation, width) of a GPU decides about an access by itself.
struct AccessRule {
  static constexpr unsigned kMaxGroups = kLanesPerWarp;

  bool supported = false;
  Grouping grouping = Grouping::masks;
  std::uint8_t group_count = 1;
  std::array<std::uint32_t, kMaxGroups> group_masks = {
      kFullMask};  ///< in the order they are served
  MergeRule merge;
  EqualWords equal_words = EqualWords::share;
  std::uint8_t wavefront_factor = 1;  ///< bank cycles a turn takes (2 for compare-and-swap)
  StoreWinner store_winner = StoreWinner::lowest_lane;
  std::uint8_t transfer_cycles = 1;         ///< data path cycles, per matrix for ldmatrix/stmatrix
  std::uint8_t merged_transfer_cycles = 1;  ///< the same when groups have merged

  friend constexpr bool operator==(const AccessRule&, const AccessRule&) = default;
};

/// The lane groups an access is served in: non-empty, in order.
struct LaneGroups {
  std::uint8_t count = 0;
  bool merged = false;  ///< every set of neighbouring groups became one
  std::array<std::uint32_t, AccessRule::kMaxGroups> masks{};

  constexpr void add(std::uint32_t mask) {
    if (mask != 0) masks[count++] = mask;
  }
};

/// Whether the lanes of `lanes` pair up at one of the rule's distances (see MergeRule).
[[nodiscard]] constexpr bool partners_agree(const MergeRule& merge, const WarpAccess& access,
                                            std::uint32_t lanes) {
  for (std::uint32_t left = merge.partner_distances; left != 0; left &= left - 1) {
    const unsigned distance = static_cast<unsigned>(std::countr_zero(left));
    bool agree = true;
    for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
      const unsigned partner = lane ^ distance;
      const bool both = ((lanes >> lane) & (lanes >> partner) & 1u) != 0;
      agree &= !both || access.offsets_bytes[lane] == access.offsets_bytes[partner];
    }
    if (agree) return true;
  }
  return false;
}

namespace detail {

[[nodiscard]] constexpr LaneGroups mask_groups(const AccessRule& rule, const WarpAccess& access,
                                               std::uint32_t lanes) {
  LaneGroups groups;
  const unsigned step = rule.merge.groups_per_merge;
  const bool can_merge = step > 1 && rule.merge.partner_distances != 0;
  groups.merged = can_merge;
  const bool warp_agrees = can_merge && rule.merge.scope == MergeScope::warp &&
                           partners_agree(rule.merge, access, lanes);
  for (unsigned first = 0; first < rule.group_count; first += can_merge ? step : 1) {
    if (!can_merge) {
      groups.add(rule.group_masks[first] & lanes);
      continue;
    }
    const unsigned end = first + step < rule.group_count ? first + step : rule.group_count;
    std::uint32_t together = 0;
    for (unsigned index = first; index < end; ++index) together |= rule.group_masks[index] & lanes;
    if (warp_agrees ||
        (rule.merge.scope == MergeScope::group && partners_agree(rule.merge, access, together))) {
      groups.add(together);
      continue;
    }
    groups.merged = false;
    for (unsigned index = first; index < end; ++index) groups.add(rule.group_masks[index] & lanes);
  }
  return groups;
}

}  // namespace detail

/// Splits an access into the groups the banks serve one after the other.
[[nodiscard]] constexpr LaneGroups lane_groups(const AccessRule& rule, const WarpAccess& access) {
  const std::uint32_t lanes = addressing_lanes(access);
  LaneGroups groups;
  switch (rule.grouping) {
    case Grouping::packed:
      groups.add(lanes);
      return groups;
    case Grouping::per_lane:
      for_each_lane(lanes, [&](unsigned lane) { groups.add(1u << lane); });
      return groups;
    case Grouping::masks:
      return detail::mask_groups(rule, access, lanes);
  }
  return groups;
}

}  // namespace smem
