// SPDX-License-Identifier: Apache-2.0
#include <sim/trace_input.hpp>
#include <traces/access_list_reader.hpp>

namespace smem {

std::unique_ptr<TraceReader> open_input(const std::string& trace, const GpuSpec& spec) {
  return std::make_unique<AccessListReader>(TextSource(trace), spec);
}

}  // namespace smem
