// SPDX-License-Identifier: Apache-2.0
#include <traces/text/line_reader.hpp>

namespace smem {

std::size_t LineReader::read_some(std::span<TraceRecord> records) {
  has_line_ = false;
  if (!source_.next_line(line_)) {
    at_end_ = true;
    finish();
    return 0;
  }
  has_line_ = true;
  if (!take_line(line_, records.front())) return 0;
  lines_.push_back(source_.line_number());
  if (!source_.line_was_ended()) skipped_.lines_without_end = 1;
  return 1;
}

SkippedParts LineReader::skipped() const {
  SkippedParts skipped = skipped_;
  if (global_copies_ > shared_copies_) {
    skipped.copies_without_offsets = global_copies_ - shared_copies_;
  }
  return skipped;
}

bool LineReader::skip_damage() {
  if (has_line_) {
    skipped_.records += records_of_damaged(line_);
  } else if (!at_end_) {
    return false;  // what cannot be read has no end to go on behind
  }
  ++skipped_.places;
  return true;
}

}  // namespace smem
