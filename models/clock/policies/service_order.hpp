// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <clock/cycle.hpp>

namespace smem::clock {

/// An access in service whose next wavefront could pass.
struct ServiceCandidate {
  std::uint16_t warp_slot = 0;
  std::uint32_t wavefronts_left = 0;
  Cycle queue_cycle = 0;  ///< when it entered the SM's queue
};

/// Whose wavefront passes the banks. Where accesses are not in each other's way nobody asks, and an
/// answer depends on the question alone: so wavefronts are passed many at once, and worked out
/// ahead, whatever the order.
class ServiceOrder {
 public:
  /// An index into `candidates`: two or more, in the order in which they entered the SM's queue.
  [[nodiscard]] virtual std::size_t pick(std::span<const ServiceCandidate> candidates) const = 0;

  /// Look-ahead: `pick` always takes the first, so nobody looks for the others.
  [[nodiscard]] virtual bool takes_first() const { return false; }

 protected:
  ~ServiceOrder() = default;
};

}  // namespace smem::clock
