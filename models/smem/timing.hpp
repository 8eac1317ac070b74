// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace smem {

/// Which ready warp a sub-partition's scheduler issues from.
enum class WarpOrder : std::uint8_t {
  loose_round_robin,   ///< the next ready warp after the one that issued last
  greedy_then_oldest,  ///< the same warp while it is ready, then the lowest
  lowest_warp,
};

/// Which waiting access enters the data stage next.
enum class AccessOrder : std::uint8_t {
  oldest_issued,  ///< the one that was issued first; of equals, the lowest sub-partition's
  round_robin,    ///< sub-partitions in turn
};

/// The clock's numbers for one SM: depths, intervals and latencies of the path an access takes. All of
/// them are read from the GPU's file; models/cycle/README.md says what each was measured from.
struct TimingSpec {
  static constexpr unsigned kMaxSubPartitions = 8;
  static constexpr unsigned kMaxAccessesInService = 8;

  std::uint8_t sub_partitions = 0;

  // Issue: per sub-partition one instruction a cycle.
  WarpOrder warp_order = WarpOrder::loose_round_robin;
  std::uint32_t warp_memory_interval_cycles = 0;           ///< between a warp's own accesses
  std::uint32_t sub_partition_memory_interval_cycles = 0;  ///< between any two accesses
  std::uint32_t alu_interval_cycles = 0;                   ///< between any two ALU instructions
  std::uint32_t alu_latency_cycles = 0;                    ///< from one to one that depends on it
  std::uint32_t operand_buffer_entries = 0;  ///< issued accesses whose registers have not moved

  // Operand transfer: address and data registers to the shared-memory queue.
  std::uint32_t register_transfer_cycles = 0;
  std::uint32_t data_registers_per_cycle = 0;  ///< store data, all sub-partitions together

  // Queue of a sub-partition.
  std::uint32_t queue_entries = 0;
  std::uint32_t store_queue_entries = 0;  ///< of them stores at most

  // Data stage.
  AccessOrder access_order = AccessOrder::oldest_issued;
  std::uint32_t accesses_in_service = 0;
  std::uint32_t wavefront_interval_cycles = 0;  ///< between wavefronts of one access
  std::uint32_t wavefronts_per_cycle = 0;

  // Return.
  std::uint32_t load_latency_cycles = 0;  ///< from the end of the return transfer to a usable value

  // Barrier.
  std::uint32_t barrier_arrival_interval_cycles = 0;
  std::uint32_t barrier_latency_cycles = 0;

  friend constexpr bool operator==(const TimingSpec&, const TimingSpec&) = default;
};

}  // namespace smem
