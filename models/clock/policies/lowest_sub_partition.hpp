// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clock/policies/sub_partition_order.hpp>

namespace smem::clock {

/// The lowest sub-partition.
class LowestSubPartition final : public SubPartitionOrder {
 public:
  [[nodiscard]] std::size_t pick(std::span<const SubPartitionCandidate> /*candidates*/,
                                 std::size_t /*last*/) const override {
    return 0;
  }
  [[nodiscard]] Turn turn() const override { return Turn::lowest; }
};

inline constexpr LowestSubPartition kLowestSubPartition{};

}  // namespace smem::clock
