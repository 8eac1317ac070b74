// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tests/support/random_records.hpp>

#include <traces/text/text_source.hpp>
#include <traces/trace_reader.hpp>

namespace smem::test {

/// What a reader gave, up to its end or its error.
struct ReadResult {
  std::vector<TraceRecord> records;
  TraceInfo info;
  SkippedParts skipped;
  std::string error;
  std::uint64_t good_records = 0;
};

/// Reads `text` with `Reader`, `batch` records at a time.
template <class Reader>
ReadResult read_text(const std::string& text, ReadOptions options = {}, std::size_t batch = 7,
                     const GpuSpec& spec = permissive_spec()) {
  ReadResult result;
  try {
    Reader reader(TextSource(open_bytes(text, "trace"), "trace"), spec, options);
    std::vector<TraceRecord> records(batch);
    try {
      while (const std::size_t count = reader.read(records)) {
        result.records.insert(result.records.end(), records.begin(),
                              records.begin() + static_cast<std::ptrdiff_t>(count));
      }
    } catch (const TraceError& error) {
      result.error = error.what();
      result.good_records = error.good_records();
    }
    result.info = reader.info();
    result.skipped = reader.skipped();
  } catch (const TraceError& error) {
    result.error = error.what();
  }
  return result;
}

}  // namespace smem::test
