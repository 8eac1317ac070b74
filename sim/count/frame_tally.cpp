// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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

AccessPlace place_of(const SmtFrameDecoder& frame, std::size_t record) {
  const SmtRecordColumns& columns = frame.columns;
  const AccessPattern& pattern = frame.patterns()[columns.pattern[record]];
  return {pattern.operation,         pattern.bytes_per_lane, columns.kernel[record],
          columns.block[record],     columns.warp[record],   columns.pc[record],
          columns.base_bytes[record]};
}

}  // namespace

FrameTally::FrameTally(const GpuSpec& spec, ReportBy by)
    : by_(by), costs_(spec), slots_(kFirstSlots, 0) {}

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

bool FrameTally::take_patterns(const SmtFrameDecoder& frame) {
  if (generation_ != frame.pattern_generation()) {
    generation_ = frame.pattern_generation();
    kinds_.clear();
  }
  const std::vector<AccessPattern>& patterns = frame.patterns();
  while (kinds_.size() < patterns.size()) {
    const AccessPattern& pattern = patterns[kinds_.size()];
    kinds_.push_back({class_of(pattern),
                      static_cast<std::uint16_t>(static_cast<unsigned>(pattern.operation) << 8 |
                                                 pattern.bytes_per_lane)});
  }
  const bool all_have_cells = costs_.learn(patterns, generation_);
  counts_.resize(costs_.cell_count());
  return all_have_cells;
}

/// Sums per operation class; leaves the counts zero.
std::array<Tally, kOperationClassCount> FrameTally::take_counts(const SmtFrameDecoder& frame) {
  std::array<Tally, kOperationClassCount> tallies{};
  for (const std::uint32_t number : frame.frame_patterns()) {
    const OperationClass operation_class = kinds_[number].operation_class;
    costs_.for_each_cell(number, [&](std::size_t cell) {
      if (counts_[cell] == 0) return;
      const std::uint64_t count = std::exchange(counts_[cell], 0);
      if (operation_class == OperationClass::none) return;
      tallies[static_cast<std::size_t>(operation_class)].add(
          costs_.cost_in_cell(frame.patterns()[number], number, cell), count);
    });
  }
  return tallies;
}

/// Rows that only the operation's class tells apart: accesses are counted by pattern and alignment,
/// and multiplied by their costs once.
void FrameTally::add_by_class(const SmtFrameDecoder& frame, std::size_t count,
                              std::vector<PlaceTally>& rows) {
  const SmtRecordColumns& columns = frame.columns;
  for (std::size_t record = 0; record < count; ++record) {
    counts_[costs_.cell_of(columns.pattern[record], columns.base_bytes[record])] +=
        columns.count[record];
  }
  const std::array<Tally, kOperationClassCount> tallies = take_counts(frame);
  unsigned awaited = 0;
  for (const std::uint32_t pattern : frame.frame_patterns()) {
    awaited |= 1u << static_cast<unsigned>(kinds_[pattern].operation_class);
  }
  awaited &= (1u << kOperationClassCount) - 1;
  for (std::size_t record = 0; record < count && awaited != 0; ++record) {
    const auto index = static_cast<unsigned>(kinds_[columns.pattern[record]].operation_class);
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
  const std::size_t first_row = rows.size();
  const SmtRecordColumns& columns = frame.columns;
  keys_.clear();
  tallies_.clear();
  followers_.clear();
  std::fill(slots_.begin(), slots_.end(), 0);
  RowKey last_key;
  std::size_t row = 0;
  for (std::size_t record = 0; record < count; ++record) {
    const PatternKind& pattern = kinds_[columns.pattern[record]];
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
    tallies_[row].add(
        costs_.cost(frame.patterns(), columns.pattern[record], columns.base_bytes[record]),
        columns.count[record]);
  }
  for (std::size_t index = 0; index < tallies_.size(); ++index) {
    rows[first_row + index].tally = tallies_[index];
  }
}

void FrameTally::add_up(const SmtFrameDecoder& frame, std::size_t count,
                        std::vector<PlaceTally>& rows) {
  const SmtRecordColumns& columns = frame.columns;
  const auto by_key = [&](auto where, auto what) {
    add_by_key(frame, count, rows, [&](std::size_t record, const PatternKind& pattern) {
      return RowKey{where(record), std::uint64_t{columns.kernel[record]} << 32 | what(pattern)};
    });
  };
  const auto nowhere = [](std::size_t) { return std::uint64_t{0}; };
  const auto operation_class = [](const PatternKind& pattern) {
    return static_cast<std::uint64_t>(pattern.operation_class);
  };
  const bool all_have_cells = take_patterns(frame);
  switch (by_) {
    case ReportBy::operation:
    case ReportBy::kernel:
    case ReportBy::launch:
      if ((by_ == ReportBy::operation || has_one_kernel(frame, count)) && all_have_cells) {
        return add_by_class(frame, count, rows);
      }
      return by_key(nowhere, operation_class);
    case ReportBy::pc:
      return by_key(
          [&](std::size_t record) { return columns.pc[record]; },
          [](const PatternKind& pattern) { return std::uint64_t{pattern.operation_and_bytes}; });
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
