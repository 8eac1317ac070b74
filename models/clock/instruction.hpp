// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <smem/stored_bytes.hpp>
#include <smem/warp_access.hpp>

namespace smem::clock {

/// What an instruction of a warp is to the clock.
enum class InstructionKind : std::uint8_t { access, barrier };

/// Moves that make an access's operands. Only of the kernel that measures short programs are they
/// known; a trace does not say them.
struct OperandMoves {
  /// A store's data is there no earlier than so long after the warp's last barrier, or its start.
  std::uint32_t data_delay_cycles = 0;
  /// Instructions that never wait, issued one a cycle before all else: the warp keeps its
  /// sub-partition's scheduler for them, and for the access itself if it can follow at once.
  std::uint8_t run_instructions = 0;
};

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
  std::uint32_t independent_instructions = 0;  ///< other instructions issued before this one
  std::uint32_t dependent_instructions = 0;    ///< ALU chain between the value and the address
  /// The address needs the value of the warp's `needs_values`-th returning access; 0 = none.
  std::uint32_t needs_values = 0;
  std::uint32_t site = 0;               ///< what per-pc sums go by
  std::uint64_t record = 0;             ///< position in the input, for per-access output
  const WarpAccess* access = nullptr;   ///< for who looks at addresses; may be null
  const StoredBytes* stored = nullptr;  ///< what it stores, where that is known
  const OperandMoves* moves = nullptr;  ///< null: none

  constexpr std::uint32_t data_delay_cycles() const {
    return moves == nullptr ? 0 : moves->data_delay_cycles;
  }
  constexpr std::uint8_t run_instructions() const {
    return moves == nullptr ? std::uint8_t{0} : moves->run_instructions;
  }
};

}  // namespace smem::clock
