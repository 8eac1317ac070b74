// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include <batch/block_counter.hpp>

namespace smem::batch {
namespace {

/// 32 elements of 16 bits.
struct Avx512Words {
  using Vector = __m512i;
  using Mask = __mmask32;
  static constexpr unsigned kElements = 32;

  static Vector zero() { return _mm512_setzero_si512(); }
  static Vector all(std::uint16_t value) { return _mm512_set1_epi16(static_cast<short>(value)); }
  static Vector minimum(Vector a, Vector b) { return _mm512_min_epu16(a, b); }
  static Vector maximum(Vector a, Vector b) { return _mm512_max_epu16(a, b); }
  static Vector add(Vector a, Vector b) { return _mm512_add_epi16(a, b); }
  static Vector subtract(Vector a, Vector b) { return _mm512_sub_epi16(a, b); }
  static Vector subtract_to_zero(Vector a, Vector b) { return _mm512_subs_epu16(a, b); }
  static Vector multiply(Vector a, Vector b) { return _mm512_mullo_epi16(a, b); }
  static Vector both_bits(Vector a, Vector b) { return _mm512_and_si512(a, b); }
  static Vector exclusive_or(Vector a, Vector b) { return _mm512_xor_si512(a, b); }
  static Vector shift_left(Vector a, unsigned bits) {
    return _mm512_sll_epi16(a, _mm_cvtsi32_si128(static_cast<int>(bits)));
  }
  static Vector shift_right(Vector a, unsigned bits) {
    return _mm512_srl_epi16(a, _mm_cvtsi32_si128(static_cast<int>(bits)));
  }
  static Vector interleave_low16(Vector a, Vector b) { return _mm512_unpacklo_epi16(a, b); }
  static Vector interleave_high16(Vector a, Vector b) { return _mm512_unpackhi_epi16(a, b); }
  static Vector interleave_low32(Vector a, Vector b) { return _mm512_unpacklo_epi32(a, b); }
  static Vector interleave_high32(Vector a, Vector b) { return _mm512_unpackhi_epi32(a, b); }
  static Vector interleave_low64(Vector a, Vector b) { return _mm512_unpacklo_epi64(a, b); }
  static Vector interleave_high64(Vector a, Vector b) { return _mm512_unpackhi_epi64(a, b); }
  static void store(std::uint16_t* to, Vector a) { _mm512_storeu_si512(to, a); }

  static Mask none() { return 0; }
  static Mask every() { return 0xffffffffu; }
  static bool any(Mask mask) { return mask != 0; }
  static bool is_every(Mask mask) { return mask == every(); }
  static Mask either(Mask a, Mask b) { return a | b; }
  static Mask both(Mask a, Mask b) { return a & b; }
  static Mask without(Mask a, Mask b) { return a & ~b; }
  static Mask equal(Vector a, Vector b) { return _mm512_cmpeq_epu16_mask(a, b); }
  static Vector choose(Mask mask, Vector yes, Vector no) {
    return _mm512_mask_blend_epi16(mask, no, yes);
  }
  static Vector keep(Mask mask, Vector a) { return _mm512_maskz_mov_epi16(mask, a); }
  static Vector clear(Mask mask, Vector a) { return _mm512_maskz_mov_epi16(~mask, a); }

  static void sort_two(Vector& low, Vector& high) {
    const Vector smaller = _mm512_min_epu16(low, high);
    high = _mm512_max_epu16(low, high);
    low = smaller;
  }

  /// Swaps rows and columns of the 4 x 4 matrix of 128-bit pieces.
  static void transpose_chunks(Vector* rows) {
    const Vector low01 = _mm512_shuffle_i32x4(rows[0], rows[1], 0x88);
    const Vector high01 = _mm512_shuffle_i32x4(rows[0], rows[1], 0xdd);
    const Vector low23 = _mm512_shuffle_i32x4(rows[2], rows[3], 0x88);
    const Vector high23 = _mm512_shuffle_i32x4(rows[2], rows[3], 0xdd);
    rows[0] = _mm512_shuffle_i32x4(low01, low23, 0x88);
    rows[1] = _mm512_shuffle_i32x4(high01, high23, 0x88);
    rows[2] = _mm512_shuffle_i32x4(low01, low23, 0xdd);
    rows[3] = _mm512_shuffle_i32x4(high01, high23, 0xdd);
  }

