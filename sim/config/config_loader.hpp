// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <sim/config/config_error.hpp>
#include <smem/gpu_spec.hpp>

namespace smem {

/// Where a GPU's file lies: `gpu` itself when it names a file (has a '/' or ends in .yaml), else
/// GPU.yaml in $SMEMSIM_CONFIGS, in the configs installed with the program, in the source tree's,
/// or where the build was told to install. Throws ConfigError listing the known names when there is
/// none.
std::string find_config(const std::string& gpu);

/// Reads a GPU's file and applies `key.path=value` overrides. Strict: an unknown or missing key, a
/// wrong type, a value out of range or a bank map that is not bijective throws ConfigError with
/// file, line, column and key path.
GpuSpec load_gpu_spec(const std::string& file, std::span<const std::string> overrides = {});

/// The same from text; `name` stands in messages.
GpuSpec parse_gpu_spec(const std::string& text, const std::string& name,
                       std::span<const std::string> overrides = {});

}  // namespace smem
