// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <clock/block_key.hpp>
#include <clock/cycle.hpp>

#include <smem/stored_bytes.hpp>
#include <smem/warp_access.hpp>

namespace smem::clock {

/// What an instruction of a warp is to the clock.
enum class InstructionKind : std::uint8_t { access, barrier };

/// One instruction of a warp, its pure costs already taken from models/smem.
struct Instruction {
  InstructionKind kind = InstructionKind::access;
  bool returns_value = false;
  std::uint8_t operand_registers = 1;  ///< a lane's address and data registers
  std::uint16_t wavefronts = 0;
  std::uint16_t transfer_cycles = 0;  ///< on the return path
  std::uint32_t repeats = 1;
  /// The warp does other things for so long, without the issue slot, once it could go on.
  std::uint32_t delay_cycles = 0;
  /// A store's data is there no earlier than so long after the warp's last barrier, or its start.
  std::uint32_t data_delay_cycles = 0;
  /// Instructions that never wait, issued one a cycle before all else: the warp keeps its
  /// sub-partition's scheduler for them, and for the access itself if it can follow at once.
  std::uint8_t run_instructions = 0;
  std::uint32_t independent_instructions = 0;  ///< other instructions issued before this one
  std::uint32_t dependent_instructions = 0;    ///< ALU chain between the value and the address
  /// The address needs the value of the warp's `needs_values`-th returning access; 0 = none.
  std::uint32_t needs_values = 0;
  std::uint32_t site = 0;               ///< what per-pc sums go by
  std::uint64_t record = 0;             ///< position in the input, for per-access output
  const WarpAccess* access = nullptr;   ///< for who looks at addresses; may be null
  const StoredBytes* stored = nullptr;  ///< what it stores, where that is known
};

/// When an access passed each stage. Cycles count from the start of the simulation.
struct AccessStamps {
  Cycle able_cycle = 0;       ///< its warp had nothing earlier to issue
  Cycle ready_cycle = 0;      ///< and its address was there
  Cycle room_cycle = 0;       ///< when its sub-partition's queue last got room after it was full
  Cycle issue_cycle = 0;      ///< left the warp
  Cycle path_free_cycle = 0;  ///< when the access before it had entered the SM's queue
  Cycle transfer_cycle = 0;   ///< its registers began to move
  Cycle moved_cycle = 0;      ///< all registers had arrived
  Cycle queue_cycle = 0;      ///< entered the SM's queue
  Cycle service_cycle = 0;    ///< entered the data stage
  Cycle first_wavefront_cycle = 0;
  Cycle last_wavefront_cycle = 0;
  Cycle return_cycle = 0;           ///< loads: its registers began to occupy the return path
  Cycle finish_cycle = 0;           ///< value usable (loads), last wavefront done (stores)
  Cycle own_service_end_cycle = 0;  ///< when the warp's access before it left the data stage
};

/// An access on its way from the warp to the banks and back.
struct InFlight {
  const Instruction* instruction = nullptr;
  std::uint16_t warp_slot = 0;  ///< of the SM
  std::uint8_t sub_partition = 0;
  std::uint8_t service_slot = 0;  ///< of the data stage, once it has entered
  bool last_of_warp = false;      ///< nothing but barriers comes after it
  Cycle data_ready_cycle = 0;     ///< from here on its data registers can move
  std::uint64_t age = 0;          ///< order of entering the SM's queue
  BlockKey block;                 ///< whose memory it reads and writes
  AccessStamps stamps;
};

}  // namespace smem::clock
