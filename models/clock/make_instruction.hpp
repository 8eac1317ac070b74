// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clock/in_flight.hpp>

#include <smem/analyzer.hpp>

namespace smem::clock {

/// The clock's view of an access: its costs from the pure model, and the registers a lane hands
/// over (an address, and for what writes, the data words; two operands for compare-and-swap). An
/// access without an active lane needs no wavefront and becomes an instruction of zero of them.
constexpr Instruction make_instruction(const WarpAccess& access, const AccessCost& cost) {
  Instruction instruction;
  if (access.operation == Operation::barrier) {
    instruction.kind = InstructionKind::barrier;
    return instruction;
  }
  instruction.returns_value = traits(access.operation).returns_value;
  instruction.operand_registers =
      static_cast<std::uint8_t>(operand_registers(access.operation, access.bytes_per_lane));
  instruction.wavefronts = cost.wavefronts;
  instruction.transfer_cycles = cost.transfer_cycles;
  return instruction;
}

}  // namespace smem::clock
