// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include <smem/gpu_spec.hpp>
#include <smem/warp_access.hpp>

namespace smem {

/// What one thread block asks of an SM.
struct BlockResources {
  std::uint32_t threads = 0;
  std::uint32_t registers_per_thread = 0;  ///< 0 = not known: registers limit nothing
  std::uint64_t shared_memory_bytes = 0;   ///< static and dynamic, without what the GPU reserves
};

/// The resources that can run out.
enum class OccupancyLimit : std::uint8_t { shared_memory, threads, registers, block_slots };

inline constexpr std::array<std::string_view, 4> kOccupancyLimitNames = {
    "shared memory", "threads", "registers", "block slots"};

/// How many blocks an SM holds at once, as each resource alone would have it.
struct ResidentBlocks {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  std::array<std::uint64_t, 4> by_limit = {kUnlimited, kUnlimited, kUnlimited, kUnlimited};

  [[nodiscard]] constexpr std::uint64_t by(OccupancyLimit limit) const {
    return by_limit[static_cast<std::size_t>(limit)];
  }
  /// The resource that runs out first; of several, the first in OccupancyLimit's order.
  [[nodiscard]] constexpr OccupancyLimit limit() const {
    std::size_t least = 0;
    for (std::size_t index = 1; index < by_limit.size(); ++index) {
      if (by_limit[index] < by_limit[least]) least = index;
    }
    return static_cast<OccupancyLimit>(least);
  }
  [[nodiscard]] constexpr std::uint64_t blocks() const { return by(limit()); }
};

[[nodiscard]] constexpr std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Blocks of `shared_memory_bytes` in an SM's shared memory; 0 when one alone is too large.
[[nodiscard]] constexpr std::uint64_t blocks_by_shared_memory(const OccupancyLimits& limits,
                                                              std::uint64_t shared_memory_bytes) {
  if (shared_memory_bytes > limits.shared_memory_per_block_bytes) return 0;
  const std::uint64_t taken =
      rounded_up(shared_memory_bytes + limits.shared_memory_reserved_per_block_bytes,
                 limits.shared_memory_allocation_unit_bytes);
  return taken == 0 ? ResidentBlocks::kUnlimited : limits.shared_memory_per_sm_bytes / taken;
}

/// Blocks by threads: whole warps count.
[[nodiscard]] constexpr std::uint64_t blocks_by_threads(const OccupancyLimits& limits,
                                                        std::uint32_t threads) {
  if (threads == 0 || threads > limits.threads_per_block) return 0;
  return limits.threads_per_sm / rounded_up(threads, kLanesPerWarp);
}

/// Registers one warp takes: they are handed out in units.
[[nodiscard]] constexpr std::uint64_t registers_per_warp(const OccupancyLimits& limits,
                                                         std::uint32_t registers_per_thread) {
  return rounded_up(std::uint64_t{registers_per_thread} * kLanesPerWarp,
                    limits.register_allocation_unit_per_warp);
}

/// Blocks by registers. A warp's come from the register file of the sub-partition it lives on,
/// which holds whole warps only.
[[nodiscard]] constexpr std::uint64_t blocks_by_registers(const OccupancyLimits& limits,
                                                          std::uint32_t threads,
                                                          std::uint32_t registers_per_thread) {
  if (threads == 0 || registers_per_thread > limits.registers_per_thread) return 0;
  const std::uint64_t per_warp = registers_per_warp(limits, registers_per_thread);
  if (per_warp == 0) return ResidentBlocks::kUnlimited;
  const std::uint64_t partitions = limits.register_files_per_sm;
  const std::uint64_t warps = partitions * (limits.registers_per_sm / partitions / per_warp);
  return warps / (rounded_up(threads, kLanesPerWarp) / kLanesPerWarp);
}

/// How many such blocks are resident on an SM, and what limits them. Source of the rules: the CUDA
/// toolkit's occupancy calculation, whose answers for the H200 are
/// traces/measured/h200/occupancy/occupancy.csv.
[[nodiscard]] constexpr ResidentBlocks resident_blocks(const OccupancyLimits& limits,
                                                       const BlockResources& block) {
  ResidentBlocks result;
  result.by_limit = {blocks_by_shared_memory(limits, block.shared_memory_bytes),
                     blocks_by_threads(limits, block.threads),
                     blocks_by_registers(limits, block.threads, block.registers_per_thread),
                     limits.blocks_per_sm};
  return result;
}

}  // namespace smem
