// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include <clock/idle_state.hpp>
#include <clock/instruction.hpp>
#include <clock/stamps.hpp>
#include <clock/timing.hpp>

namespace smem::clock {

/// The clock of an SM that runs one warp at a time, as a recurrence: every access's cycles follow
/// from those of earlier ones, in order, without events. Equal cycle for cycle to
/// models/clock, whose README says what each number of TimingSpec was measured from.
///
/// Use: start_warp, then access and barrier for the warp's instructions in order (an instruction
/// that is repeated, again and again), then finish_cycle; then the next warp.
class Recurrence {
 public:
  /// `timing` must be within kTimingFields.
  explicit Recurrence(const TimingSpec& timing)
      : timing_(timing),
        left_mask_(std::bit_ceil(std::uint64_t{timing.queue_entries}) - 1),
        left_cycles_(left_mask_ + 1),
        taken_mask_(std::bit_ceil(std::uint64_t{timing.sm_queue_entries}) - 1),
        taken_cycles_(taken_mask_ + 1),
        stored_mask_(std::bit_ceil(std::uint64_t{timing.store_data_registers} + 1) - 1),
        stored_(stored_mask_ + 1) {}

  /// A warp starts on `sub_partition` in `cycle`, no earlier than 2 cycles after the warp before
  /// has finished. Only its first `values_kept` returned values can be needed.
  void start_warp(std::uint32_t sub_partition, Cycle cycle, std::uint32_t values_kept) {
    home_ = &sub_partitions_[sub_partition];
    if (value_cycles_.size() < values_kept) value_cycles_.resize(values_kept);
    values_kept_ = values_kept;
    values_ = 0;
    issued_ = 0;
    next_access_cycle_ = 0;
    passed_cycle_ = able_cycle_ = finish_cycle_ = cycle;
  }

  /// The warp's next access; `instruction.needs_values` of its values must have been asked for
  /// before.
  AccessStamps access(const Instruction& instruction) {
    AccessStamps access;
    issue(instruction, access);
    move_registers(instruction, access);
    serve(instruction, access);
    return_values(instruction, access);
    return access;
  }

  /// The warp's next barrier; no other warp takes part.
  BarrierStamps barrier(const Instruction& instruction) {
    const std::uint64_t arrival =
        std::max(ready(instruction).issue_cycle, home_->next_barrier_cycle);
    home_->next_barrier_cycle = arrival + timing_.barrier_issue_interval_cycles;
    constexpr std::uint32_t kLeast = 2;  // the warp hears of it no earlier
    passed_cycle_ = arrival + std::max(kLeast, timing_.barrier_latency_cycles);
    able_cycle_ = passed_cycle_;
    finish_cycle_ = std::max(finish_cycle_, passed_cycle_);
    return {arrival, passed_cycle_};
  }

  /// When the warp has executed everything given so far, and all its values are there.
  std::uint64_t finish_cycle() const { return finish_cycle_; }
  /// How many values the warp's accesses given so far return.
  std::uint64_t values() const { return values_; }
  /// When the last access of all warps has finished; 0 without any.
  std::uint64_t last_finish_cycle() const { return last_finish_cycle_; }

  /// What all warps so far leave to a block that is launched in `cycle`, the last one having
  /// finished before.
  IdleState idle_state(Cycle cycle) const;

 private:
  struct Ready {
    std::uint64_t issue_cycle;    ///< as far as the warp itself is concerned
    std::uint64_t address_cycle;  ///< when the values and the chain it needs were there
  };

  /// Issues the ALU instructions before `instruction`.
  Ready ready(const Instruction& instruction);
  void issue(const Instruction& instruction, AccessStamps& access);
  /// From `cycle` on, when there is storage for so many registers of store data.
  std::uint64_t store_data(std::uint32_t registers, Cycle cycle);
  void move_registers(const Instruction& instruction, AccessStamps& access);
  void serve(const Instruction& instruction, AccessStamps& access);
  void return_values(const Instruction& instruction, AccessStamps& access);

  TimingSpec timing_;
  std::array<IdleState::SubPartition, kMaxSubPartitions> sub_partitions_{};
  std::uint32_t last_sub_partition_ = 0;  ///< of the latest access, plus one; 0 = none
  std::uint32_t last_on_bus_ = 0;         ///< of the latest store data, the same
  std::uint64_t service_end_cycle_ = 0;   ///< from here on the data stage takes the next access
  std::uint64_t return_free_cycle_ = 0;
  std::uint64_t last_finish_cycle_ = 0;

  // The warp.
  IdleState::SubPartition* home_ = sub_partitions_.data();
  std::uint64_t issued_ = 0;
  std::uint64_t values_ = 0;
  std::uint64_t values_kept_ = 0;
  std::uint64_t able_cycle_ = 0;  ///< when it has nothing earlier to issue
  std::uint64_t passed_cycle_ = 0;
  std::uint64_t next_access_cycle_ = 0;
  std::uint64_t finish_cycle_ = 0;

  // By access, as far back as a full queue asks.
  std::uint64_t left_mask_;
  std::vector<std::uint64_t> left_cycles_;  ///< when it left its sub-partition's queue
  std::uint64_t taken_mask_;
  std::vector<std::uint64_t> taken_cycles_;  ///< when the data stage took it
  std::uint64_t served_ = 0;                 ///< accesses of all warps

  // Store data that takes up storage.
  std::uint64_t stored_mask_;
  std::vector<IdleState::StoredData> stored_;
  std::uint64_t first_stored_ = 0;
  std::uint64_t next_stored_ = 0;
  std::uint32_t stored_registers_ = 0;
  std::vector<std::uint64_t> value_cycles_;
};

}  // namespace smem::clock

#include <clock/recurrence/recurrence_steps.hpp>
