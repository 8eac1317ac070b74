// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <tests/support/random_records.hpp>

#include <traces/access_check.hpp>
#include <traces/trace_reader.hpp>

namespace smem::test {

/// Ends the process when a promise of TraceReader is broken.
inline void require(bool kept, const char* promise) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

/// Reads what `make_reader` opens to its end or its error, and checks what readers promise: only
/// TraceError is thrown, it counts the records delivered, and every record is sound.
template <class MakeReader>
void read_everything(MakeReader make_reader) {
  const GpuSpec spec = permissive_spec();
  for (const bool skip_damaged : {false, true}) {
    std::uint64_t delivered = 0;
    try {
      const auto reader = make_reader(spec, ReadOptions{skip_damaged});
      std::vector<TraceRecord> records(100);
      try {
        while (const std::size_t count = reader->read(records)) {
          delivered += count;
          for (std::size_t index = 0; index < count; ++index) {
            const TraceRecord& record = records[index];
            require(!access_error(spec, record.access), "records are sound");
            require(record.kernel < std::max<std::size_t>(reader->info().kernels.size(), 1),
                    "kernels are known");
            require(record.count != 0, "counts are positive");
          }
        }
      } catch (const TraceError& error) {
        require(error.good_records() == delivered, "errors count the records before them");
        require(std::string_view(error.what()).find('\n') == std::string_view::npos,
                "errors are one line");
      }
    } catch (const TraceError&) {  // the header was bad
    }
  }
}

}  // namespace smem::test
