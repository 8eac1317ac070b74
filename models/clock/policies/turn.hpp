// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace smem::clock {

/// Look-ahead of an order: the rule its `pick` follows, where it is one of these. Then nobody has
/// to be asked, and runs of equal turns pass at once.
enum class Turn : std::uint8_t {
  unknown,           ///< only `pick` knows
  after_last,        ///< the first candidate behind the one that went last, round and round
  lowest,            ///< the first candidate
  last_then_lowest,  ///< the one that went last, while it can; then the first candidate
};

}  // namespace smem::clock
