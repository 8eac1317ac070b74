// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <smem/gpu_spec.hpp>
#include <traces/text/text_source.hpp>
#include <traces/trace_reader.hpp>

namespace smem {

/// What text formats share: damage is skipped and counted, or held back until the records before it
/// are out. A format supplies `read_some` and `skip_damage`.
class TextReader : public TraceReader {
 public:
  std::size_t read(std::span<TraceRecord> records) final;
  [[nodiscard]] const TraceInfo& info() const final { return info_; }
  [[nodiscard]] SkippedParts skipped() const override { return skipped_; }

 protected:
  TextReader(TextSource source, const GpuSpec& spec, ReadOptions options)
      : source_(std::move(source)), spec_(spec), options_(options) {}

  /// Before the records of each `read`.
  virtual void begin_read() {}
  /// Takes a piece of the file into the first of `records`, which are not empty, and returns how
  /// many it gave; sets `at_end_` behind the last. Throws TraceError for damage.
  virtual std::size_t read_some(std::span<TraceRecord> records) = 0;
  /// Counts the damage `read_some` has met and goes on behind it; false when it cannot.
  virtual bool skip_damage() = 0;

  /// Throws TraceError for the line last taken.
  [[noreturn]] void fail(const std::string& message) const { source_.fail(message, good_records_); }

  TextSource source_;
  GpuSpec spec_;
  ReadOptions options_;
  TraceInfo info_;
  SkippedParts skipped_;
  std::uint64_t good_records_ = 0;
  bool at_end_ = false;

 private:
  std::optional<TraceError> pending_error_;  ///< thrown once the records before it were returned
};

}  // namespace smem
