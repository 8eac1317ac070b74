// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <vector>

#include <clock/block_source.hpp>

namespace smem::clock {
struct TimingSpec;  // clock/timing.hpp
}

namespace smem::test {

/// These moves, kept for as long as the process lives: for instructions, which only point to them.
const clock::OperandMoves* kept_moves(const clock::OperandMoves& moves);

/// Numbers of a clock, every one of them random: mostly small, some odd and large.
clock::TimingSpec random_timing(std::mt19937& random);

/// How random_blocks draws.
struct RandomBlocks {
  std::uint32_t most_warps = 32;
  std::uint32_t most_instructions = 20;  ///< of a warp
  std::uint32_t most_kernels = 3;
  std::uint32_t most_blocks = 4;  ///< of a kernel
  std::uint32_t most_gap = 5;     ///< independent instructions before an access
};

/// Blocks of a few kernels whose warps run random programs: loads, stores, atomics and matrix
/// accesses of random cost, repeated, behind independent instructions, delays, ALU chains and
/// values of earlier loads, between barriers; some warps run the same program, some nothing.
std::vector<clock::Block> random_blocks(std::mt19937& random, const RandomBlocks& limits);

}  // namespace smem::test
