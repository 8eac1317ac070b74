// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <smem/gpu_spec.hpp>

namespace smem {

/// Why `spec` cannot perform `access`: no rule for the operation and width, a misaligned address,
/// or one past the shared window. "expected …, found …"; nothing when the access is fine. Every
/// reader asks this once per record, so that nothing behind the readers has to.
std::optional<std::string> access_error(const GpuSpec& spec, const WarpAccess& access);

}  // namespace smem
