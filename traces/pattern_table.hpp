// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <traces/access_pattern.hpp>

namespace smem {

/// Numbers patterns in the order of their first appearance: a hash table over a vector.
class PatternTable {
 public:
  /// `most_patterns` may be in the table at once.
  explicit PatternTable(std::size_t most_patterns)
      : slots_(std::bit_ceil(2 * most_patterns + 1), 0) {}

  /// The pattern's number; `is_new` tells whether this call added it.
  std::uint32_t index_of(const AccessPattern& pattern, bool& is_new) {
    std::size_t slot = pattern.hash() & (slots_.size() - 1);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
      if (patterns_[slots_[slot] - 1] == pattern) {
        is_new = false;
        return slots_[slot] - 1;
      }
    }
    is_new = true;
    patterns_.push_back(pattern);
    slots_[slot] = static_cast<std::uint32_t>(patterns_.size());
    return slots_[slot] - 1;
  }

  const std::vector<AccessPattern>& patterns() const { return patterns_; }

  void clear() {
    patterns_.clear();
    std::fill(slots_.begin(), slots_.end(), 0);
  }

 private:
  std::vector<std::uint32_t> slots_;  ///< number + 1; 0 = free
  std::vector<AccessPattern> patterns_;
};

}  // namespace smem
