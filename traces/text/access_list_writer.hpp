// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <traces/bytes/byte_sink.hpp>
#include <traces/trace_record.hpp>

namespace smem {

/// Writes an access list (traces/FORMAT.md) with every column a record has, so that reading it
/// gives the same records and the same TraceInfo.
class AccessListWriter {
 public:
  /// `sink` must outlive the writer.
  explicit AccessListWriter(ByteSink& sink);

  /// Writes directives for what `info` says beyond what was already written from it: call it before
  /// the records of each batch. Throws TraceError for a name with a line break.
  void update(const TraceInfo& info);
  /// Throws TraceError for an operation that has no name at its width.
  void write(const TraceRecord& record);
  void write(std::span<const TraceRecord> records);
  /// Writes what is still held back, and finishes the sink.
  void finish();

  [[nodiscard]] std::uint64_t record_count() const { return record_count_; }

 private:
  void put_kernel(const KernelInfo& kernel);
  void put_text(const char* directive, const std::string& text);
  void put_stored(const TraceRecord& record);
  void begin_records();
  void drain(std::size_t least_bytes);

  ByteSink& sink_;
  TraceInfo known_;
  std::string text_;
  bool header_written_ = false;
  std::uint64_t record_count_ = 0;
};

}  // namespace smem
