// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <smem/operation.hpp>

namespace smem {

inline constexpr unsigned kLanesPerWarp = 32;
inline constexpr std::uint32_t kFullMask = 0xffffffffu;

/// One warp instruction on shared memory: a byte offset into the block's shared window per lane.
/// Offsets of inactive lanes mean nothing. Offsets are multiples of `bytes_per_lane`.
struct WarpAccess {
  Operation operation = Operation::load;
  std::uint8_t bytes_per_lane = 4;
  std::uint32_t active_mask = kFullMask;
  std::array<std::uint32_t, kLanesPerWarp> offsets_bytes{};

  friend constexpr bool operator==(const WarpAccess&, const WarpAccess&) = default;
};

/// The lanes whose addresses an access uses: ldmatrix and stmatrix read 8 lanes' addresses a
/// matrix, a barrier none.
[[nodiscard]] constexpr std::uint32_t addressing_lanes(Operation operation,
                                                       std::uint32_t active_mask) {
  const std::uint64_t end = std::uint64_t{1} << traits(operation).address_lanes;
  return active_mask & static_cast<std::uint32_t>(end - 1);
}

[[nodiscard]] constexpr std::uint32_t addressing_lanes(const WarpAccess& access) {
  return addressing_lanes(access.operation, access.active_mask);
}

/// Builds an access from a function lane -> byte offset; made for `static_assert`s on a layout:
/// `static_assert(wavefronts(kH200, make_access(Operation::load, 4, [](unsigned lane) {
///    return lane * 33 * 4; })) == 1);`
template <class OffsetOfLane>
[[nodiscard]] constexpr WarpAccess make_access(Operation operation, std::uint8_t bytes_per_lane,
                                               OffsetOfLane offset_of_lane,
                                               std::uint32_t active_mask = kFullMask) {
  WarpAccess access{operation, bytes_per_lane, active_mask, {}};
  for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
    if ((active_mask >> lane) & 1u) {
      access.offsets_bytes[lane] = static_cast<std::uint32_t>(offset_of_lane(lane));
    }
  }
  return access;
}

/// Calls `visit(lane)` for every set bit of `mask`, lowest lane first.
template <class Visit>
constexpr void for_each_lane(std::uint32_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
}

}  // namespace smem
