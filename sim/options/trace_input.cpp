// SPDX-License-Identifier: Apache-2.0
#include <sim/options/trace_input.hpp>
#include <sim/options/usage_error.hpp>
#include <traces/generators/generator_parameter.hpp>
#include <traces/generators/generator_spec.hpp>

namespace smem {

TraceFile& TraceInput::file() {
  if (!file_) file_.emplace(name_);
  return *file_;
}

std::optional<std::string_view> TraceInput::format() {
  if (is_generator_spec(name_)) return std::nullopt;
  return file().format();
}

std::unique_ptr<TraceReader> TraceInput::records(const GpuSpec& spec, ReadOptions options) {
  if (!is_generator_spec(name_)) return std::move(file()).records(spec, options);
  try {
    return make_generator(name_, spec);
  } catch (const PatternSyntaxError& error) {
    throw UsageError(error.what());
  }
}

std::vector<Program> TraceInput::programs(const GpuSpec& spec) {
  std::vector<Program> programs = std::move(file()).programs(spec);
  for (const Program& program : programs) {
    if (!program.starts_late) continue;
    throw TraceError(name_ + ": program " + std::to_string(program.id) +
                     ": expected warps that start together, found `late`");
  }
  return programs;
}

TextSource TraceInput::text() {
  return std::move(file()).text();
}

std::unique_ptr<TraceReader> open_input(const std::string& trace, const GpuSpec& spec,
                                        ReadOptions options) {
  return TraceInput(trace).records(spec, options);
}

}  // namespace smem
