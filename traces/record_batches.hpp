// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <traces/trace_reader.hpp>

namespace smem {

/// A trace read to its end, some records at a time; the one loop over records.
///
///   for (RecordBatches batches(trace); batches.next();) use(batches.records());
class RecordBatches {
 public:
  /// Small enough for the second-level cache, many blocks of the batch kernels.
  static constexpr std::size_t kRecords = 1024;

  explicit RecordBatches(TraceReader& trace) : trace_(trace), records_(kRecords) {}

  /// Reads on; false when nothing is left. Throws TraceError.
  bool next() {
    first_number_ += count_;
    count_ = 0;
    count_ = trace_.read(records_);
    return count_ != 0;
  }

  /// Those read last.
  [[nodiscard]] std::span<const TraceRecord> records() const {
    return std::span(records_).first(count_);
  }
  /// The number in the trace, from 0, of `records()[index]`.
  [[nodiscard]] std::uint64_t number(std::size_t index) const { return first_number_ + index; }
  /// Where `records()[index]` stands, for messages.
  [[nodiscard]] std::string place(std::size_t index) const {
    const std::string place = trace_.place(index);
    return place.empty() ? "record " + std::to_string(number(index)) : place;
  }
  [[nodiscard]] const TraceInfo& info() const { return trace_.info(); }

 private:
  TraceReader& trace_;
  std::vector<TraceRecord> records_;
  std::size_t count_ = 0;
  std::uint64_t first_number_ = 0;
};

}  // namespace smem
