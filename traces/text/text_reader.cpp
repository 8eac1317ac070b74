// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include <traces/text/text_reader.hpp>

namespace smem {

std::size_t TextReader::read(std::span<TraceRecord> records) {
  begin_read();
  std::size_t filled = 0;
  while (filled < records.size() && !at_end_ && !pending_error_) {
    try {
      const std::size_t count = read_some(records.subspan(filled));
      assert(count <= records.size() - filled);
      filled += count;
      good_records_ += count;
    } catch (const TraceError& error) {
      if (options_.skip_damaged && skip_damage()) continue;
      pending_error_.emplace(error.what(), good_records_);
    }
  }
  if (filled == 0 && pending_error_ && !records.empty()) throw TraceError(*pending_error_);
  return filled;
}

}  // namespace smem
