// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <clock/modules/warp_scheduler.hpp>

namespace smem::clock {

/// Independent instructions that warps issue while nothing else can, an ALU interval apart, in the
/// order that the order of warps foresees. There is no step for each; the next step, whatever asks
/// for it, counts those before it.
class AluRun {
 public:
  /// So many independent instructions make a run worth its setting up.
  static constexpr std::uint32_t kLeastInstructions = 8;

  void reset() { most_ = 0; }
  [[nodiscard]] bool is_under_way() const { return most_ != 0; }

  /// Begins a run behind the instruction just issued, if one is possible: then the warps of it look
  /// as if they could issue at its end, or earlier when the run is ended.
  void begin(std::span<WarpState> warps, const WarpScheduler& scheduler);
  /// Ends the run: counts what was issued before `now`.
  void end(std::span<WarpState> warps, WarpScheduler& scheduler, Cycle now);

 private:
  struct Member {
    std::size_t warp = 0;        ///< its place
    Cycle next_issue_cycle = 0;  ///< of the warp when the run began
  };

  /// Collects the warps that can issue in `first_cycle_`; when something else can.
  Cycle collect(std::span<const WarpState> warps, const WarpScheduler& scheduler);

  std::vector<WarpCandidate> candidates_;
  std::vector<Member> members_;  ///< the warps that could issue, in the order in which they would
  std::size_t turns_ = 1;        ///< so many of them issue, one after the other, again and again
  Cycle first_cycle_ = 0;
  std::uint64_t most_ = 0;  ///< instructions, so that every warp keeps one; 0: there is no run
};

}  // namespace smem::clock
