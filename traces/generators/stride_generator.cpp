// SPDX-License-Identifier: Apache-2.0
#include <traces/generators/stride_generator.hpp>

namespace smem {

StrideGenerator::StrideGenerator(const GeneratorArguments& arguments, const GpuSpec& spec)
    : GeneratedReader(spec) {
  const std::uint32_t width = arguments["width"];
  const std::uint32_t base = arguments["base"];
  const std::uint32_t lanes = arguments["lanes"];
  const std::uint64_t stride_bytes = std::uint64_t{arguments["words"]} * spec.bank_map.word_bytes();
  const std::uint64_t end = base + (lanes - 1) * stride_bytes + width;
  set_extent(arguments, {{arguments["blocks"], 1, 1},
                         {arguments["warps"] * kLanesPerWarp, 1, 1},
                         arguments["repeat"],
                         end});
  add_array("lanes", base, end);
  access_ = make_access(
      static_cast<Operation>(arguments["op"]), static_cast<std::uint8_t>(width),
      [&](unsigned lane) { return base + lane * stride_bytes; },
      lanes == kLanesPerWarp ? kFullMask : (1u << lanes) - 1u);
}

bool StrideGenerator::fill(const Step&, WarpAccess& access) const {
  access = access_;
  return true;
}

}  // namespace smem
