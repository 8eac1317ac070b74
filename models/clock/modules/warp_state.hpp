// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include <clock/in_flight.hpp>

namespace smem::clock {

/// A warp that starts to run.
struct WarpStart {
  std::span<const Instruction> instructions;
  std::uint16_t warp_slot = 0;   ///< of the SM
  std::uint16_t block_slot = 0;  ///< of the SM
  std::uint32_t warp = 0;        ///< of the block
  BlockKey block;
};

/// What a warp would issue next; nothing while it waits for a message.
enum class Want : std::uint8_t { nothing, run, alu, barrier, access };
inline constexpr std::size_t kWants = 5;

/// One warp of a sub-partition: where it stands in its instructions, and from when on it could go
/// on. `want` and `own_cycle` are worked out by look_again(), which whoever changes something
/// calls.
struct WarpState {
  Want want = Want::nothing;
  Cycle own_cycle = 0;  ///< from when on the warp itself could issue it
  std::uint16_t warp_slot = 0;
  std::uint16_t block_slot = 0;
  BlockKey block;
  bool running = false;
  bool at_barrier = false;
  const Instruction* next = nullptr;
  const Instruction* end = nullptr;
  const Instruction* last_access = nullptr;
  std::uint32_t repeats_left = 0;
  std::uint32_t run_left = 0;  ///< of the next instruction's run
  std::uint32_t independent_left = 0;
  std::uint32_t chain_left = 0;
  std::uint32_t values_returned = 0;
  std::uint32_t ends_expected = 0;  ///< accesses whose end the warp will still hear of
  Cycle passed_cycle = 0;           ///< when it started, or passed its last barrier
  std::uint32_t in_queue = 0;       ///< its accesses in the sub-partition's queue
  bool asleep = false;       ///< refused by the full queue, until an access of its own leaves
  bool was_refused = false;  ///< since its last access; looks every cycle when not asleep
  Cycle able_cycle = 0;      ///< from here on nothing earlier is left to issue
  Cycle next_issue_cycle = 0;
  Cycle next_access_cycle = 0;
  Cycle chain_ready_cycle = 0;
  Cycle value_cycle = 0;  ///< when the value came that the next instruction had to wait for

  /// Becomes a warp that starts in `now`.
  void start(const WarpStart& start, Cycle now);
  /// The next instruction, if there is one, can begin from `able_cycle` on.
  void begin_instruction(Cycle able_cycle);
  /// The next instruction is done once; what follows can begin from `able_cycle` on.
  void end_instruction(Cycle able_cycle);
  void look_again();

  /// It has issued everything and waits for nothing.
  [[nodiscard]] bool is_done() const { return running && next == end && ends_expected == 0; }
  /// Only a returned value lets it go on.
  [[nodiscard]] bool waits_for_value() const {
    return running && (next == end || values_returned < next->needs_values);
  }
};

inline void WarpState::begin_instruction(Cycle from_cycle) {
  if (next == end) return;
  const Instruction& instruction = *next;
  if (repeats_left == 0) repeats_left = instruction.repeats;
  run_left = instruction.run_instructions();
  independent_left = instruction.independent_instructions;
  chain_left = instruction.dependent_instructions;
  chain_ready_cycle = 0;
  value_cycle = 0;
  able_cycle = from_cycle;
  next_issue_cycle = from_cycle + instruction.delay_cycles;
}

inline void WarpState::end_instruction(Cycle from_cycle) {
  if (--repeats_left == 0) ++next;
  begin_instruction(from_cycle);
}

inline void WarpState::look_again() {
  want = Want::nothing;
  if (!running || at_barrier || asleep || next == end) return;
  own_cycle = next_issue_cycle;
  if (run_left != 0 || independent_left != 0) {
    want = run_left != 0 ? Want::run : Want::alu;
    return;
  }
  const Instruction& instruction = *next;
  if (values_returned < instruction.needs_values) return;
  own_cycle = std::max(own_cycle, chain_ready_cycle);
  if (value_cycle != 0) own_cycle = std::max(own_cycle, value_cycle + instruction.delay_cycles);
  if (chain_left != 0) {
    want = Want::alu;
  } else if (instruction.kind == InstructionKind::barrier) {
    want = Want::barrier;
  } else {
    want = Want::access;
    own_cycle = std::max(own_cycle, next_access_cycle);
  }
}

}  // namespace smem::clock
