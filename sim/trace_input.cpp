// SPDX-License-Identifier: Apache-2.0
#include <sim/command.hpp>
#include <sim/trace_input.hpp>
#include <traces/generator_parameter.hpp>
#include <traces/generator_spec.hpp>
#include <traces/open_trace.hpp>

namespace smem {

std::unique_ptr<TraceReader> open_input(const std::string& trace, const GpuSpec& spec,
                                        ReadOptions options) {
  if (is_generator_spec(trace)) {
    try {
      return make_generator(trace, spec);
    } catch (const PatternSyntaxError& error) {
      throw UsageError(error.what());
    }
  }
  return open_trace(trace, spec, options);
}

}  // namespace smem
