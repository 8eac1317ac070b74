// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include <smem/gpu_spec.hpp>

namespace smem {

namespace clock {
struct TimingSpec;  // clock/timing.hpp
}

/// All that a GPU's file says. Who needs no cycles takes the GpuSpec alone (config_loader.hpp).
struct GpuDescription {
  GpuSpec spec;
  std::shared_ptr<const clock::TimingSpec> timing;  ///< null where the file has no `timing`
};

/// load_gpu_spec (config_loader.hpp) with the clock's numbers.
GpuDescription load_gpu_description(const std::string& file,
                                    std::span<const std::string> overrides = {});

/// The same from text; `name` stands in messages.
GpuDescription parse_gpu_description(const std::string& text, const std::string& name,
                                     std::span<const std::string> overrides = {});

}  // namespace smem
