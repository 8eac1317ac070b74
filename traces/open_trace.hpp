// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <smem/gpu_spec.hpp>
#include <traces/trace_reader.hpp>

namespace smem {

enum class TraceFormat : std::uint8_t { access_list, smt, program, accel_sim, kernels_list, nvbit };

/// What the first bytes of a decompressed file look like; what looks like nothing else is taken for
/// an access list.
TraceFormat recognise_trace(std::string_view first_bytes);

/// Opens a trace of any readable format, told apart by content; "-" is standard input. Throws
/// TraceError.
std::unique_ptr<TraceReader> open_trace(const std::string& file, const GpuSpec& spec,
                                        ReadOptions options = {});

}  // namespace smem
