// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clock/in_flight.hpp>
#include <clock/recurrence/timed_access.hpp>

namespace smem {

/// The recurrence's view of an instruction.
constexpr clock::TimedInstruction timed_instruction(const clock::Instruction& instruction) {
  return {instruction.delay_cycles,
          instruction.data_delay_cycles,
          instruction.run_instructions,
          instruction.independent_instructions,
          instruction.dependent_instructions,
          instruction.needs_values,
          instruction.wavefronts,
          instruction.transfer_cycles,
          instruction.operand_registers,
          instruction.returns_value};
}

}  // namespace smem
