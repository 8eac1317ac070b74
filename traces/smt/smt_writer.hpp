// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <traces/trace_record.hpp>

namespace smem {

struct SmtWriterOptions {
  int compression_level = 3;                ///< of zstd, 1 to 22
  std::uint32_t records_per_frame = 65536;  ///< at most that; a frame is what damage can destroy
};

/// Writes an .smt file (traces/FORMAT.md) as a stream, in constant memory: never seeks, so a pipe
/// will do. Needs nothing but libzstd. Every member throws TraceError when the bytes cannot be
/// written. One thread at a time.
class SmtWriter {
 public:
  /// Takes the file's bytes, in order.
  using Sink = std::function<void(std::span<const char>)>;

  /// Creates `file`, or overwrites it.
  explicit SmtWriter(const std::string& file, SmtWriterOptions options = {});
  explicit SmtWriter(Sink sink, SmtWriterOptions options = {});
  /// Calls `finish` if nobody did, and swallows its error.
  ~SmtWriter();
  SmtWriter(const SmtWriter&) = delete;
  SmtWriter& operator=(const SmtWriter&) = delete;

  /// What may be said at any time, also between records.
  void set_gpu(const std::string& gpu);
  void set_capture_tool(const std::string& tool);
  std::uint32_t add_kernel(const KernelInfo& kernel);  ///< its index, for TraceRecord::kernel
  void replace_kernel(std::uint32_t index, const KernelInfo& kernel);
  void add_array(const ArrayInfo& array);
  /// Takes over what `info` says beyond what was already taken over from it: call it before the
  /// records of each batch of a reader whose kernels may still grow.
  void update(const TraceInfo& info);

  /// Throws TraceError when the record's kernel was not added (kernel 0 is fine in a file that
  /// names no kernel), or it claims values for more than 16 bytes a lane.
  void write(const TraceRecord& record);
  void write(std::span<const TraceRecord> records);

  /// Hands everything written so far to the file as a complete frame.
  void flush();
  /// Writes the index and closes; nothing may be written after it.
  void finish();

  [[nodiscard]] std::uint64_t record_count() const;
  std::uint64_t byte_count() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace smem
