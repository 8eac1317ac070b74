// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <batch/count_plan.hpp>
#include <batch/sorting_network.hpp>

// Included only by files that are compiled for an instruction set. Everything is local to the file,
// so that no code made of its instructions is linked into any other.

namespace smem::batch {
namespace {

/// What the height of a bank is: its different keys, or all of its keys.
enum class Height { distinct, serial };

/// The keys of one bank counted along sorted keys, zeros not counted. Sorting from low to high puts
/// zeros first.
template <class Words>
class SortedRun {
 public:
  using Vector = typename Words::Vector;

  SortedRun(Vector key, Vector bank_field)
      : bank_field_(bank_field),
        run_(Words::minimum(key, Words::all(1))),
        tallest_(run_),
        sum_(run_) {}

  /// kUp: `previous` <= `key`, so that `key` is not 0 where they differ. kSum: also counts over all
  /// banks.
  template <Height kHeight, bool kUp, bool kSum>
  void extend(Vector previous, Vector key) {
    const Vector one = Words::all(1);
    const Vector differ = Words::exclusive_or(previous, key);
    Vector is_new = Words::minimum(differ, one);
    if constexpr (!kUp) is_new = Words::minimum(is_new, key);
    const Vector counts = kHeight == Height::serial ? Words::minimum(key, one) : is_new;
    run_ = Words::add(end_at_other_bank(differ), counts);
    tallest_ = Words::maximum(tallest_, run_);
    if constexpr (kSum) sum_ = Words::add(sum_, counts);
  }

  /// Joins the run that came down to `upper` to this one, which came up to `lower`, the next key:
  /// the tallest run of all; adds both sums to `sum`.
  template <Height kHeight, bool kSum>
  [[nodiscard]] Vector join(const SortedRun& high, Vector lower, Vector upper, Vector* sum) const {
    const Vector differ = Words::exclusive_or(lower, upper);
    Vector twice = Words::zero();  // what both runs have counted
    if constexpr (kHeight == Height::distinct) {
      twice = Words::minimum(Words::subtract_to_zero(Words::all(1), differ), lower);
    }
    const Vector run = Words::subtract(Words::add(end_at_other_bank(differ), high.run_), twice);
    if constexpr (kSum) *sum = Words::subtract(Words::add(sum_, high.sum_), twice);
    return Words::maximum(Words::maximum(tallest_, high.tallest_), run);
  }

 private:
  /// A key of another bank differs by more than any run is long: the subtraction ends at 0.
  [[nodiscard]] Vector end_at_other_bank(Vector differ) const {
    return Words::subtract_to_zero(run_, Words::both_bits(differ, bank_field_));
  }

  Vector bank_field_;
  Vector run_;
  Vector tallest_;
  Vector sum_;
};

template <class Words>
using VectorOf = typename Words::Vector;

template <class Words, std::size_t kSize, std::size_t... kIndexes>
[[gnu::always_inline]] inline void sort(VectorOf<Words>* keys, std::index_sequence<kIndexes...>) {
  static constexpr SortingNetwork<kSize> kNetwork;
  (Words::sort_two(keys[kNetwork[kIndexes].low], keys[kNetwork[kIndexes].high]), ...);
}

template <class Words, std::size_t kSize, Height kHeight, bool kSum>
[[nodiscard]] VectorOf<Words> sorted_height(const VectorOf<Words>* source,
                                            const std::uint8_t* lanes, VectorOf<Words> bank_field,
                                            VectorOf<Words>* sum) {
  constexpr std::size_t kComparators = SortingNetwork<kSize>().size();
  VectorOf<Words> keys[kSize];
#pragma GCC unroll 32
  for (std::size_t index = 0; index < kSize; ++index) keys[index] = source[lanes[index]];
  sort<Words, kSize>(keys, std::make_index_sequence<kComparators>());
  // Two runs, from either end to the middle: half as long a chain of dependent instructions.
  SortedRun<Words> low(keys[0], bank_field);
  SortedRun<Words> high(keys[kSize - 1], bank_field);
#pragma GCC unroll 16
  for (std::size_t index = 1; index < kSize / 2; ++index) {
    low.template extend<kHeight, true, kSum>(keys[index - 1], keys[index]);
    high.template extend<kHeight, false, kSum>(keys[kSize - index], keys[kSize - 1 - index]);
  }
  return low.template join<kHeight, kSum>(high, keys[kSize / 2 - 1], keys[kSize / 2], sum);
}

/// The height of the tallest bank of the keys source[lanes[0]] … source[lanes[size - 1]]; `size` is
/// that of a LaneList. kSum: the sum of the heights goes to `sum`.
template <class Words, Height kHeight, bool kSum = false>
[[nodiscard]] VectorOf<Words> height_of(const CountPlan& plan, const VectorOf<Words>* source,
                                        const std::uint8_t* lanes, unsigned size,
                                        VectorOf<Words>* sum = nullptr) {
  const VectorOf<Words> bank_field =
      Words::all(static_cast<std::uint16_t>(~(0xffffu >> plan.row_units_log2)));
  if (size == 8) return sorted_height<Words, 8, kHeight, kSum>(source, lanes, bank_field, sum);
  if (size == 16) return sorted_height<Words, 16, kHeight, kSum>(source, lanes, bank_field, sum);
  return sorted_height<Words, 32, kHeight, kSum>(source, lanes, bank_field, sum);
}

}  // namespace
}  // namespace smem::batch
