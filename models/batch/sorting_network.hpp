// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace smem::batch {

/// Puts the smaller of two elements at `low`, the larger at `high`.
struct Comparator {
  std::uint8_t low = 0;
  std::uint8_t high = 0;
};

/// Batcher's odd-even merge sort of kSize elements (K. E. Batcher, "Sorting networks and their
/// applications", 1968): 19, 63 and 191 comparators for 8, 16 and 32. Depth first: a half is sorted
/// before the other is touched, so that half of the elements at a time fit the registers.
template <std::size_t kSize>
class SortingNetwork {
 public:
  static constexpr std::size_t kCapacity = 6 * kSize;

  constexpr SortingNetwork() { sort(0, kSize); }

  consteval std::size_t size() const { return size_; }
  consteval Comparator operator[](std::size_t index) const { return comparators_[index]; }

 private:
  constexpr void sort(std::size_t first, std::size_t count) {
    if (count < 2) return;
    sort(first, count / 2);
    sort(first + count / 2, count / 2);
    merge(first, count, 1);
  }

  /// Merges the two sorted halves of the `count` elements from `first`, taking every `step`th.
  constexpr void merge(std::size_t first, std::size_t count, std::size_t step) {
    const std::size_t twice = 2 * step;
    if (twice >= count) {
      add(first, first + step);
      return;
    }
    merge(first, count, twice);
    merge(first + step, count, twice);
    for (std::size_t low = first + step; low + step < first + count; low += twice) {
      add(low, low + step);
    }
  }

  constexpr void add(std::size_t low, std::size_t high) {
    comparators_[size_++] = {static_cast<std::uint8_t>(low), static_cast<std::uint8_t>(high)};
  }

  std::array<Comparator, kCapacity> comparators_{};
  std::size_t size_ = 0;
};

}  // namespace smem::batch
