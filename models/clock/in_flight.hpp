// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <clock/block_key.hpp>
#include <clock/instruction.hpp>
#include <clock/stamps.hpp>

namespace smem::clock {

/// An access on its way from the warp to the banks and back.
struct InFlight {
  const Instruction* instruction = nullptr;
  std::uint16_t warp_slot = 0;  ///< of the SM
  std::uint8_t sub_partition = 0;
  std::uint8_t service_slot = 0;  ///< of the data stage, once it has entered
  bool last_of_warp = false;      ///< nothing but barriers comes after it
  Cycle data_ready_cycle = 0;     ///< from here on its data registers can move
  std::uint64_t age = 0;          ///< order of entering the SM's queue
  BlockKey block;                 ///< whose memory it reads and writes
  AccessStamps stamps;
};

}  // namespace smem::clock
