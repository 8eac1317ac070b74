// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sim/clock/program_timing.hpp>
#include <sim/options/command_options.hpp>
#include <sim/options/trace_input.hpp>

namespace smem {

/// What --clock-start says; nothing when it was not given. Throws UsageError.
[[nodiscard]] std::optional<ClockStart> clock_start(const CommandOptions& options);

/// Declares --warps, --warp-stride and --clock-start: `declare_program_options(options.add())`.
void declare_program_options(boost::program_options::options_description_easy_init add);

/// Times every program of the files at every number of warps of --warps, and prints that; `command`
/// is named in messages. Throws as TraceInput does, and ConfigError as load_measuring_kernel does.
int run_programs(const std::string& command, const CommandOptions& options,
                 std::vector<TraceInput>& files);

}  // namespace smem
