// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <smem/warp_access.hpp>

namespace smem {

/// The 16 bytes each lane stores, where somebody knows them; only the first `bytes_per_lane` count.
using StoredBytes = std::array<std::array<std::uint8_t, 16>, kLanesPerWarp>;

}  // namespace smem
