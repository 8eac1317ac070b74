// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <smem/gpu_spec.hpp>
#include <traces/formats/open_trace.hpp>

namespace smem {

/// What a command was given as a TRACE: a file of any readable format, or a generator such as
/// "stride:words=33". A file is opened when something is first asked about it, and read once.
class TraceInput {
 public:
  explicit TraceInput(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  /// The file's format; nothing for a generator. Throws TraceError.
  std::optional<std::string_view> format();
  bool is_program_file() { return format() == kProgramFormat; }

  /// Throws TraceError, and UsageError for a generator's text that does not fit its help.
  std::unique_ptr<TraceReader> records(const GpuSpec& spec, ReadOptions options = {});
  /// Of a program file. Throws TraceError, also for programs whose warps start late.
  std::vector<Program> programs(const GpuSpec& spec);
  /// A file's lines. Throws TraceError.
  TextSource text();

 private:
  TraceFile& file();

  std::string name_;
  std::optional<TraceFile> file_;
};

/// The records of one TRACE. Throws as TraceInput does.
std::unique_ptr<TraceReader> open_input(const std::string& trace, const GpuSpec& spec,
                                        ReadOptions options = {});

}  // namespace smem
