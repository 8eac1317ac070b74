// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <utility>

#include <sim/count/frame_tally.hpp>

namespace smem {
namespace {

OperationClass class_of(const AccessPattern& pattern) {
  return traits(pattern.operation).operation_class;
}

bool has_one_kernel(const SmtFrameDecoder& frame, std::size_t count) {
  const std::uint32_t* kernels = frame.columns.kernel.data();
  std::uint32_t differing_bits = 0;
  for (std::size_t record = 0; record < count; ++record) {
    differing_bits |= kernels[record] ^ kernels[0];
  }
  return differing_bits == 0;
}

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

AccessPlace place_of(const SmtFrameDecoder& frame, std::size_t record) {
  const SmtRecordColumns& columns = frame.columns;
  const AccessPattern& pattern = frame.patterns()[columns.pattern[record]];
  return {pattern.operation,         pattern.bytes_per_lane, columns.kernel[record],
          columns.block[record],     columns.warp[record],   columns.pc[record],
          columns.base_bytes[record]};
}

}  // namespace

FrameTally::FrameTally(const GpuSpec& spec, ReportBy by)
    : spec_(spec),
      by_(by),
      class_mask_(bank_period_bytes(spec.bank_map) - 1),
      rare_costs_(spec),
      slots_(kFirstSlots, 0) {}

SmtDetail FrameTally::detail(ReportBy by) {
  switch (by) {
    case ReportBy::pc:
    case ReportBy::warp:
    case ReportBy::block:
      return SmtDetail::places;
    case ReportBy::operation:
    case ReportBy::kernel:
    case ReportBy::launch:
    case ReportBy::array:
      return SmtDetail::costs;
  }
  return SmtDetail::all;
}

bool FrameTally::prepare_cells(const SmtFrameDecoder& frame) {
  if (generation_ != frame.pattern_generation()) {
    generation_ = frame.pattern_generation();
    pattern_cells_.clear();
    costs_.clear();
    counts_.clear();
    all_have_cells_ = true;
  }
  const std::vector<AccessPattern>& patterns = frame.patterns();
  while (pattern_cells_.size() < patterns.size()) {
    const AccessPattern& pattern = patterns[pattern_cells_.size()];
    PatternCells cells;
    cells.operation_class = class_of(pattern);
    cells.operation_and_bytes = static_cast<std::uint16_t>(
        static_cast<unsigned>(pattern.operation) << 8 | pattern.bytes_per_lane);
    // Bases are multiples of the width; a barrier's 0 bytes have one class.
    const int width_bits = std::countr_zero(std::uint32_t{pattern.bytes_per_lane});
    cells.shift = static_cast<std::uint8_t>(std::min(width_bits, 31));
    const std::size_t size = std::size_t{class_mask_ >> cells.shift} + 1;
    if (costs_.size() + size <= kMostCells) {
      cells.first = static_cast<std::uint32_t>(costs_.size());
      costs_.resize(costs_.size() + size);
      counts_.resize(costs_.size());
    } else {
      all_have_cells_ = false;
    }
    pattern_cells_.push_back(cells);
  }
  return all_have_cells_;
}

FrameTally::CellCost FrameTally::analyzed(const AccessPattern& pattern,
                                          std::uint32_t base_bytes) const {
  const AccessCost cost = analyze(spec_, pattern.at(base_bytes));
  return {cost.wavefronts, cost.ideal, cost.bank_conflicts, true};
}

FrameTally::CellCost FrameTally::cost_of(const SmtFrameDecoder& frame, std::size_t record) {
  const std::uint32_t pattern = frame.columns.pattern[record];
  const std::uint32_t base_bytes = frame.columns.base_bytes[record];
  if (pattern_cells_[pattern].first != kNoCells) {
    CellCost& cost = costs_[cell_of(pattern, base_bytes)];
    if (!cost.known) cost = analyzed(frame.patterns()[pattern], base_bytes);
    return cost;
  }
  SmtReference reference;
  reference.pattern = pattern;
  reference.base_bytes = base_bytes;
  const AccessCost cost = rare_costs_.cost(frame.patterns(), frame.pattern_generation(), reference);
  return {cost.wavefronts, cost.ideal, cost.bank_conflicts, true};
}

/// Sums per operation class; leaves the counts zero.
std::array<Tally, kOperationClassCount> FrameTally::take_counts(const SmtFrameDecoder& frame) {
  std::array<Tally, kOperationClassCount> tallies{};
  for (const std::uint32_t pattern : frame.frame_patterns()) {
    const PatternCells& cells = pattern_cells_[pattern];
    const std::uint32_t size = (class_mask_ >> cells.shift) + 1;
    for (std::uint32_t alignment = 0; alignment < size; ++alignment) {
      std::uint64_t& count = counts_[cells.first + alignment];
      if (count == 0) continue;
      const std::uint64_t added = std::exchange(count, 0);
      if (cells.operation_class == OperationClass::none) continue;
      CellCost& cost = costs_[cells.first + alignment];
      if (!cost.known) {
        const AccessPattern& of = frame.patterns()[pattern];
        cost = analyzed(of, lowest_base(of, alignment << cells.shift, class_mask_));
      }
      tallies[static_cast<std::size_t>(cells.operation_class)] +=
          {added, added * cost.wavefronts, added * cost.ideal, added * cost.bank_conflicts};
    }
  }
  return tallies;
}

/// Rows that only the operation's class tells apart: accesses are counted by pattern and alignment,
/// and multiplied by their costs once.
void FrameTally::add_by_class(const SmtFrameDecoder& frame, std::size_t count,
                              std::vector<PlaceTally>& rows) {
  const SmtRecordColumns& columns = frame.columns;
  for (std::size_t record = 0; record < count; ++record) {
    counts_[cell_of(columns.pattern[record], columns.base_bytes[record])] += columns.count[record];
  }
  const std::array<Tally, kOperationClassCount> tallies = take_counts(frame);
  unsigned awaited = 0;
  for (const std::uint32_t pattern : frame.frame_patterns()) {
    awaited |= 1u << static_cast<unsigned>(pattern_cells_[pattern].operation_class);
  }
  awaited &= (1u << kOperationClassCount) - 1;
  for (std::size_t record = 0; record < count && awaited != 0; ++record) {
    const auto index =
        static_cast<unsigned>(pattern_cells_[columns.pattern[record]].operation_class);
    if (((awaited >> index) & 1u) == 0) continue;
    awaited &= ~(1u << index);
    rows.push_back({place_of(frame, record), tallies[index]});
  }
}

void FrameTally::grow_slots() {
  slots_.assign(2 * slots_.size(), 0);
  const std::vector<RowKey> keys = std::exchange(keys_, {});
  for (const RowKey& key : keys) find_row(key);
}

std::uint32_t FrameTally::find_row(const RowKey& key) {
  std::uint64_t hash = (key.where ^ key.what * 0xff51afd7ed558ccdu) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 32;
  std::size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot] != 0) {
    if (keys_[slots_[slot] - 1] == key) return slots_[slot] - 1;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  keys_.push_back(key);
  slots_[slot] = static_cast<std::uint32_t>(keys_.size());
  const std::uint32_t row = slots_[slot] - 1;
  if (2 * keys_.size() > slots_.size()) grow_slots();
  return row;
}

