// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include <batch/block_kernel.hpp>

// Included only by files that are compiled for an instruction set. Everything is local to the file,
// so that no code made of its instructions is linked into any other.

namespace smem::batch {
namespace {

/// A 32-bit number at `offset` of an access.
[[nodiscard]] inline std::uint32_t number_at(const Block& block, unsigned access,
                                             std::size_t offset) {
  std::uint32_t number;
  std::memcpy(&number, block.first + block.stride_bytes * block.indexes[access] + offset,
              sizeof number);
  return number;
}

/// Loads the keys of a block, one vector a lane: makes the keys of one access in a vector, then
/// transposes.
template <class Words>
class KeyLoader {
 public:
  using Vector = typename Words::Vector;
  static constexpr unsigned kAccesses = Words::kElements;
  static constexpr unsigned kParts = kLanesPerWarp / kAccesses;  ///< vectors the lanes of one fill
  static constexpr unsigned kChunks = kAccesses / 8;             ///< 128-bit pieces of a vector

  /// Fills keys[0 … kNoLane], 0 where inactive.
  [[nodiscard]] static BlockResult load(const CountPlan& plan, const Block& block, Vector* keys) {
    const bool has_terms = plan.term_count != 0;
    const BlockResult result = has_terms ? load_all<true, false>(plan, block, keys)
                                         : load_all<false, false>(plan, block, keys);
    if (result != BlockResult::too_high || !Words::kChecksInactiveLanes) return result;
    return has_terms ? load_all<true, true>(plan, block, keys)
                     : load_all<false, true>(plan, block, keys);
  }

 private:
  /// What a block's accesses have in common.
  struct Peak {
    Vector key;  ///< of addresses, for `KeyMaker::fits`
    std::uint32_t first_head;
    std::uint32_t head_bits;  ///< where heads differ from the first
  };

  /// Transposes 8 accesses x 8 keys in every 128-bit piece.
  static void transpose_pieces(Vector* rows) {
    Vector pairs[8];
    for (unsigned row = 0; row < 4; ++row) {
      pairs[row] = Words::interleave_low16(rows[2 * row], rows[2 * row + 1]);
      pairs[row + 4] = Words::interleave_high16(rows[2 * row], rows[2 * row + 1]);
    }
    Vector quads[8];
    for (unsigned half = 0; half < 8; half += 4) {
      for (unsigned row = 0; row < 2; ++row) {
        quads[half + row] =
            Words::interleave_low32(pairs[half + 2 * row], pairs[half + 2 * row + 1]);
        quads[half + 2 + row] =
            Words::interleave_high32(pairs[half + 2 * row], pairs[half + 2 * row + 1]);
      }
    }
    for (unsigned column = 0; column < 4; ++column) {
      rows[2 * column] = Words::interleave_low64(quads[2 * column], quads[2 * column + 1]);
      rows[2 * column + 1] = Words::interleave_high64(quads[2 * column], quads[2 * column + 1]);
    }
  }

  template <bool kHasTerms, bool kMaskLoads>
  [[nodiscard]] static BlockResult load_all(const CountPlan& plan, const Block& block,
                                            Vector* keys) {
    const typename Words::KeyMaker make_key(plan);
    keys[kNoLane] = Words::zero();
    Peak peak{Words::zero(), number_at(block, 0, 0), 0};
    for (unsigned part = 0; part < kParts; ++part) {
      load_part<kHasTerms, kMaskLoads>(make_key, block, part, peak, keys);
    }
    if ((peak.head_bits & 0xffffu) != 0) return BlockResult::mixed;
    return make_key.fits(peak.key) ? BlockResult::counted : BlockResult::too_high;
  }

  template <bool kHasTerms, bool kMaskLoads>
  static void load_part(const typename Words::KeyMaker& make_key, const Block& block, unsigned part,
                        Peak& peak, Vector* keys) {
    Vector pieces[kChunks][8];
    for (unsigned chunk = 0; chunk < kChunks; ++chunk) {
      Vector rows[8];
#pragma GCC unroll 8
      for (unsigned row = 0; row < 8; ++row) {
        const std::byte* const record =
            block.first + block.stride_bytes * block.indexes[8 * chunk + row];
        std::uint32_t head;
        std::uint32_t active_mask;
        std::memcpy(&head, record, sizeof head);
        std::memcpy(&active_mask, record + offsetof(WarpAccess, active_mask), sizeof active_mask);
        peak.head_bits |= head ^ peak.first_head;
        rows[row] = make_key.template key<kHasTerms, kMaskLoads>(
            record + offsetof(WarpAccess, offsets_bytes) + part * kAccesses * sizeof(std::uint32_t),
            active_mask, part, peak.key);
      }
      transpose_pieces(rows);
#pragma GCC unroll 8
      for (unsigned row = 0; row < 8; ++row) pieces[chunk][row] = rows[row];
    }
    for (unsigned column = 0; column < 8; ++column) {
      Vector lanes[kChunks];
      for (unsigned chunk = 0; chunk < kChunks; ++chunk) lanes[chunk] = pieces[chunk][column];
      Words::transpose_chunks(lanes);
      for (unsigned chunk = 0; chunk < kChunks; ++chunk) {
        keys[part * kAccesses + Words::lane_of(chunk, column)] = lanes[chunk];
      }
    }
  }
};

}  // namespace
}  // namespace smem::batch
