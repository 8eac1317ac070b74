// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clock/policies/warp_order.hpp>

namespace smem::clock {

/// The lowest ready warp.
class LowestWarp final : public WarpOrder {
 public:
  [[nodiscard]] std::size_t pick(std::span<const WarpCandidate> /*candidates*/,
                                 std::size_t /*last_place*/) const override {
    return 0;
  }
  [[nodiscard]] Turn turn() const override { return Turn::lowest; }
};

inline constexpr LowestWarp kLowestWarp{};

}  // namespace smem::clock
