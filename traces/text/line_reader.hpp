// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <smem/gpu_spec.hpp>
#include <traces/text/text_source.hpp>
#include <traces/trace_reader.hpp>

namespace smem {

/// A format of lines: position, damage, skipping, and errors held back until the records before
/// them are out. A format supplies `take_line`.
class LineReader : public TraceReader {
 public:
  std::size_t read(std::span<TraceRecord> records) final;
  const TraceInfo& info() const final { return info_; }
  std::string place(std::size_t index) const final { return source_.place(lines_[index]); }
  SkippedParts skipped() const final;

 protected:
  LineReader(TextSource source, const GpuSpec& spec, ReadOptions options)
      : source_(std::move(source)), spec_(spec), options_(options) {}

  /// Takes one line; true when `record` is what it says. Calls `fail` for damage.
  virtual bool take_line(std::string_view line, TraceRecord& record) = 0;
  /// Before the records of each `read`.
  virtual void begin_read() {}
  /// At the end of the file; calls `fail` when something is missing.
  virtual void finish() {}
  /// How many records are lost with a damaged line, when that is known.
  virtual std::uint64_t records_of_damaged(std::string_view /*line*/) const { return 0; }

  /// LDGSTS is written with its global or its shared addresses, or with both.
  void count_global_copy() { ++global_copies_; }
  void count_shared_copy() { ++shared_copies_; }
  /// Records that were read, so far.
  std::uint64_t good_records() const { return good_records_; }

  /// Throws TraceError for the line last taken.
  [[noreturn]] void fail(const std::string& message) const { source_.fail(message, good_records_); }

  TextSource source_;
  GpuSpec spec_;
  ReadOptions options_;
  TraceInfo info_;
  SkippedParts skipped_;

 private:
  bool next_line(std::string_view& line);

  std::vector<std::uint64_t> lines_;  ///< of the records of the last read
  std::uint64_t good_records_ = 0;
  std::uint64_t global_copies_ = 0;
  std::uint64_t shared_copies_ = 0;
  bool at_end_ = false;
  std::optional<TraceError> pending_error_;  ///< thrown once the records before it were returned
};

}  // namespace smem
