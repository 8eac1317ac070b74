// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace smem::clock {

// What arrays are made for: the most that a TimingSpec may name.
inline constexpr unsigned kMaxSubPartitions = 8;
inline constexpr unsigned kMaxAccessesInService = 8;

}  // namespace smem::clock
