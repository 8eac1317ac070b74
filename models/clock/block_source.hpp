// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <clock/in_flight.hpp>

namespace smem::clock {

/// What one warp of a block executes. Warps that do the same may share the instructions.
struct WarpProgram {
  std::uint32_t warp = 0;  ///< of the block; warp mod sub-partitions is where it runs
  std::shared_ptr<const std::vector<Instruction>> instructions;
};

/// One thread block.
struct Block {
  std::uint32_t kernel = 0;
  std::uint32_t block = 0;
  std::uint32_t resident_blocks = 1;  ///< how many of its kernel the SM holds at once; at least 1
  std::vector<WarpProgram> warps;
};

/// Blocks in the order they are launched. Blocks of one kernel come together; the next kernel
/// starts when the last block of the one before has retired.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  /// The next block, null at the end. The block lives until the simulation is over or `retire`.
  virtual const Block* next() = 0;
  /// `block` has finished and may be forgotten.
  virtual void retire(const Block& /*block*/) {}

 protected:
  BlockSource() = default;
  BlockSource(const BlockSource&) = default;
  BlockSource& operator=(const BlockSource&) = default;
};

}  // namespace smem::clock
