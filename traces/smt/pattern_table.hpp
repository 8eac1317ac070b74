// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <traces/smt/access_pattern.hpp>

namespace smem {

/// Numbers patterns in the order of their first appearance: a hash table over a vector.
class PatternTable {
 public:
  PatternTable() : slots_(kFirstSlots, 0) {}

  /// The pattern's number; `is_new` tells whether this call added it.
  std::uint32_t index_of(const AccessPattern& pattern, bool& is_new) {
    std::uint32_t& slot = slot_of(pattern);
    is_new = slot == 0;
    if (!is_new) return slot - 1;
    patterns_.push_back(pattern);
    slot = static_cast<std::uint32_t>(patterns_.size());
    if (2 * patterns_.size() > slots_.size()) grow();
    return static_cast<std::uint32_t>(patterns_.size() - 1);
  }

  [[nodiscard]] const std::vector<AccessPattern>& patterns() const { return patterns_; }

  void clear() {
    patterns_.clear();
    std::fill(slots_.begin(), slots_.end(), 0);
  }

 private:
  static constexpr std::size_t kFirstSlots = 256;

  /// The slot that holds the pattern, or the free one where it belongs.
  std::uint32_t& slot_of(const AccessPattern& pattern) {
    std::size_t slot = pattern.hash() & (slots_.size() - 1);
    while (slots_[slot] != 0 && patterns_[slots_[slot] - 1] != pattern) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slots_[slot];
  }

  void grow() {
    slots_.assign(2 * slots_.size(), 0);
    for (std::uint32_t number = 0; number < patterns_.size(); ++number) {
      slot_of(patterns_[number]) = number + 1;
    }
  }

  std::vector<std::uint32_t> slots_;  ///< number + 1; 0 = free; a power of two, at most half full
  std::vector<AccessPattern> patterns_;
};

}  // namespace smem
