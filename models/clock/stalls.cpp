// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <clock/stalls.hpp>
#include <clock/timing.hpp>

namespace smem::clock {

std::array<StallPart, 9> stall_parts(const AccessStamps& stamps) {
  const Cycle room = std::clamp(stamps.room_cycle, stamps.ready_cycle, stamps.issue_cycle);
  const Cycle path_free =
      std::clamp(stamps.path_free_cycle, stamps.issue_cycle + 1, stamps.transfer_cycle);
  const Cycle own_end =
      std::clamp(stamps.own_service_end_cycle, stamps.queue_cycle, stamps.service_cycle);
  return {{{StallReason::waiting_for_data, stamps.able_cycle, stamps.ready_cycle},
           {StallReason::queue_full, stamps.ready_cycle, room},
           {StallReason::issue, room, stamps.issue_cycle},
           {StallReason::operand_transfer, stamps.issue_cycle, path_free},
           {StallReason::queue_full, path_free, stamps.transfer_cycle},
           {StallReason::operand_transfer, stamps.transfer_cycle, stamps.moved_cycle},
           {StallReason::queue_full, stamps.moved_cycle, stamps.queue_cycle},
           {StallReason::own_previous_wavefronts, stamps.queue_cycle, own_end},
           {StallReason::other_warps, own_end, stamps.service_cycle}}};
}

std::array<std::uint64_t, kStallReasonCount> stall_cycles(const InFlight& access,
                                                          const TimingSpec& timing) {
  const AccessStamps& stamps = access.stamps;
  std::array<std::uint64_t, kStallReasonCount> stalls{};
  for (const StallPart& part : stall_parts(stamps)) {
    stalls[static_cast<std::size_t>(part.reason)] += part.end_cycle - part.begin_cycle;
  }
  const std::uint64_t alone =
      1 + std::uint64_t{access.instruction->wavefronts - 1u} * timing.wavefront_interval_cycles;
  stalls[static_cast<std::size_t>(StallReason::other_warps)] +=
      std::max(stamps.last_wavefront_cycle, stamps.service_cycle + alone) -
      (stamps.service_cycle + alone);
  return stalls;
}

}  // namespace smem::clock
