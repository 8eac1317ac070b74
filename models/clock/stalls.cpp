// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <clock/stalls.hpp>
#include <clock/timing.hpp>

namespace smem::clock {

std::array<StallPart, 9> stall_parts(const AccessStamps& at) {
  const Cycle room = std::clamp(at.room_cycle, at.ready_cycle, at.issue_cycle);
  const Cycle path_free = std::clamp(at.path_free_cycle, at.issue_cycle + 1, at.transfer_cycle);
  const Cycle own_end = std::clamp(at.own_service_end_cycle, at.queue_cycle, at.service_cycle);
  return {{{StallReason::waiting_for_data, at.able_cycle, at.ready_cycle},
           {StallReason::queue_full, at.ready_cycle, room},
           {StallReason::issue, room, at.issue_cycle},
           {StallReason::operand_transfer, at.issue_cycle, path_free},
           {StallReason::queue_full, path_free, at.transfer_cycle},
           {StallReason::operand_transfer, at.transfer_cycle, at.moved_cycle},
           {StallReason::queue_full, at.moved_cycle, at.queue_cycle},
           {StallReason::own_previous_wavefronts, at.queue_cycle, own_end},
           {StallReason::other_warps, own_end, at.service_cycle}}};
}

std::array<std::uint64_t, kStallReasonCount> stall_cycles(const InFlight& access,
                                                          const TimingSpec& timing) {
  const AccessStamps& at = access.stamps;
  std::array<std::uint64_t, kStallReasonCount> stalls{};
  for (const StallPart& part : stall_parts(at)) {
    stalls[static_cast<std::size_t>(part.reason)] += part.end_cycle - part.begin_cycle;
  }
  const std::uint64_t alone =
      1 + std::uint64_t{access.instruction->wavefronts - 1u} * timing.wavefront_interval_cycles;
  stalls[static_cast<std::size_t>(StallReason::other_warps)] +=
      std::max(at.last_wavefront_cycle, at.service_cycle + alone) - (at.service_cycle + alone);
  return stalls;
}

}  // namespace smem::clock
