// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include <clock/block_source.hpp>

namespace smem::clock {
struct TimingSpec;  // clock/timing.hpp
}

namespace smem::test {

/// When an access passed each stage, in cycles from the start of the simulation.
struct AccessTimes {
  clock::Cycle issue = 0;
  clock::Cycle transfer = 0;
  clock::Cycle moved = 0;
  clock::Cycle queue = 0;
  clock::Cycle service = 0;
  clock::Cycle first_wavefront = 0;
  clock::Cycle last_wavefront = 0;
  clock::Cycle finish = 0;

  friend bool operator==(const AccessTimes&, const AccessTimes&) = default;
};

/// A warp of a block of the input: positions in the list of blocks and among the block's warps.
struct WarpPlace {
  std::size_t block = 0;
  std::size_t warp = 0;

  friend auto operator<=>(const WarpPlace&, const WarpPlace&) = default;
};

/// When a warp ran, and its accesses in order.
struct WarpHistory {
  clock::Cycle start = 0;
  clock::Cycle finish = 0;
  std::vector<AccessTimes> accesses;
  std::vector<clock::Cycle> barriers_passed;

  friend bool operator==(const WarpHistory&, const WarpHistory&) = default;
};

using History = std::map<WarpPlace, WarpHistory>;

/// The shared-memory path of one SM, evaluated in every cycle from the state of the cycle before:
/// no events, nothing skipped, nothing foreseen. Slow, and meant to be read beside TimingSpec.
/// Throws std::runtime_error when nothing ends for a very long time.
History reference_clock(const clock::TimingSpec& timing, const std::vector<clock::Block>& blocks);

}  // namespace smem::test
