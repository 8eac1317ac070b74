// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clock/policies/sub_partition_order.hpp>

namespace smem::clock {

/// The next one after the one that went last.
class SubPartitionsInTurn final : public SubPartitionOrder {
 public:
  [[nodiscard]] std::size_t pick(std::span<const SubPartitionCandidate> candidates,
                                 std::size_t last) const override {
    for (std::size_t index = 0; index < candidates.size(); ++index) {
      if (candidates[index].sub_partition > last) return index;
    }
    return 0;
  }
  [[nodiscard]] Turn turn() const override { return Turn::after_last; }
};

inline constexpr SubPartitionsInTurn kSubPartitionsInTurn{};

}  // namespace smem::clock
