// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <clock/cycle.hpp>
#include <clock/policies/turn.hpp>

namespace smem::clock {

/// A sub-partition whose first access could go on.
struct SubPartitionCandidate {
  std::size_t sub_partition = 0;
  Cycle issue_cycle = 0;  ///< of that access
};

/// Which sub-partition goes first where several could in one cycle: into the SM's queue, and for
/// the storage of store data. Without state: an answer depends on the question alone.
class SubPartitionOrder {
 public:
  /// An index into `candidates`: two or more, in the order of sub-partitions. `last` went last.
  [[nodiscard]] virtual std::size_t pick(std::span<const SubPartitionCandidate> candidates,
                                         std::size_t last) const = 0;

  /// Look-ahead: the rule that `pick` follows.
  [[nodiscard]] virtual Turn turn() const { return Turn::unknown; }

 protected:
  ~SubPartitionOrder() = default;
};

}  // namespace smem::clock
