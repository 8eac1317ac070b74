// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include <clock/in_flight.hpp>

namespace smem::clock {

/// Whether a simulation goes as far as the banks.
enum class BankMode : std::uint8_t {
  skipped,    ///< wavefronts are counted, many at once, and nobody sees one: faster, equal cycles
  simulated,  ///< every wavefront passes the lane grouper and the banks
};

/// Where the data stage's wavefronts go.
class WavefrontSink : public virtual sc_core::sc_interface {
 public:
  /// Wavefront `index` (from 0) of `access` passes in `cycle`, never before one it was told of.
  virtual void pass(const InFlight& access, std::uint32_t index, Cycle cycle) = 0;
};

/// Hears of every wavefront, in order of cycles.
class WavefrontObserver {
 public:
  virtual ~WavefrontObserver() = default;
  /// Wavefront `index` (from 0) of `access` passes the banks in `cycle`.
  virtual void wavefront(const InFlight& access, std::uint32_t index, Cycle cycle) = 0;
};

}  // namespace smem::clock
