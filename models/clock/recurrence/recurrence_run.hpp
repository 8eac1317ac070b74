// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <stdexcept>
#include <string>

#include <clock/block_source.hpp>
#include <clock/idle_state.hpp>
#include <clock/observer.hpp>
#include <clock/recurrence/recurrence.hpp>
#include <clock/simulation_result.hpp>

namespace smem::clock {

/// Runs the blocks of a source by the recurrence, one after the other, for as long as it can take
/// them: blocks of at most one warp, one block resident at a time, accesses of at least one
/// wavefront, and values of earlier accesses. Tells the observer, every stamp of every access
/// included, what the modules would tell it, in warp and block slot 0.
class RecurrenceRun {
 public:
  /// Starts in `start_cycle`. The observer may be null.
  RecurrenceRun(const TimingSpec& timing, BlockSource& source, Observer* observer,
                Cycle start_cycle);

  /// Runs blocks until none is left, or the next is none that it can take.
  void run();

  /// Why the next block cannot be taken: "one warp a block, found 2 in block 7 of kernel 2";
  /// nothing when all have run.
  const std::optional<std::string>& refusal() const { return refusal_; }
  /// Blocks taken from the source that have not run: what the source gives next comes after them.
  const std::deque<const Block*>& blocks_left() const { return blocks_left_; }
  /// What they find.
  IdleState idle_state() const;
  /// What the blocks that have run came to.
  SimulationResult result() const;

 private:
  /// Starts `block` in `start_cycle`; returns the cycle in which it retires.
  Cycle run_block(const Block& block, Cycle start_cycle);
  void run_access(const Instruction& instruction, bool is_last);
  void run_barrier(const Instruction& instruction);
  void tell_access(const Instruction& instruction, const AccessStamps& stamps, bool is_last);

  BlockSource& source_;
  Observer* observer_;
  const TimingSpec timing_;
  Recurrence recurrence_;
  Cycle start_cycle_;
  Cycle launch_cycle_;
  std::uint8_t sub_partition_ = 0;
  std::uint64_t wavefronts_ = 0;
  std::uint64_t return_busy_cycles_ = 0;
  std::optional<std::string> refusal_;
  std::deque<const Block*> blocks_left_;
};

/// The stream is none that the recurrence accepts: "the recurrence needs …, found …".
class RecurrenceRefusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// All blocks by the recurrence, cycles counted from 0. Throws RecurrenceRefusal at the first that
/// it cannot take.
SimulationResult simulate_by_recurrence(const TimingSpec& timing, BlockSource& source,
                                        Observer* observer = nullptr);

}  // namespace smem::clock
