// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <sim/clock/program_timing.hpp>
#include <sim/options/command_options.hpp>
#include <sim/options/trace_input.hpp>

namespace smem {

/// What --clock-start says; nothing when it was not given. Throws UsageError.
std::optional<ClockStart> clock_start(const CommandOptions& options);

/// `run` on program files: every program at every number of warps of --warps.
int run_programs(const CommandOptions& options, std::vector<TraceInput>& files);

}  // namespace smem
