// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include <smem/warp_access.hpp>

namespace smem {

/// What stays of an access when its place in shared memory is taken away: operation, width, mask
/// and the offsets relative to the first used lane's. The offsets of unused lanes are 0.
struct AccessPattern {
  Operation operation = Operation::load;
  std::uint8_t bytes_per_lane = 4;
  std::uint32_t active_mask = kFullMask;
  std::array<std::uint32_t, kLanesPerWarp> relative_bytes{};  ///< modulo 2^32

  /// The access of this pattern whose first used lane has offset `base_bytes`; unused lanes get 0.
  [[nodiscard]] constexpr WarpAccess at(std::uint32_t base_bytes) const {
    WarpAccess access{operation, bytes_per_lane, active_mask, {}};
    const std::uint32_t used = addressing_lanes(operation, active_mask);
    for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
      const std::uint32_t keep = 0u - ((used >> lane) & 1u);
      access.offsets_bytes[lane] = (base_bytes + relative_bytes[lane]) & keep;
    }
    return access;
  }

  /// A hash that depends on nothing but the pattern.
  [[nodiscard]] std::uint64_t hash() const {
    std::uint64_t value = (static_cast<std::uint64_t>(active_mask) << 16) ^
                          (static_cast<std::uint64_t>(operation) << 8) ^ bytes_per_lane;
    for (std::size_t lane = 0; lane < kLanesPerWarp; lane += 2) {
      std::uint64_t pair = 0;
      std::memcpy(&pair, &relative_bytes[lane], sizeof(pair));
      value = std::rotl((value ^ pair) * 0x9e3779b97f4a7c15u, 29);
    }
    return value ^ (value >> 32);
  }

  friend constexpr bool operator==(const AccessPattern&, const AccessPattern&) = default;
};

/// The offset of the first used lane; 0 when no lane is used.
[[nodiscard]] constexpr std::uint32_t base_of(const WarpAccess& access) {
  const std::uint32_t used = addressing_lanes(access.operation, access.active_mask);
  return used == 0 ? 0 : access.offsets_bytes[static_cast<unsigned>(std::countr_zero(used))];
}

/// `pattern_of(a).at(base_of(a))` is `a`, with 0 in its unused lanes.
[[nodiscard]] constexpr AccessPattern pattern_of(const WarpAccess& access) {
  AccessPattern pattern{access.operation, access.bytes_per_lane, access.active_mask, {}};
  const std::uint32_t used = addressing_lanes(access.operation, access.active_mask);
  const std::uint32_t base_bytes = base_of(access);
  for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
    const std::uint32_t keep = 0u - ((used >> lane) & 1u);
    pattern.relative_bytes[lane] = (access.offsets_bytes[lane] - base_bytes) & keep;
  }
  return pattern;
}

}  // namespace smem
