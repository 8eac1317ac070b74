// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <smem/gpu_spec.hpp>
#include <traces/measurements/program_file.hpp>
#include <traces/text/text_source.hpp>
#include <traces/trace_reader.hpp>

namespace smem {

enum class TraceFormat : std::uint8_t { access_list, smt, program, accel_sim, kernels_list, nvbit };

/// What the first bytes of a decompressed file look like; what looks like nothing else is taken for
/// an access list.
[[nodiscard]] TraceFormat recognise_trace(std::string_view first_bytes);

/// What a format is called in messages.
[[nodiscard]] std::string_view name_of(TraceFormat format);

/// A trace file that has been opened and told apart by its content. Its bytes are read once, so it
/// may be a pipe: one of `records`, `programs` and `text` takes them.
class TraceFile {
 public:
  /// Opens `name`; "-" is standard input. Throws TraceError.
  explicit TraceFile(std::string name);

  [[nodiscard]] TraceFormat format() const { return format_; }

  /// Its records, whatever the format; a program file's with one warp. Throws TraceError.
  [[nodiscard]] std::unique_ptr<TraceReader> records(const GpuSpec& spec,
                                                     ReadOptions options = {}) &&;
  /// Its programs. Throws TraceError when it is no program file.
  [[nodiscard]] std::vector<Program> programs(const GpuSpec& spec) &&;
  /// Its lines.
  [[nodiscard]] TextSource text() &&;

 private:
  std::string name_;
  std::unique_ptr<ByteSource> bytes_;
  TraceFormat format_;
};

/// The records of a trace of any readable format; "-" is standard input. Throws TraceError.
[[nodiscard]] std::unique_ptr<TraceReader> open_trace(const std::string& file, const GpuSpec& spec,
                                                      ReadOptions options = {});

}  // namespace smem
