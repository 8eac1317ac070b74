// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include <batch/block_counter.hpp>

namespace smem::batch {
namespace {

/// 16 elements of 16 bits.
struct Avx2Words {
  using Vector = __m256i;
  using Mask = __m256i;  ///< all bits of an element, or none
  static constexpr unsigned kElements = 16;

  static Vector zero() { return _mm256_setzero_si256(); }
  static Vector all(std::uint16_t value) { return _mm256_set1_epi16(static_cast<short>(value)); }
  static Vector minimum(Vector a, Vector b) { return _mm256_min_epu16(a, b); }
  static Vector maximum(Vector a, Vector b) { return _mm256_max_epu16(a, b); }
  static Vector add(Vector a, Vector b) { return _mm256_add_epi16(a, b); }
  static Vector subtract(Vector a, Vector b) { return _mm256_sub_epi16(a, b); }
  static Vector subtract_to_zero(Vector a, Vector b) { return _mm256_subs_epu16(a, b); }
  static Vector multiply(Vector a, Vector b) { return _mm256_mullo_epi16(a, b); }
  static Vector both_bits(Vector a, Vector b) { return _mm256_and_si256(a, b); }
  static Vector exclusive_or(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
  static Vector shift_left(Vector a, unsigned bits) {
    return _mm256_sll_epi16(a, _mm_cvtsi32_si128(static_cast<int>(bits)));
  }
  static Vector shift_right(Vector a, unsigned bits) {
    return _mm256_srl_epi16(a, _mm_cvtsi32_si128(static_cast<int>(bits)));
  }
  static Vector interleave_low16(Vector a, Vector b) { return _mm256_unpacklo_epi16(a, b); }
  static Vector interleave_high16(Vector a, Vector b) { return _mm256_unpackhi_epi16(a, b); }
  static Vector interleave_low32(Vector a, Vector b) { return _mm256_unpacklo_epi32(a, b); }
  static Vector interleave_high32(Vector a, Vector b) { return _mm256_unpackhi_epi32(a, b); }
  static Vector interleave_low64(Vector a, Vector b) { return _mm256_unpacklo_epi64(a, b); }
  static Vector interleave_high64(Vector a, Vector b) { return _mm256_unpackhi_epi64(a, b); }
  static void store(std::uint16_t* to, Vector a) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), a);
  }

  static Mask none() { return zero(); }
  static Mask every() { return all(0xffff); }
  static bool any(Mask mask) { return _mm256_testz_si256(mask, mask) == 0; }
  static bool is_every(Mask mask) { return _mm256_movemask_epi8(mask) == -1; }
  static Mask either(Mask a, Mask b) { return _mm256_or_si256(a, b); }
  static Mask both(Mask a, Mask b) { return _mm256_and_si256(a, b); }
  static Mask without(Mask a, Mask b) { return _mm256_andnot_si256(b, a); }
  static Mask equal(Vector a, Vector b) { return _mm256_cmpeq_epi16(a, b); }
  static Vector choose(Mask mask, Vector yes, Vector no) {
    return _mm256_blendv_epi8(no, yes, mask);
  }
  static Vector keep(Mask mask, Vector a) { return _mm256_and_si256(mask, a); }
  static Vector clear(Mask mask, Vector a) { return _mm256_andnot_si256(mask, a); }

  static void sort_two(Vector& low, Vector& high) {
    const Vector smaller = _mm256_min_epu16(low, high);
    high = _mm256_max_epu16(low, high);
    low = smaller;
  }

  /// Swaps rows and columns of the 2 x 2 matrix of 128-bit pieces.
  static void transpose_chunks(Vector* rows) {
    const Vector low = _mm256_permute2x128_si256(rows[0], rows[1], 0x20);
    rows[1] = _mm256_permute2x128_si256(rows[0], rows[1], 0x31);
    rows[0] = low;
  }

  /// Where `KeyMaker` puts lanes: packing takes four of either operand by turns.
  static constexpr unsigned lane_of(unsigned chunk, unsigned column) {
    return 4 * chunk + (column < 4 ? column : column + 4);
  }

  static constexpr bool kChecksInactiveLanes = false;

  /// Makes keys of 16 offsets, see README.md: packs units to 16 bits, then rotates the bank up.
  class KeyMaker {
   public:
    explicit KeyMaker(const CountPlan& plan)
        : plan_(plan),
          unit_shift_(count(plan.unit_bytes_log2)),
          row_shift_(count(plan.row_units_log2)),
          bank_shift_(count(CountPlan::kKeyBits - plan.row_units_log2)),
          next_row_(all(static_cast<std::uint16_t>(1u << plan.row_units_log2))) {}

    template <bool kHasTerms, bool /*kMaskLoads*/>
    Vector key(const std::byte* offsets, std::uint32_t active_mask, unsigned part,
               Vector& peak) const {
      const std::uint32_t lanes = (active_mask & plan_.lanes) >> (16 * part);
      const __m256i* const source = reinterpret_cast<const __m256i*>(offsets);
      const Vector low = _mm256_srl_epi32(_mm256_loadu_si256(source), unit_shift_);
      const Vector high = _mm256_srl_epi32(_mm256_loadu_si256(source + 1), unit_shift_);
      const Vector units = _mm256_packus_epi32(low, high);
      // The order packing leaves: lanes 0-3, 8-11, 4-7, 12-15.
      const Vector bits = _mm256_setr_epi16(1, 2, 4, 8, 256, 512, 1024, 2048, 16, 32, 64, 128, 4096,
                                            8192, 16384, static_cast<short>(0x8000));
      const Vector active =
          _mm256_cmpeq_epi16(_mm256_and_si256(all(static_cast<std::uint16_t>(lanes)), bits), bits);
      const Vector later = _mm256_and_si256(active, _mm256_adds_epu16(units, next_row_));
      peak = _mm256_max_epu16(peak, later);
      Vector key = _mm256_or_si256(_mm256_srl_epi16(later, row_shift_),
                                   _mm256_sll_epi16(later, bank_shift_));
      if constexpr (!kHasTerms) return key;
      const Vector row = _mm256_sub_epi16(key, all(1));
#pragma GCC unroll 1
      for (unsigned index = 0; index < plan_.term_count; ++index) {
        const KeyTerm& term = plan_.terms[index];
        const Vector moved = shift_left(row, term.left);
        key = _mm256_xor_si256(key,
                               _mm256_and_si256(moved, _mm256_and_si256(active, all(term.mask))));
      }
      return key;
    }

    bool fits(Vector peak) const {
      return !any(equal(peak, all(0xffff)));
    }

   private:
    static __m128i count(unsigned bits) {
      return _mm_cvtsi32_si128(static_cast<int>(bits));
    }

    const CountPlan& plan_;
    __m128i unit_shift_;
    __m128i row_shift_;
    __m128i bank_shift_;
    Vector next_row_;
  };
};

}  // namespace

BlockResult count_block_avx2(const CountPlan& plan, const Block& block) {
  return count_block<Avx2Words>(plan, block);
}

}  // namespace smem::batch
