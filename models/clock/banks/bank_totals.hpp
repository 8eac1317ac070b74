// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace smem::clock {

/// What all banks have done since the reset.
struct BankTotals {
  std::uint64_t words = 0;            ///< served, one a busy bank and wavefront
  std::uint64_t multicast_words = 0;  ///< of them for several lanes, but not for the whole group
  std::uint64_t broadcast_words = 0;  ///< of them for the whole group of several lanes
  std::uint64_t lost_lanes = 0;       ///< lanes whose stored value another lane's overwrote
};

}  // namespace smem::clock
