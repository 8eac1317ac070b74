// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <clock/cycle.hpp>
#include <clock/limits.hpp>

namespace smem::clock {

/// What earlier blocks leave behind in an SM in which nothing is under way any more, all of them
/// having run one warp at a time: what the next block still finds of them. As constructed: nothing.
/// The return path is free by then: its last value has come back.
struct IdleState {
  struct SubPartition {
    Cycle next_access_cycle = 0;
    Cycle next_alu_cycle = 0;
    Cycle next_barrier_cycle = 0;
    Cycle room_cycle = 0;       ///< when the full queue last got room
    Cycle path_free_cycle = 0;  ///< when its latest access entered the SM's queue
  };
  /// Store data whose storage is not free yet.
  struct StoredData {
    std::uint32_t registers = 0;
    Cycle release_cycle = 0;
  };

  Cycle start_cycle = 0;   ///< the simulation began here
  Cycle launch_cycle = 0;  ///< the next block is launched here
  std::array<SubPartition, kMaxSubPartitions> sub_partitions{};
  std::uint32_t next_into_queue = 0;  ///< sub-partition whose turn it is: behind the latest access
  std::uint32_t next_on_bus = 0;      ///< and behind the latest store data
  std::vector<StoredData> stored;     ///< in the order of release
  Cycle service_end_cycle = 0;        ///< of the first service slot, which warp slot 0 had
  Cycle last_finish_cycle = 0;        ///< 0 without any access
  std::uint64_t wavefronts = 0;
  std::uint64_t return_busy_cycles = 0;
};

}  // namespace smem::clock
