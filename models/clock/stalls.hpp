// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <clock/in_flight.hpp>

namespace smem::clock {

struct TimingSpec;  // clock/timing.hpp

/// Why an access was not further on, cycle by cycle from the moment its warp could have issued it.
enum class StallReason : std::uint8_t {
  barrier,                  ///< its warp waited at a barrier before
  waiting_for_data,         ///< the address came from a load, or through dependent instructions
  issue,                    ///< other warps issued, or the warp's own issue interval
  queue_full,               ///< no room in a queue, or for store data
  operand_transfer,         ///< registers before it, and its own, moved to the queue
  own_previous_wavefronts,  ///< the warp's access before it was in the data stage
  other_warps,              ///< accesses of other warps were in the data stage
};
inline constexpr std::size_t kStallReasonCount = 7;
inline constexpr std::array<std::string_view, kStallReasonCount> kStallReasonNames = {
    "barrier_cycles",    "waiting_for_data_cycles", "issue_cycles",
    "queue_full_cycles", "operand_transfer_cycles", "own_previous_wavefronts_cycles",
    "other_warps_cycles"};

/// A stretch of an access's way, from `begin_cycle` to before `end_cycle`; may be empty.
struct StallPart {
  StallReason reason;
  Cycle begin_cycle;
  Cycle end_cycle;
};

/// The way from `able_cycle` into the data stage, one part after the other.
std::array<StallPart, 9> stall_parts(const AccessStamps& stamps);

/// Splits an access's way by reason; the parts add up to the cycles from `able_cycle` to the first
/// wavefront, plus what others took between its own wavefronts.
std::array<std::uint64_t, kStallReasonCount> stall_cycles(const InFlight& access,
                                                          const TimingSpec& timing);

}  // namespace smem::clock
