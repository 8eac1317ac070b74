// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include <clock/timing.hpp>

namespace smem::clock {

/// Which sub-partition goes next, by the order of sub-partitions.
class SubPartitionTurns {
 public:
  /// Starts over behind `last`.
  void reset(const SubPartitionOrder& order, std::size_t last);

  /// One of `able`, a bit each and not 0; from now on it is the one that went last.
  /// `issue_cycle(sub_partition)`: of its first access.
  template <class IssueCycle>
  std::size_t next(std::uint32_t able, const IssueCycle& issue_cycle) {
    if (asked_order_ != nullptr && (able & (able - 1)) != 0) {
      last_ = pick(able, issue_cycle);
    } else {
      const std::uint32_t preferred = able & preferred_after_[last_];
      last_ = static_cast<std::size_t>(std::countr_zero(preferred != 0 ? preferred : able));
    }
    return last_;
  }

 private:
  template <class IssueCycle>
  std::size_t pick(std::uint32_t able, const IssueCycle& issue_cycle) const {
    std::array<SubPartitionCandidate, kMaxSubPartitions> candidates;
    std::size_t count = 0;
    for (; able != 0; able &= able - 1) {
      const auto index = static_cast<std::size_t>(std::countr_zero(able));
      candidates[count++] = {index, issue_cycle(index)};
    }
    return candidates[asked_order_->pick({candidates.data(), count}, last_)].sub_partition;
  }

  const SubPartitionOrder* asked_order_ = nullptr;  ///< where it has no look-ahead
  std::size_t last_ = 0;
  /// By who went last: who goes before the others, a bit each; among equals the lowest goes first.
  std::array<std::uint32_t, kMaxSubPartitions> preferred_after_{};
};

inline void SubPartitionTurns::reset(const SubPartitionOrder& order, std::size_t last) {
  const Turn turn = order.turn();
  asked_order_ = turn == Turn::unknown ? &order : nullptr;
  last_ = last;
  for (std::size_t index = 0; index < preferred_after_.size(); ++index) {
    switch (turn) {
      case Turn::after_last:
        preferred_after_[index] = ~((2u << index) - 1u);
        break;
      case Turn::last_then_lowest:
        preferred_after_[index] = 1u << index;
        break;
      case Turn::lowest:
      case Turn::unknown:
        preferred_after_[index] = ~0u;
        break;
    }
  }
}

}  // namespace smem::clock
