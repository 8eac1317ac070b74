// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clock/block_source.hpp>
#include <clock/in_flight.hpp>

namespace smem::clock {

/// Hears what happens in a simulation. Every event names its cycle; events may be told up to a
/// latency before they happen, but those of one place come in order. Nobody listening costs
/// nothing.
class Observer {
 public:
  virtual ~Observer() = default;

  /// The simulation begins in `cycle`; results count from here.
  virtual void simulation_started(Cycle /*cycle*/) {}
  virtual void block_started(std::uint16_t /*block_slot*/, const Block& /*block*/,
                             Cycle /*cycle*/) {}
  virtual void block_finished(std::uint16_t /*block_slot*/, Cycle /*cycle*/) {}
  /// Warp `warp` of the block in `block_slot` runs in `warp_slot` until it finishes.
  virtual void warp_started(std::uint16_t /*warp_slot*/, std::uint16_t /*block_slot*/,
                            std::uint32_t /*warp*/, Cycle /*cycle*/) {}
  virtual void warp_finished(std::uint16_t /*warp_slot*/, Cycle /*cycle*/) {}
  virtual void barrier_arrived(std::uint16_t /*warp_slot*/, const Instruction& /*barrier*/,
                               Cycle /*cycle*/) {}
  virtual void barrier_opened(std::uint16_t /*block_slot*/, Cycle /*cycle*/) {}
  /// The warp goes on behind the barrier in `cycle`.
  virtual void barrier_passed(std::uint16_t /*warp_slot*/, Cycle /*cycle*/) {}
  /// `access` leaves its warp now, in stamps.issue_cycle: never earlier than what was issued
  /// before.
  virtual void access_issued(const InFlight& /*access*/) {}
  /// All stamps of `access` are set.
  virtual void access_finished(const InFlight& /*access*/) {}

 protected:
  Observer() = default;
  Observer(const Observer&) = default;
  Observer& operator=(const Observer&) = default;
};

}  // namespace smem::clock
