// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include <sim/count/pattern_costs.hpp>

namespace smem {
namespace {

/// The lowest base of an alignment class that leaves no lane below 0.
std::uint32_t lowest_base(const AccessPattern& pattern, std::uint32_t alignment_class,
                          std::uint32_t class_mask) {
  std::int32_t lowest = 0;
  for (const std::uint32_t relative : pattern.relative_bytes) {
    lowest = std::min(lowest, static_cast<std::int32_t>(relative));
  }
  const std::uint32_t bias = 0u - static_cast<std::uint32_t>(lowest);
  return bias + ((alignment_class - bias) & class_mask);
}

}  // namespace

bool PatternCosts::learn(const std::vector<AccessPattern>& patterns, std::uint64_t generation) {
  if (generation_ != generation) {
    generation_ = generation;
    places_.clear();
    cells_.clear();
    slots_.clear();
    all_have_cells_ = true;
  }
  while (places_.size() < patterns.size()) {
    // Bases are multiples of the width; a barrier's 0 bytes have one class.
    const std::uint32_t bytes = patterns[places_.size()].bytes_per_lane;
    Place place;
    place.shift = static_cast<std::uint8_t>(std::min(std::countr_zero(bytes), 31));
    if (cells_.size() + classes(place) <= kMostCells) {
      place.first = static_cast<std::uint32_t>(cells_.size());
      cells_.resize(cells_.size() + classes(place));
    } else {
      all_have_cells_ = false;
    }
    places_.push_back(place);
  }
  return all_have_cells_;
}

const AccessCost& PatternCosts::cost_in_cell(const AccessPattern& pattern, std::uint32_t number,
                                             std::size_t cell) {
  const Place& place = places_[number];
  assert(has_cells(number) && cell >= place.first && cell - place.first < classes(place));
  if (!cells_[cell].known) {
    const auto alignment = static_cast<std::uint32_t>(cell - place.first) << place.shift;
    fill(cells_[cell], pattern, lowest_base(pattern, alignment, class_mask_));
  }
  return cells_[cell].cost;
}

void PatternCosts::fill(Cell& cell, const AccessPattern& pattern, std::uint32_t base_bytes) {
  cell = {analyze(spec_, pattern.at(base_bytes)), true};
  ++analyzed_;
}

const AccessCost& PatternCosts::rare_cost(const AccessPattern& pattern, std::uint32_t number,
                                          std::uint32_t base_bytes) {
  if (slots_.empty()) slots_.resize(std::size_t{1} << kSlotBits);
  const std::uint64_t key = (std::uint64_t{number} + 1) << 32 | (base_bytes & class_mask_);
  Slot& slot = slots_[(key * 0x9e3779b97f4a7c15u) >> (64 - kSlotBits)];
  if (slot.key != key) {
    slot = {key, analyze(spec_, pattern.at(base_bytes))};
    ++analyzed_;
  }
  return slot.cost;
}

}  // namespace smem
