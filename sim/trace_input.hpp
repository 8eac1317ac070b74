// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <smem/gpu_spec.hpp>
#include <traces/trace_reader.hpp>

namespace smem {

/// Opens what a command was given as a TRACE: a file of any readable format, or a generator such as
/// "stride:words=33". Throws TraceError, and UsageError for a generator's text that does not fit
/// its help.
std::unique_ptr<TraceReader> open_input(const std::string& trace, const GpuSpec& spec,
                                        ReadOptions options = {});

}  // namespace smem
