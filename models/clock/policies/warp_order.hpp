// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <clock/cycle.hpp>
#include <clock/policies/turn.hpp>

namespace smem::clock {

/// A warp that can issue in this cycle.
struct WarpCandidate {
  std::size_t place = 0;  ///< of the sub-partition; a warp keeps its place until it ends
  Cycle ready_cycle = 0;  ///< since when it can
};

/// Which of a sub-partition's warps issues. Without state: an answer depends on the question alone.
class WarpOrder {
 public:
  /// An index into `candidates`: two or more, in the order of their places. The warp at
  /// `last_place` issued last.
  [[nodiscard]] virtual std::size_t pick(std::span<const WarpCandidate> candidates,
                                         std::size_t last_place) const = 0;

  /// Look-ahead: the rule that `pick` follows.
  [[nodiscard]] virtual Turn turn() const { return Turn::unknown; }

 protected:
  ~WarpOrder() = default;
};

}  // namespace smem::clock
