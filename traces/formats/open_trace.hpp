// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <smem/gpu_spec.hpp>
#include <traces/measurements/program_file.hpp>
#include <traces/text/text_source.hpp>
#include <traces/trace_reader.hpp>

namespace smem {

/// The names of the formats that are told apart by more than their reader.
inline constexpr std::string_view kAccessListFormat = "access list";
inline constexpr std::string_view kProgramFormat = "program file";

/// The name of the format that the first bytes of a decompressed file look like, as `format_help`
/// lists it; what looks like nothing else is taken for an access list.
[[nodiscard]] std::string_view recognise_trace(std::string_view first_bytes);

/// All readable formats and what their files begin with, one a line.
[[nodiscard]] std::string format_help();

/// A trace file that has been opened and told apart by its content. Its bytes are read once, so it
/// may be a pipe: one of `records`, `programs` and `text` takes them.
class TraceFile {
 public:
  /// Opens `name`; "-" is standard input. Throws TraceError.
  explicit TraceFile(std::string name);

  [[nodiscard]] std::string_view format() const { return format_; }

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
  std::string_view format_;
};

/// The records of a trace of any readable format; "-" is standard input. Throws TraceError.
[[nodiscard]] std::unique_ptr<TraceReader> open_trace(const std::string& file, const GpuSpec& spec,
                                                      ReadOptions options = {});

}  // namespace smem