  /// Where `KeyMaker` puts lanes: lane i beside lane i + 16.
  static constexpr unsigned lane_of(unsigned chunk, unsigned column) {
    return 4 * chunk + column / 2 + column % 2 * 16;
  }

  /// Whether the check of addresses sees inactive lanes too, unless their loads are masked.
  static constexpr bool kChecksInactiveLanes = true;

  /// Makes keys of 32 offsets, see README.md. One rotation brings row and bank to the ends of a
  /// 32-bit element; elements of lanes 0-15 and 16-31 then exchange halves:
  ///
  ///   low lane   [ bank | ... |  row ]      keys  [ key of lane i+16 | key of lane i ]
  ///   high lane  [  row | bank | ... ]
  class KeyMaker {
   public:
    explicit KeyMaker(const CountPlan& plan)
        : plan_(plan),
          low_turn_(_mm512_set1_epi32(plan.unit_bytes_log2 + plan.row_units_log2)),
          high_turn_(_mm512_set1_epi32(plan.unit_bytes_log2 + plan.row_units_log2 + 16)),
          row_bits_(all(static_cast<std::uint16_t>(0xffffu >> plan.row_units_log2))) {
      const Vector place = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
      lane_bits_ = _mm512_and_si512(_mm512_set1_epi32(static_cast<int>(plan.lanes)),
                                    _mm512_sllv_epi32(_mm512_set1_epi32(0x10001), place));
    }

    template <bool kHasTerms, bool kMaskLoads>
    Vector key(const std::byte* offsets, std::uint32_t active_mask, unsigned /*part*/,
               Vector& peak) const {
      const std::uint32_t lanes = kMaskLoads ? active_mask & plan_.lanes : kFullMask;
      Vector low = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(lanes), offsets);
      Vector high = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(lanes >> 16), offsets + 64);
      // Loads cross cache lines here: the compiler must not do them once for each use.
      asm("" : "+v"(low), "+v"(high));
      peak = _mm512_max_epu32(peak, _mm512_max_epu32(low, high));
      const Vector low_turned = _mm512_rorv_epi32(low, low_turn_);
      const Vector high_turned = _mm512_rorv_epi32(high, high_turn_);
      const Vector rows = _mm512_mask_blend_epi16(0xaaaaaaaau, low_turned, high_turned);
      const Vector banks =
          _mm512_rol_epi32(_mm512_mask_blend_epi16(0x55555555u, low_turned, high_turned), 16);
      const Vector key = _mm512_ternarylogic_epi32(rows, banks, row_bits_, 0xe4);
      const Mask active =
          _mm512_test_epi16_mask(_mm512_set1_epi32(static_cast<int>(active_mask)), lane_bits_);
      return _mm512_maskz_add_epi16(active, kHasTerms ? with_terms(key) : key, all(1));
    }

    bool fits(Vector peak) const {
      const std::uint32_t limit = ((1u << CountPlan::kKeyBits) - (1u << plan_.row_units_log2))
                                  << plan_.unit_bytes_log2;
      return _mm512_cmplt_epu32_mask(peak, _mm512_set1_epi32(static_cast<int>(limit))) == 0xffffu;
    }

   private:
    Vector with_terms(Vector key) const {
      const Vector row = key;
#pragma GCC unroll 1
      for (unsigned index = 0; index < plan_.term_count; ++index) {
        const KeyTerm& term = plan_.terms[index];
        key = _mm512_xor_si512(key, _mm512_and_si512(shift_left(row, term.left), all(term.mask)));
      }
      return key;
    }

    const CountPlan& plan_;
    Vector low_turn_;
    Vector high_turn_;
    Vector row_bits_;
    Vector lane_bits_;  ///< the bit of each lane in an active mask, 0 for lanes that never count
  };
};

}  // namespace

BlockResult count_block_avx512(const CountPlan& plan, const Block& block) {
  return count_block<Avx512Words>(plan, block);
}

}  // namespace smem::batch
