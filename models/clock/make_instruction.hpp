// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clock/in_flight.hpp>

#include <smem/analyzer.hpp>

namespace smem::clock {

/// The clock's view of an access: its costs from the pure model, and the registers a lane hands
/// over (an address, and for what writes, the data words; two operands for compare-and-swap). An
/// access without an active lane needs no wavefront and becomes an instruction of zero of them.
constexpr Instruction make_instruction(const WarpAccess& access, const AccessCost& cost) {
  const OperationTraits& of = traits(access.operation);
  Instruction instruction;
  if (access.operation == Operation::barrier) {
    instruction.kind = InstructionKind::barrier;
    return instruction;
  }
  const unsigned words = access.bytes_per_lane > 4 ? access.bytes_per_lane / 4u : 1u;
  unsigned data = of.writes_memory ? words : 0;
  if (of.rule_kind == RuleKind::stmatrix) data = of.matrices;
  if (of.rule_kind == RuleKind::atomic_cas) data = 2 * words;
  if (of.rule_kind == RuleKind::async_copy) data = 0;
  instruction.returns_value = of.returns_value;
  instruction.operand_registers = static_cast<std::uint8_t>(1 + data);
  instruction.wavefronts = cost.wavefronts;
  instruction.transfer_cycles = cost.transfer_cycles;
  return instruction;
}

}  // namespace smem::clock
