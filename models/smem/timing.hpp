// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace smem {

/// Which ready warp a sub-partition's scheduler issues from.
enum class WarpOrder : std::uint8_t {
  loose_round_robin,   ///< the next ready warp after the one that issued last
  greedy_then_oldest,  ///< the same warp while it is ready, then the lowest
  lowest_warp,
};

/// Which waiting access enters the data stage next.
enum class AccessOrder : std::uint8_t {
  oldest_moved,   ///< the one whose registers began to move first; of equals, the lowest
                  ///< sub-partition's
  oldest_issued,  ///< the one that was issued first; of equals, the lowest sub-partition's
  round_robin,    ///< sub-partitions in turn
};

/// The clock's numbers for one SM: depths, intervals and latencies of the path an access takes. All
/// of them are read from the GPU's file; models/cycle/README.md says what each was measured from.
struct TimingSpec {
  static constexpr unsigned kMaxSubPartitions = 8;
  static constexpr unsigned kMaxAccessesInService = 8;

  std::uint32_t sub_partitions = 0;  ///< warp w of a block runs on w mod sub_partitions

  // Issue: per sub-partition one instruction a cycle.
  WarpOrder warp_order = WarpOrder::loose_round_robin;
  std::uint32_t warp_memory_interval_cycles = 0;           ///< between a warp's own accesses
  std::uint32_t sub_partition_memory_interval_cycles = 0;  ///< between any two accesses
  std::uint32_t alu_interval_cycles = 0;                   ///< between any two ALU instructions
  std::uint32_t first_alu_latency_cycles = 0;   ///< of the instruction that takes a loaded value
  std::uint32_t second_alu_latency_cycles = 0;  ///< of the one that depends on it
  std::uint32_t alu_latency_cycles = 0;         ///< of every further one
  /// A warp that finds its sub-partition's queue full sleeps so long,
  std::uint32_t refused_retry_cycles = 0;
  /// or until so long after the last wavefront of an access of its own.
  std::uint32_t refused_wake_cycles = 0;

  // Operand transfer: address and data registers to the shared-memory queue.
  std::uint32_t register_transfer_cycles = 0;
  std::uint32_t data_registers_per_cycle = 0;  ///< store data, all sub-partitions together

  /// Places of a sub-partition, held from issue until the data stage takes the access.
  std::uint32_t queue_entries = 0;

  // Data stage.
  AccessOrder access_order = AccessOrder::oldest_moved;
  std::uint32_t accesses_in_service = 0;
  std::uint32_t wavefront_interval_cycles = 0;  ///< between wavefronts of one access
  std::uint32_t wavefronts_per_cycle = 0;

  // Return.
  std::uint32_t load_latency_cycles = 0;  ///< from the end of the return transfer to a usable value

  // Barrier.
  std::uint32_t barrier_arrival_interval_cycles = 0;
  std::uint32_t barrier_latency_cycles = 0;
  std::uint32_t barrier_issue_interval_cycles = 0;  ///< between warps of a sub-partition

  // The measuring kernel around a short program (traces/measured/h200/README.md).
  std::uint32_t measured_launch_cycles =
      0;  ///< from the barrier's opening to the first instruction
  std::uint32_t measured_finish_cycles = 0;  ///< from the last value to the finish clock

  /// A store's data is made so much later, and a move a register, where the start clock is read
  /// behind the barrier.
  std::uint32_t measured_data_cycles = 0;
  /// A start clock behind the barrier is read so much later by each further warp of a
  /// sub-partition,
  std::uint32_t measured_start_interval_cycles = 0;
  /// and so much later still from the fourth on.
  std::uint32_t measured_fourth_start_cycles = 0;
  /// Programs without loads reach the barrier at least so far apart.
  std::uint32_t measured_store_spacing_cycles = 0;

  /// Whether the GPU's file has a clock at all.
  constexpr bool known() const { return sub_partitions != 0; }

  friend constexpr bool operator==(const TimingSpec&, const TimingSpec&) = default;
};

/// A number of the clock: its name in YAML, which is its member's, and its range.
struct TimingField {
  std::string_view name;
  std::uint32_t least;
  std::uint32_t most;
  std::uint32_t TimingSpec::*member;
};

inline constexpr std::array kTimingFields = {
    TimingField{"sub_partitions", 1, TimingSpec::kMaxSubPartitions, &TimingSpec::sub_partitions},
    TimingField{"warp_memory_interval_cycles", 1, 100000, &TimingSpec::warp_memory_interval_cycles},
    TimingField{"sub_partition_memory_interval_cycles", 1, 100000,
                &TimingSpec::sub_partition_memory_interval_cycles},
    TimingField{"alu_interval_cycles", 1, 100000, &TimingSpec::alu_interval_cycles},
    TimingField{"first_alu_latency_cycles", 1, 100000, &TimingSpec::first_alu_latency_cycles},
    TimingField{"second_alu_latency_cycles", 1, 100000, &TimingSpec::second_alu_latency_cycles},
    TimingField{"alu_latency_cycles", 1, 100000, &TimingSpec::alu_latency_cycles},
    TimingField{"refused_retry_cycles", 1, 100000, &TimingSpec::refused_retry_cycles},
    TimingField{"refused_wake_cycles", 2, 100000, &TimingSpec::refused_wake_cycles},
    TimingField{"register_transfer_cycles", 1, 100000, &TimingSpec::register_transfer_cycles},
    TimingField{"data_registers_per_cycle", 1, 100000, &TimingSpec::data_registers_per_cycle},
    TimingField{"queue_entries", 1, 100000, &TimingSpec::queue_entries},
    TimingField{"accesses_in_service", 1, TimingSpec::kMaxAccessesInService,
                &TimingSpec::accesses_in_service},
    TimingField{"wavefront_interval_cycles", 1, 100000, &TimingSpec::wavefront_interval_cycles},
    TimingField{"wavefronts_per_cycle", 1, 100000, &TimingSpec::wavefronts_per_cycle},
    TimingField{"load_latency_cycles", 1, 100000, &TimingSpec::load_latency_cycles},
    TimingField{"barrier_arrival_interval_cycles", 1, 100000,
                &TimingSpec::barrier_arrival_interval_cycles},
    TimingField{"barrier_latency_cycles", 1, 100000, &TimingSpec::barrier_latency_cycles},
    TimingField{"barrier_issue_interval_cycles", 1, 100000,
                &TimingSpec::barrier_issue_interval_cycles},
    TimingField{"measured_launch_cycles", 0, 100000, &TimingSpec::measured_launch_cycles},
    TimingField{"measured_finish_cycles", 0, 100000, &TimingSpec::measured_finish_cycles},
    TimingField{"measured_data_cycles", 0, 100000, &TimingSpec::measured_data_cycles},
    TimingField{"measured_start_interval_cycles", 0, 100000,
                &TimingSpec::measured_start_interval_cycles},
    TimingField{"measured_fourth_start_cycles", 0, 100000,
                &TimingSpec::measured_fourth_start_cycles},
    TimingField{"measured_store_spacing_cycles", 0, 100000,
                &TimingSpec::measured_store_spacing_cycles},
};

inline constexpr std::array<std::string_view, 3> kWarpOrderNames = {
    "loose_round_robin", "greedy_then_oldest", "lowest_warp"};
inline constexpr std::array<std::string_view, 3> kAccessOrderNames = {
    "oldest_moved", "oldest_issued", "round_robin"};

}  // namespace smem
