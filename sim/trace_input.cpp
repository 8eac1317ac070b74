// SPDX-License-Identifier: Apache-2.0
#include <sim/trace_input.hpp>
#include <traces/open_trace.hpp>

namespace smem {

std::unique_ptr<TraceReader> open_input(const std::string& trace, const GpuSpec& spec,
                                        ReadOptions options) {
  return open_trace(trace, spec, options);
}

}  // namespace smem
