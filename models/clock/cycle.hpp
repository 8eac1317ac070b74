// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace smem::clock {

/// A point in time, counted in SM clock cycles from the start of the simulation.
using Cycle = std::uint64_t;

inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

}  // namespace smem::clock
