// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cycle/in_flight.hpp>

namespace smem::cycle {

/// Hears what happens in a simulation. Events of one kind come in order of their cycle, except
/// access_finished, which comes as soon as the finish is certain. Nobody listening costs nothing.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void warp_started(std::uint16_t /*warp_slot*/, Cycle /*cycle*/) {}
  virtual void warp_finished(std::uint16_t /*warp_slot*/, Cycle /*cycle*/) {}
  virtual void barrier_arrived(std::uint16_t /*warp_slot*/, Cycle /*cycle*/) {}
  virtual void barrier_opened(std::uint16_t /*block_slot*/, Cycle /*cycle*/) {}
  /// All stamps of `access` are set.
  virtual void access_finished(const InFlight& /*access*/) {}

 protected:
  Observer() = default;
  Observer(const Observer&) = default;
  Observer& operator=(const Observer&) = default;
};

}  // namespace smem::cycle
