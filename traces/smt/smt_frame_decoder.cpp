// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <traces/access_check.hpp>
#include <traces/smt/packed_offsets.hpp>
#include <traces/smt/smt_frame_decoder.hpp>
#include <traces/trace_error.hpp>

namespace smem {

SmtFrameDecoder::SmtFrameDecoder(std::string name, const GpuSpec& spec,
                                 std::size_t remembered_patterns)
    : name_(std::move(name)),
      spec_(spec),
      remembered_patterns_(remembered_patterns),
      column_decoder_(name_) {}

void SmtFrameDecoder::clear() {
  columns.for_each_column([](auto& column) { column.clear(); });
}

void SmtFrameDecoder::decode(const SmtFrame& frame, SmtDetail detail) {
  clear();
  try {
    take_records(frame, detail);
  } catch (const TraceError&) {
    clear();
    throw;
  }
}

void SmtFrameDecoder::take_records(const SmtFrame& frame, SmtDetail detail) {
  const std::size_t count = frame.header.record_count;
  const auto take = [&](SmtColumn column, auto& values, SmtDetail least) {
    if (detail >= least) {
      column_decoder_.numbers(frame, column, count, values);
    } else {
      values.assign(count, 0);
    }
  };
  take_patterns(frame);
  take(SmtColumn::pattern, columns.pattern, SmtDetail::costs);
  for (std::uint32_t& pattern : columns.pattern) {
    if (pattern >= table_number_.size()) {
      fail(frame, "expected a pattern below " + std::to_string(table_number_.size()) + ", found " +
                      std::to_string(pattern));
    }
    pattern = table_number_[pattern];
  }
  take(SmtColumn::base_bytes, columns.base_bytes, SmtDetail::costs);
  take(SmtColumn::kernel, columns.kernel, SmtDetail::costs);
  take(SmtColumn::count, columns.count, SmtDetail::costs);
  take(SmtColumn::block, columns.block, SmtDetail::places);
  take(SmtColumn::warp, columns.warp, SmtDetail::places);
  take(SmtColumn::pc, columns.pc, SmtDetail::places);
  take(SmtColumn::issue_gap_instructions, columns.issue_gap_instructions, SmtDetail::all);
  take(SmtColumn::depends_on, columns.depends_on, SmtDetail::all);
  take(SmtColumn::dependent_instructions, columns.dependent_instructions, SmtDetail::all);
  take(SmtColumn::has_stored, columns.has_stored, SmtDetail::all);
  if (detail == SmtDetail::all) take_stored(frame);
}

void SmtFrameDecoder::take_patterns(const SmtFrame& frame) {
  if (table_.patterns().size() > remembered_patterns_) {
    table_.clear();
    limits_.clear();
    ++generation_;
  }
  const std::size_t count = frame.header.pattern_count;
  std::array<std::vector<std::uint32_t>, kSmtPatternColumns> fields;
  for (std::size_t field = 0; field < kSmtPatternColumns; ++field) {
    column_decoder_.numbers(frame, static_cast<SmtColumn>(kSmtRecordColumns + field), count,
                            fields[field]);
  }
  const auto& [operation, bytes_per_lane, active_mask, bias, shift, width_bits] = fields;
  PackedOffsets offsets(column_decoder_.decompress(frame, SmtColumn::packed_offsets));
  table_number_.clear();
  for (std::size_t index = 0; index < count; ++index) {
    if (operation[index] >= kOperationCount || bytes_per_lane[index] > 255 ||
        std::uint64_t{shift[index]} + width_bits[index] > 32) {
      fail(frame, "expected pattern " + std::to_string(index) +
                      " of the frame to be an access, found impossible numbers");
    }
    AccessPattern pattern{static_cast<Operation>(operation[index]),
                          static_cast<std::uint8_t>(bytes_per_lane[index]),
                          active_mask[index],
                          {}};
    if (!offsets.next(pattern, {bias[index], shift[index], width_bits[index]})) {
      fail(frame, "expected offsets for " + std::to_string(count) +
                      " patterns in the frame, found too few");
    }
    bool is_new = false;
    table_number_.push_back(table_.index_of(pattern, is_new));
    if (is_new) limits_.push_back(limits_of(pattern));
  }
  if (!offsets.at_end()) {
    fail(frame,
         "expected offsets for " + std::to_string(count) + " patterns in the frame, found more");
  }
}

/// Offsets inside the window differ by less than 2^31 bytes, so relative ones are signed numbers;
/// an access whose offsets wrap around 2^32 lies outside.
SmtFrameDecoder::BaseLimits SmtFrameDecoder::limits_of(const AccessPattern& pattern) const {
  if (pattern.operation == Operation::barrier) return {};
  BaseLimits limits;
  limits.most_lowest = -1;
  if (!spec_.supports(pattern.operation, pattern.bytes_per_lane)) return limits;
  const std::uint32_t used = addressing_lanes(pattern.operation, pattern.active_mask);
  if (used == 0) return {};
  std::uint32_t seen_bits = 0;
  std::int32_t lowest = 0;
  std::int32_t highest = 0;
  for_each_lane(used, [&](unsigned lane) {
    seen_bits |= pattern.relative_bytes[lane];
    const auto relative = static_cast<std::int32_t>(pattern.relative_bytes[lane]);
    lowest = std::min(lowest, relative);
    highest = std::max(highest, relative);
  });
  const std::uint32_t alignment_bits = pattern.bytes_per_lane - 1u;
  if ((seen_bits & alignment_bits) != 0) return limits;
  const std::int64_t needed_bytes = std::int64_t{highest} - lowest + pattern.bytes_per_lane;
  return {0u - static_cast<std::uint32_t>(lowest), alignment_bits,
          spec_.shared_window_bytes - needed_bytes};
}

void SmtFrameDecoder::take_stored(const SmtFrame& frame) {
  const std::span<const char> bytes = column_decoder_.decompress(frame, SmtColumn::stored);
  std::size_t used_bytes = 0;
  columns.stored_offset.assign(columns.pattern.size(), 0);
  for (std::size_t index = 0; index < columns.pattern.size(); ++index) {
    if (columns.has_stored[index] == 0) continue;
    const std::size_t width = table_.patterns()[columns.pattern[index]].bytes_per_lane;
    columns.stored_offset[index] = static_cast<std::uint32_t>(used_bytes);
    used_bytes += width * kLanesPerWarp;
    if (used_bytes > bytes.size() || columns.has_stored[index] != 1 || width > 16) {
      fail(frame, "expected stored values for the frame's records, found too few");
    }
  }
  if (used_bytes != bytes.size()) {
    fail(frame, "expected " + std::to_string(used_bytes) + " bytes of stored values, found " +
                    std::to_string(bytes.size()));
  }
  stored_.assign(bytes.begin(), bytes.end());
}

std::string SmtFrameDecoder::record_error(const SmtFrame& frame, std::size_t index,
                                          std::size_t kernel_count) const {
  std::string message = name_ + ": record " + std::to_string(frame.header.first_record + index) +
                        " (frame at byte " + std::to_string(frame.byte_offset) + "): ";
  if (columns.kernel[index] >= std::max<std::size_t>(kernel_count, 1)) {
    return message + "expected a kernel below " + std::to_string(kernel_count) + ", found " +
           std::to_string(columns.kernel[index]);
  }
  if (columns.count[index] == 0) return message + "expected a count of at least 1, found 0";
  const WarpAccess access = table_.patterns()[columns.pattern[index]].at(columns.base_bytes[index]);
  return message + access_error(spec_, access).value_or("expected a sound access");
}

std::size_t SmtFrameDecoder::find_refused(std::size_t first, std::size_t kernel_count) const {
  const std::size_t kernels = std::max<std::size_t>(kernel_count, 1);
  std::size_t index = first;
  while (index < record_count() &&
         limits_[columns.pattern[index]].allow(columns.base_bytes[index]) &&
         columns.kernel[index] < kernels && columns.count[index] != 0) {
    ++index;
  }
  return index;
}

}  // namespace smem
