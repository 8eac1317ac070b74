// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <batch/batch_analyzer.hpp>

#include <smem/gpu_spec.hpp>
#include <smem/operation.hpp>

namespace smem {

/// Chunks of elements, one a thread, as the generator `chunk` lays them out and walks them.
struct ChunkLayout {
  std::int64_t chunk = 0;  ///< elements
  std::int64_t pad = 0;    ///< elements
  std::int64_t element_bytes = 4;
  std::int64_t width_bytes = 4;  ///< of the instruction asked for
  std::int64_t threads = 32;
  Operation operation = Operation::load;  ///< load or store

  /// Bytes from one thread's chunk to the next; S in words is this over the bank's width.
  [[nodiscard]] std::uint64_t stride_bytes() const {
    return static_cast<std::uint64_t>((chunk + pad) * element_bytes);
  }
};

/// What walking the chunks costs. An *access* is `width_bytes` a lane, made of one instruction or,
/// where alignment does not hold, of several narrower ones. Counts are averages over accesses.
struct ChunkCost {
  std::uint64_t shared_memory_bytes = 0;
  bool fits = false;  ///< in the GPU's shared memory; if not, nothing below is set
  bool aligned = false;
  std::uint32_t issued_width_bytes = 0;  ///< the widest that the stride aligns and the chunk fills
  double wavefronts = 0;                 ///< of an access
  double least_wavefronts = 0;           ///< of an aligned, conflict-free access of the width
  double cycles_per_access = 0;          ///< steady state, shared memory being the only limit
  double bytes_per_cycle = 0;            ///< of one SM over the whole chunk, the same

  [[nodiscard]] double ways() const { return wavefronts / least_wavefronts; }
};

/// gcd(S, banks); nothing when the stride is no whole number of words.
[[nodiscard]] std::optional<std::uint32_t> stride_gcd(const GpuSpec& spec,
                                                      const ChunkLayout& layout);

/// A pad, in elements, and what it leads to.
struct PadChoice {
  std::int64_t pad = 0;
  ChunkCost cost;
};

/// Counts layouts on one GPU. Throws TraceError "chunk: expected …, found …" for values out of
/// range.
class ChunkCounter {
 public:
  explicit ChunkCounter(const GpuSpec& spec) : spec_(spec), analyzer_(spec) {}

  /// From the byte addresses of every instruction of every warp; no formula enters.
  [[nodiscard]] ChunkCost cost(const ChunkLayout& layout) const;

  /// The published rule: 16 or 32 bytes, whichever makes gcd(S, banks) smaller, the former if both
  /// do the same. Where S is no whole number of words the counted wavefronts decide. `layout.pad`
  /// is ignored.
  [[nodiscard]] PadChoice published_pad(const ChunkLayout& layout) const;

  /// The best pad of all: the widest instructions, then the fewest wavefronts, then the least
  /// memory. Searches one row of banks, after which strides repeat; nothing when not even pad 0
  /// fits.
  [[nodiscard]] std::optional<PadChoice> best_pad(const ChunkLayout& layout) const;

 private:
  struct Sums;

  [[nodiscard]] Sums sum_up(const ChunkLayout& layout, std::uint8_t access_bytes,
                            std::uint8_t issued_bytes) const;
  [[nodiscard]] std::uint16_t least_wavefronts(Operation operation, std::uint8_t access_bytes,
                                               std::uint32_t active_mask) const;

  GpuSpec spec_;
  BatchAnalyzer analyzer_;
};

}  // namespace smem
