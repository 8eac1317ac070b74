// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <clock/cycle.hpp>

namespace smem::clock {

/// An access that the data stage could take into service.
struct AdmissionCandidate {
  std::size_t place = 0;  ///< in the SM's queue
  std::uint16_t warp_slot = 0;
  std::uint16_t wavefronts = 0;
  Cycle queue_cycle = 0;  ///< when it entered that queue
};

/// Which access of the window enters service. Candidates are the first of their warps there whose
/// warp has none in service: a warp's accesses never overtake each other. Without state.
class AdmissionOrder {
 public:
  /// An index into `candidates`: two or more, in the order of the queue.
  [[nodiscard]] virtual std::size_t pick(std::span<const AdmissionCandidate> candidates) const = 0;

  /// Look-ahead: `pick` always takes the first, so nobody looks for the others.
  [[nodiscard]] virtual bool takes_first() const { return false; }

 protected:
  ~AdmissionOrder() = default;
};

}  // namespace smem::clock
