// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <smem/gpu_spec.hpp>
#include <traces/measurements/nsight_csv.hpp>
#include <traces/trace_reader.hpp>

namespace smem {

/// One counter of Nsight Compute beside what the model says of the same launch or instruction.
struct ProfileRow {
  std::string kernel;
  std::optional<std::uint64_t> launch;  ///< the report's ID; nothing for a source row
  std::optional<std::uint64_t> pc;      ///< of a source row
  std::string metric;
  double measured = 0;
  std::uint64_t predicted = 0;
};

/// Replays `trace` and compares it with a report of the same program. Launches: the trace's kernels
/// in order, when there are as many as in the report, else by name (what stands before '<' or '(').
/// Source rows: by pc, the row's address less its kernel's first one, over all launches of that
/// name. Counters that shared memory does not decide are left out. Throws TraceError when nothing
/// in the report belongs to the trace.
std::vector<ProfileRow> compare_profile(TraceReader& trace, const NsightReport& report,
                                        const GpuSpec& spec);

}  // namespace smem
