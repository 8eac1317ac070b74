// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <batch/count_plan.hpp>
#include <batch/instruction_set.hpp>

#include <smem/analyzer.hpp>

namespace smem::batch {

/// A block of accesses of one (operation, width): record i lies `stride_bytes * indexes[i]` after
/// `first`, and its cost goes to `costs[indexes[i]]`. An index may stand there twice.
struct Block {
  const std::byte* first = nullptr;
  std::size_t stride_bytes = sizeof(WarpAccess);
  const std::uint32_t* indexes = nullptr;
  AccessCost* costs = nullptr;
  unsigned accesses = 0;  ///< a block, or half of one
};

enum class BlockResult : std::uint8_t {
  counted,
  mixed,     ///< not all accesses are of one (operation, width); nothing is written
  too_high,  ///< an active lane's address does not fit a key (see README.md); nothing is written
};

/// Counts one block.
using CountBlock = BlockResult (*)(const CountPlan& plan, const Block& block);

/// A kernel and the number of accesses it takes at once; none for InstructionSet::scalar.
struct BlockKernel {
  static constexpr unsigned kMaxAccesses = 64;

  CountBlock count_block = nullptr;
  unsigned accesses = 0;
};

/// The kernel of an available instruction set.
[[nodiscard]] BlockKernel block_kernel(InstructionSet set);

[[nodiscard]] BlockResult count_block_avx2(const CountPlan& plan, const Block& block);
BlockResult count_block_avx512(const CountPlan& plan, const Block& block);

}  // namespace smem::batch
