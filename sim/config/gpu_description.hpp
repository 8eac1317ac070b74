// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include <clock/timing.hpp>

#include <smem/gpu_spec.hpp>

namespace smem {

/// All that a GPU's file says. Who needs no cycles takes the GpuSpec alone (config_loader.hpp).
struct GpuDescription {
  GpuSpec spec;
  clock::TimingSpec timing;  ///< not known() where the file has no `timing`
};

/// load_gpu_spec (config_loader.hpp) with the clock's numbers.
GpuDescription load_gpu_description(const std::string& file,
                                    std::span<const std::string> overrides = {});

/// The same from text; `name` stands in messages.
GpuDescription parse_gpu_description(const std::string& text, const std::string& name,
                                     std::span<const std::string> overrides = {});

}  // namespace smem
