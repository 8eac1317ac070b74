// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace smem {

/// A matrix multiplication's tile in shared memory: `buffers` copies of an M x K tile of A and a
/// K x N tile of B whose rows are `pad` elements longer.
///
///   bytes = buffers * element_bytes * [M * K + K * (N + pad)]
///
/// Sizes up to 2^15 keep every product inside 64 bits.
struct TilePlan {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t k = 0;
  std::uint64_t element_bytes = 4;
  std::uint64_t buffers = 1;
  std::uint64_t pad = 0;

  [[nodiscard]] constexpr std::uint64_t a_bytes() const { return element_bytes * m * k; }
  constexpr std::uint64_t b_bytes() const { return element_bytes * k * (n + pad); }
  [[nodiscard]] constexpr std::uint64_t shared_memory_bytes() const {
    return buffers * (a_bytes() + b_bytes());
  }
  /// What the pad alone costs.
  [[nodiscard]] constexpr std::uint64_t padding_bytes() const {
    return buffers * element_bytes * k * pad;
  }
};

/// What staging data in shared memory saves: `bytes` are used `uses` times, in `tiles` pieces, one
/// after the other, with `buffers` pieces in shared memory at a time.
struct ReusePlan {
  std::uint64_t bytes = 0;
  std::uint64_t uses = 1;
  std::uint64_t tiles = 1;
  std::uint64_t buffers = 1;

  [[nodiscard]] constexpr std::uint64_t global_bytes_without_reuse() const { return bytes * uses; }
  constexpr std::uint64_t global_bytes_with_reuse() const { return bytes; }
  [[nodiscard]] constexpr std::uint64_t saved_global_bytes() const {
    return global_bytes_without_reuse() - global_bytes_with_reuse();
  }
  [[nodiscard]] constexpr std::uint64_t shared_write_bytes() const { return bytes; }
  constexpr std::uint64_t shared_read_bytes() const { return bytes * uses; }
  /// Barriers of a block: one before each piece is read, and, with a single buffer, one before it
  /// is overwritten by the next. A second buffer makes the latter needless: the barrier before
  /// reading piece i is also past every read of piece i - 1, whose buffer piece i + 1 takes.
  [[nodiscard]] constexpr std::uint64_t sync_points() const {
    return buffers > 1 || tiles == 0 ? tiles : 2 * tiles - 1;
  }
};

/// How far `registers_per_thread` lies over a budget; 0 when within it.
[[nodiscard]] constexpr std::uint64_t registers_over_budget(std::uint64_t registers_per_thread,
                                                            std::uint64_t budget) {
  return registers_per_thread > budget ? registers_per_thread - budget : 0;
}

}  // namespace smem
