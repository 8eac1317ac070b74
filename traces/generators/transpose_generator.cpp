// SPDX-License-Identifier: Apache-2.0
#include <traces/generators/transpose_generator.hpp>

namespace smem {

TransposeGenerator::TransposeGenerator(const GeneratorArguments& arguments, const GpuSpec& spec)
    : GeneratedReader(spec),
      tile_(arguments["tile"]),
      rows_(arguments["rows"]),
      pitch_(tile_ + arguments["pad"]),
      element_bytes_(arguments["element_bytes"]),
      base_(arguments["base"]) {
  if (tile_ % rows_ != 0) {
    arguments.fail("rows that divide a tile of " + std::to_string(tile_), std::to_string(rows_));
  }
  const std::uint64_t end = base_ + (std::uint64_t{tile_ - 1} * pitch_ + tile_) * element_bytes_;
  set_extent(arguments, {{arguments["blocks"], 1, 1},
                         {tile_, rows_, 1},
                         std::uint64_t{2} * (tile_ / rows_) + 1,
                         end});
  add_array("tile", base_, end);
}

bool TransposeGenerator::fill(const Step& step, WarpAccess& access) const {
  const std::uint32_t passes = tile_ / rows_;
  const std::uint32_t lanes = thread_mask(step.warp);
  if (step.step == passes) return fill_barrier(lanes, access);
  const bool stores = step.step < passes;
  const std::uint32_t pass = stores ? step.step : step.step - passes - 1;
  access = make_access(
      stores ? Operation::store : Operation::load, static_cast<std::uint8_t>(element_bytes_),
      [&](unsigned lane) {
        const std::uint32_t thread = step.warp * kLanesPerWarp + lane;
        const std::uint32_t x = thread % tile_;
        const std::uint32_t y = thread / tile_ + pass * rows_;
        return base_ + (stores ? y * pitch_ + x : x * pitch_ + y) * element_bytes_;
      },
      lanes);
  return true;
}

}  // namespace smem
