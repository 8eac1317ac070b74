// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <smem/gpu_spec.hpp>
#include <traces/bytes/byte_source.hpp>
#include <traces/smt/access_pattern.hpp>
#include <traces/smt/smt_frame_decoder.hpp>
#include <traces/trace_reader.hpp>

namespace smem {

class SmtFrameReader;

/// A record without its 32 offsets: `patterns()[pattern].at(base_bytes)` is the access.
struct SmtReference {
  std::uint32_t pattern = 0;
  std::uint32_t base_bytes = 0;
  std::uint32_t kernel = 0;
  std::uint32_t block = 0;
  std::uint32_t warp = 0;
  std::uint64_t pc = 0;
  std::uint64_t count = 1;
};

/// Reads an .smt file (traces/FORMAT.md) as a stream, in constant memory. Every record is checked
/// against `spec`. Damage is a TraceError with the byte it was met at; with
/// `ReadOptions::skip_damaged` the reader goes on at the next sound frame.
class SmtReader : public TraceReader {
 public:
  /// Reads the file header; throws TraceError. `name` stands in messages.
  SmtReader(std::unique_ptr<ByteSource> bytes, const std::string& name, const GpuSpec& spec,
            ReadOptions options = {});
  SmtReader(const std::string& file, const GpuSpec& spec, ReadOptions options = {});
  ~SmtReader() override;

  /// Starts at record `first_record` through the file's index instead of reading what lies before.
  /// Throws TraceError when the file has fewer records, or no sound index.
  [[nodiscard]] static std::unique_ptr<SmtReader> open_at(const std::string& file,
                                                          const GpuSpec& spec,
                                                          std::uint64_t first_record,
                                                          ReadOptions options = {});

  std::size_t read(std::span<TraceRecord> records) override;
  [[nodiscard]] const TraceInfo& info() const override;
  std::string place(std::size_t index) const override;
  [[nodiscard]] SkippedParts skipped() const override;

  /// As `read`, much faster: the records as references into `patterns`. A batch ends with its
  /// frame, so that all its references belong to one generation, and `info` says what it said where
  /// they stand; returns 0 only at the end.
  std::size_t read_references(std::span<SmtReference> references);

  /// Call it before the first read; all without it.
  void set_detail(SmtDetail detail);

  /// The distinct patterns met so far. They keep their numbers until there are too many of them to
  /// remember; then numbering starts anew and `pattern_generation` grows by one.
  [[nodiscard]] const std::vector<AccessPattern>& patterns() const;
  std::uint64_t pattern_generation() const;

  /// The frames behind the file header, for who reads them instead of records: call it before the
  /// first read, and read nothing here afterwards. Null when damage is to be skipped.
  SmtFrameReader* frames();

 private:
  class State;
  explicit SmtReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace smem