template <class KeyOf>
void FrameTally::add_by_key(const SmtFrameDecoder& frame, std::size_t count,
                            std::vector<PlaceTally>& rows, KeyOf key_of) {
  prepare_cells(frame);
  const std::size_t first_row = rows.size();
  const SmtRecordColumns& columns = frame.columns;
  keys_.clear();
  tallies_.clear();
  followers_.clear();
  std::fill(slots_.begin(), slots_.end(), 0);
  RowKey last_key;
  std::size_t row = 0;
  for (std::size_t record = 0; record < count; ++record) {
    const PatternCells& pattern = pattern_cells_[columns.pattern[record]];
    if (pattern.operation_class == OperationClass::none) continue;
    const RowKey key = key_of(record, pattern);
    if (keys_.empty() || key != last_key) {
      last_key = key;
      // Loops go through their rows in the same order again and again.
      const std::size_t follower = keys_.empty() ? 0 : followers_[row];
      const std::size_t previous =
          std::exchange(row, !keys_.empty() && keys_[follower] == key ? follower : find_row(key));
      if (row == tallies_.size()) {
        tallies_.emplace_back();
        followers_.push_back(0);
        rows.push_back({place_of(frame, record), {}});
      }
      followers_[previous] = static_cast<std::uint32_t>(row);
    }
    const CellCost cost = cost_of(frame, record);
    const std::uint64_t added = columns.count[record];
    tallies_[row] +=
        {added, added * cost.wavefronts, added * cost.ideal, added * cost.bank_conflicts};
  }
  for (std::size_t index = 0; index < tallies_.size(); ++index) {
    rows[first_row + index].tally = tallies_[index];
  }
}

void FrameTally::add_up(const SmtFrameDecoder& frame, std::size_t count,
                        std::vector<PlaceTally>& rows) {
  const SmtRecordColumns& columns = frame.columns;
  const auto by_key = [&](auto where, auto what) {
    add_by_key(frame, count, rows, [&](std::size_t record, const PatternCells& pattern) {
      return RowKey{where(record), std::uint64_t{columns.kernel[record]} << 32 | what(pattern)};
    });
  };
  const auto nowhere = [](std::size_t) { return std::uint64_t{0}; };
  const auto operation_class = [](const PatternCells& pattern) {
    return static_cast<std::uint64_t>(pattern.operation_class);
  };
  switch (by_) {
    case ReportBy::operation:
    case ReportBy::kernel:
    case ReportBy::launch:
      if ((by_ == ReportBy::operation || has_one_kernel(frame, count)) && prepare_cells(frame)) {
        return add_by_class(frame, count, rows);
      }
      return by_key(nowhere, operation_class);
    case ReportBy::pc:
      return by_key(
          [&](std::size_t record) { return columns.pc[record]; },
          [](const PatternCells& pattern) { return std::uint64_t{pattern.operation_and_bytes}; });
    case ReportBy::block:
      return by_key([&](std::size_t record) { return std::uint64_t{columns.block[record]}; },
                    operation_class);
    case ReportBy::warp:
      return by_key(
          [&](std::size_t record) {
            return std::uint64_t{columns.block[record]} << 32 | columns.warp[record];
          },
          operation_class);
    case ReportBy::array:
      return by_key([&](std::size_t record) { return std::uint64_t{columns.base_bytes[record]}; },
                    operation_class);
  }
}

}  // namespace smem
