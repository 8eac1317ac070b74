// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <smem/analyzer.hpp>

namespace smem {

/// Sums over accesses.
struct Tally {
  std::uint64_t instructions = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t ideal = 0;
  std::uint64_t bank_conflicts = 0;

  /// Adds the same access `count` times.
  constexpr void add(const AccessCost& cost, std::uint64_t count = 1) {
    instructions += count;
    wavefronts += count * cost.wavefronts;
    ideal += count * cost.ideal;
    bank_conflicts += count * cost.bank_conflicts;
  }

  constexpr Tally& operator+=(const Tally& other) {
    instructions += other.instructions;
    wavefronts += other.wavefronts;
    ideal += other.ideal;
    bank_conflicts += other.bank_conflicts;
    return *this;
  }

  friend constexpr bool operator==(const Tally&, const Tally&) = default;
};

}  // namespace smem
