// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <smem/analyzer.hpp>
#include <traces/smt/access_pattern.hpp>

namespace smem {

/// What accesses of numbered patterns cost: each is analyzed once per alignment class, its base
/// modulo `BankMap::period_bytes`. Classes are cells of one array, pattern after pattern:
///
///   cell = first cell of the pattern + (base & class mask) >> shift
///
/// While they fit the second-level cache; patterns beyond share a hash table of constant size.
class PatternCosts {
 public:
  explicit PatternCosts(const GpuSpec& spec)
      : spec_(spec), class_mask_(spec.bank_map.period_bytes() - 1) {}

  /// Takes in the patterns that are new; all of them, when their numbering (`generation`) is.
  /// Whether every pattern has cells. To be called before anything below, with the same patterns.
  bool learn(const std::vector<AccessPattern>& patterns, std::uint64_t generation);

  /// The cost of `patterns[pattern].at(base_bytes)`. Its address holds until the next call.
  [[nodiscard]] const AccessCost& cost(const std::vector<AccessPattern>& patterns,
                                       std::uint32_t pattern, std::uint32_t base_bytes) {
    if (!has_cells(pattern)) return rare_cost(patterns[pattern], pattern, base_bytes);
    Cell& cell = cells_[cell_of(pattern, base_bytes)];
    if (!cell.known) fill(cell, patterns[pattern], base_bytes);
    return cell.cost;
  }

  [[nodiscard]] std::size_t cell_count() const { return cells_.size(); }
  [[nodiscard]] bool has_cells(std::uint32_t pattern) const {
    assert(pattern < places_.size());
    return places_[pattern].first != kNoCells;
  }
  /// The cell of a pattern that has some.
  [[nodiscard]] std::size_t cell_of(std::uint32_t pattern, std::uint32_t base_bytes) const {
    const Place& place = places_[pattern];
    return place.first + ((base_bytes & class_mask_) >> place.shift);
  }
  /// Calls `use(cell)` for every cell of a pattern that has some, in order.
  template <class Use>
  void for_each_cell(std::uint32_t pattern, Use&& use) const {
    const std::size_t first = places_[pattern].first;
    for (std::size_t cell = first; cell < first + classes(places_[pattern]); ++cell) use(cell);
  }
  /// The cost of the pattern's accesses in `cell`.
  [[nodiscard]] const AccessCost& cost_in_cell(const AccessPattern& pattern, std::uint32_t number,
                                               std::size_t cell);

  /// How often the model was asked.
  [[nodiscard]] std::uint64_t analyzed() const { return analyzed_; }

 private:
  static constexpr std::size_t kMostCells = std::size_t{1} << 17;
  static constexpr std::uint32_t kNoCells = 0xffffffffu;
  static constexpr unsigned kSlotBits = 15;

  /// Where the cells of a pattern begin, and how far bases are shifted.
  struct Place {
    std::uint32_t first = kNoCells;
    std::uint8_t shift = 0;
  };
  struct Cell {
    AccessCost cost;
    bool known = false;
  };
  struct Slot {
    std::uint64_t key = 0;  ///< 0 = free
    AccessCost cost;
  };

  [[nodiscard]] std::size_t classes(const Place& place) const {
    return std::size_t{class_mask_ >> place.shift} + 1;
  }
  void fill(Cell& cell, const AccessPattern& pattern, std::uint32_t base_bytes);
  const AccessCost& rare_cost(const AccessPattern& pattern, std::uint32_t number,
                              std::uint32_t base_bytes);

  GpuSpec spec_;
  std::uint32_t class_mask_;
  std::uint64_t generation_ = 0;
  std::uint64_t analyzed_ = 0;
  bool all_have_cells_ = true;
  std::vector<Place> places_;  ///< by pattern
  std::vector<Cell> cells_;
  std::vector<Slot> slots_;  ///< of patterns without cells; empty before the first
};

}  // namespace smem
