// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include <traces/text/line_reader.hpp>

namespace smem {

bool LineReader::next_line(std::string_view& line) {
  try {
    if (source_.next_line(line)) return true;
    at_end_ = true;
    finish();
  } catch (const TraceError& error) {  // also damage that no line can be skipped for
    if (at_end_ && options_.skip_damaged) {
      ++skipped_.places;
    } else {
      pending_error_.emplace(error.what(), good_records_);
    }
  }
  return false;
}

SkippedParts LineReader::skipped() const {
  SkippedParts skipped = skipped_;
  if (global_copies_ > shared_copies_) {
    skipped.copies_without_offsets = global_copies_ - shared_copies_;
  }
  return skipped;
}

std::size_t LineReader::read(std::span<TraceRecord> records) {
  begin_read();
  lines_.clear();
  std::size_t filled = 0;
  std::string_view line;
  while (filled < records.size() && !at_end_ && !pending_error_ && next_line(line)) {
    try {
      if (!take_line(line, records[filled])) continue;
      ++filled;
      lines_.push_back(source_.line_number());
      ++good_records_;
      if (!source_.line_was_ended()) skipped_.lines_without_end = 1;
    } catch (const TraceError& error) {
      if (options_.skip_damaged) {
        ++skipped_.places;
        skipped_.records += records_of_damaged(line);
      } else {
        pending_error_.emplace(error.what(), good_records_);
      }
    }
  }
  assert(lines_.size() == filled);
  if (filled == 0 && pending_error_ && !records.empty()) throw TraceError(*pending_error_);
  return filled;
}

}  // namespace smem
