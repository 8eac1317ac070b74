// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace smem::clock {

/// What the timing of one warp depends on in an access, or in a barrier.
struct TimedInstruction {
  std::uint32_t delay_cycles = 0;       ///< before it, once the warp could go on
  std::uint32_t data_delay_cycles = 0;  ///< of store data, from the warp's last barrier or start
  std::uint8_t run_instructions = 0;    ///< instructions before it that never wait
  std::uint32_t independent_instructions = 0;  ///< ALU instructions before it
  std::uint32_t dependent_instructions = 0;    ///< ALU chain between the value and the address
  std::uint32_t needs_values = 0;      ///< its address needs so many returned values; 0 = none
  std::uint16_t wavefronts = 1;        ///< at least 1
  std::uint16_t transfer_cycles = 0;   ///< on the return path
  std::uint8_t operand_registers = 1;  ///< a lane's address and data registers; at least 1
  bool returns_value = false;
};

/// When an access passed each stage, in cycles of the recurrence's own count.
struct TimedAccess {
  std::uint64_t able_cycle = 0;       ///< its warp had nothing earlier to issue
  std::uint64_t ready_cycle = 0;      ///< and its address was there
  std::uint64_t room_cycle = 0;       ///< when the full queue last got room
  std::uint64_t issue_cycle = 0;      ///< left the warp
  std::uint64_t path_free_cycle = 0;  ///< when the access before it had entered the SM's queue
  std::uint64_t transfer_cycle = 0;   ///< its registers began to move
  std::uint64_t moved_cycle = 0;      ///< all registers had arrived
  std::uint64_t queue_cycle = 0;      ///< entered the SM's queue
  std::uint64_t own_service_end_cycle = 0;  ///< when the access before it left the data stage
  std::uint64_t service_cycle = 0;          ///< entered the data stage
  std::uint64_t first_wavefront_cycle = 0;
  std::uint64_t last_wavefront_cycle = 0;
  std::uint64_t return_cycle = 0;  ///< loads: began to occupy the return path
  std::uint64_t finish_cycle = 0;  ///< value usable (loads), done (stores)
};

/// When a warp reached a barrier, and went on behind it.
struct TimedBarrier {
  std::uint64_t arrival_cycle = 0;
  std::uint64_t passed_cycle = 0;
};

}  // namespace smem::clock
