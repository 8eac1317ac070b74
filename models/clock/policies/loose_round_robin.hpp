// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clock/policies/warp_order.hpp>

namespace smem::clock {

/// The next ready warp after the one that issued last.
class LooseRoundRobin final : public WarpOrder {
 public:
  [[nodiscard]] std::size_t pick(std::span<const WarpCandidate> candidates,
                                 std::size_t last_place) const override {
    for (std::size_t index = 0; index < candidates.size(); ++index) {
      if (candidates[index].place > last_place) return index;
    }
    return 0;
  }
  [[nodiscard]] Turn turn() const override { return Turn::after_last; }
};

inline constexpr LooseRoundRobin kLooseRoundRobin{};

}  // namespace smem::clock
