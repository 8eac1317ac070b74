// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <clock/modules/warp_state.hpp>

namespace smem::clock {

void WarpState::start(const WarpStart& start, Cycle now) {
  *this = WarpState{};
  warp_slot = start.warp_slot;
  block_slot = start.block_slot;
  block = start.block;
  running = true;
  passed_cycle = now;
  next = start.instructions.data();
  end = next + start.instructions.size();
  const auto last = std::find_if(
      start.instructions.rbegin(), start.instructions.rend(),
      [](const Instruction& instruction) { return instruction.kind == InstructionKind::access; });
  if (last != start.instructions.rend()) last_access = &*last;
  begin_instruction(now);
}

}  // namespace smem::clock
