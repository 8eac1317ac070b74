// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include <clock/limits.hpp>
#include <clock/policies/first_in_window.hpp>
#include <clock/policies/loose_round_robin.hpp>
#include <clock/policies/oldest_first.hpp>
#include <clock/policies/sub_partitions_in_turn.hpp>

namespace smem::clock {

/// The clock's numbers for one SM: depths, intervals and latencies of the path an access takes. All
/// of them are read from the GPU's file; models/clock/README.md says what each was measured from.
struct TimingSpec {
  std::uint32_t sub_partitions = 0;  ///< warp w of a block runs on w mod sub_partitions

  // Issue: per sub-partition one instruction a cycle.
  const WarpOrder* warp_order = &kLooseRoundRobin;         ///< which ready warp issues
  std::uint32_t warp_memory_interval_cycles = 0;           ///< between a warp's own accesses
  std::uint32_t sub_partition_memory_interval_cycles = 0;  ///< between any two accesses
  std::uint32_t alu_interval_cycles = 0;                   ///< between any two ALU instructions
  std::uint32_t first_alu_latency_cycles = 0;   ///< of the instruction that takes a loaded value
  std::uint32_t second_alu_latency_cycles = 0;  ///< of the one that depends on it
  std::uint32_t alu_latency_cycles = 0;         ///< of every further one
  /// A warp that finds its sub-partition's queue full sleeps until so long after an access of its
  /// own has left that queue; where it has none there, it looks every cycle.
  std::uint32_t refused_wake_cycles = 0;

  // From the warps to the data stage.
  /// Places of a sub-partition, held from issue until the access enters the SM's queue.
  std::uint32_t queue_entries = 0;
  std::uint32_t register_transfer_cycles = 0;
  std::uint32_t data_registers_per_cycle = 0;  ///< store data, all sub-partitions together
  /// Storage for the data of stores whose registers move or have moved,
  std::uint32_t store_data_registers = 0;
  /// given back so long after the store's last wavefront.
  std::uint32_t store_data_release_cycles = 0;
  /// Which sub-partition goes first into the SM's queue, and to the storage.
  const SubPartitionOrder* sub_partition_order = &kSubPartitionsInTurn;
  /// Places of the SM's queue, where accesses wait in order for the data stage.
  std::uint32_t sm_queue_entries = 0;

  // Data stage.
  std::uint32_t window_entries = 0;  ///< it chooses among the first so many of the SM's queue
  const AdmissionOrder* admission_order = &kFirstInWindow;  ///< which of them enters service
  std::uint32_t accesses_in_service = 0;
  std::uint32_t wavefront_interval_cycles = 0;  ///< between wavefronts of one access
  std::uint32_t wavefronts_per_cycle = 0;
  const ServiceOrder* service_order = &kOldestFirst;  ///< whose wavefront passes

  // Return.
  std::uint32_t load_latency_cycles = 0;  ///< from the end of the return transfer to a usable value

  // Barrier.
  std::uint32_t barrier_arrival_interval_cycles = 0;
  std::uint32_t barrier_latency_cycles = 0;
  std::uint32_t barrier_issue_interval_cycles = 0;  ///< between warps of a sub-partition

  /// How much of the storage for store data an access takes that hands over so many registers, its
  /// address among them: all of it at most.
  constexpr std::uint32_t stored_registers(std::uint32_t operand_registers) const {
    return std::min(operand_registers - 1, store_data_registers);
  }

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
    TimingField{"sub_partitions", 1, kMaxSubPartitions, &TimingSpec::sub_partitions},
    TimingField{"warp_memory_interval_cycles", 1, 100000, &TimingSpec::warp_memory_interval_cycles},
    TimingField{"sub_partition_memory_interval_cycles", 1, 100000,
                &TimingSpec::sub_partition_memory_interval_cycles},
    TimingField{"alu_interval_cycles", 1, 100000, &TimingSpec::alu_interval_cycles},
    TimingField{"first_alu_latency_cycles", 1, 100000, &TimingSpec::first_alu_latency_cycles},
    TimingField{"second_alu_latency_cycles", 1, 100000, &TimingSpec::second_alu_latency_cycles},
    TimingField{"alu_latency_cycles", 1, 100000, &TimingSpec::alu_latency_cycles},
    TimingField{"refused_wake_cycles", 1, 100000, &TimingSpec::refused_wake_cycles},
    TimingField{"queue_entries", 1, 100000, &TimingSpec::queue_entries},
    TimingField{"register_transfer_cycles", 1, 100000, &TimingSpec::register_transfer_cycles},
    TimingField{"data_registers_per_cycle", 1, 100000, &TimingSpec::data_registers_per_cycle},
    TimingField{"store_data_registers", 1, 100000, &TimingSpec::store_data_registers},
    TimingField{"store_data_release_cycles", 2, 100000, &TimingSpec::store_data_release_cycles},
    TimingField{"sm_queue_entries", 1, 100000, &TimingSpec::sm_queue_entries},
    TimingField{"window_entries", 1, 100000, &TimingSpec::window_entries},
    TimingField{"accesses_in_service", 1, kMaxAccessesInService, &TimingSpec::accesses_in_service},
    TimingField{"wavefront_interval_cycles", 1, 100000, &TimingSpec::wavefront_interval_cycles},
    TimingField{"wavefronts_per_cycle", 1, 100000, &TimingSpec::wavefronts_per_cycle},
    TimingField{"load_latency_cycles", 1, 100000, &TimingSpec::load_latency_cycles},
    TimingField{"barrier_arrival_interval_cycles", 1, 100000,
                &TimingSpec::barrier_arrival_interval_cycles},
    TimingField{"barrier_latency_cycles", 1, 100000, &TimingSpec::barrier_latency_cycles},
    TimingField{"barrier_issue_interval_cycles", 1, 100000,
                &TimingSpec::barrier_issue_interval_cycles},
};

}  // namespace smem::clock
