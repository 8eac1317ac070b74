// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <smem/gpu_spec.hpp>
#include <traces/trace_record.hpp>

namespace smem {

/// Why `spec` cannot perform `access`: no rule for the operation and width, a misaligned address,
/// or one past the shared window. "expected …, found …"; nothing when the access is fine. Every
/// reader asks this once per record, so that nothing behind the readers has to.
[[nodiscard]] std::optional<std::string> access_error(const GpuSpec& spec,
                                                      const WarpAccess& access);

/// Why no SM of `spec` holds a block of `kernel`: more threads, registers or shared memory than it
/// has. "expected …, found …"; nothing when it fits, as far as the trace says. Readers ask it where
/// they read the numbers.
[[nodiscard]] std::optional<std::string> kernel_error(const GpuSpec& spec,
                                                      const KernelInfo& kernel);

}  // namespace smem
