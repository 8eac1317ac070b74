// SPDX-License-Identifier: Apache-2.0
#include <traces/generators/tile_generator.hpp>

namespace smem {

TileGenerator::TileGenerator(const GeneratorArguments& arguments, const GpuSpec& spec)
    : GeneratedReader(spec),
      walk_(TileWalk::from(arguments)),
      operation_(static_cast<Operation>(arguments["op"])),
      width_(static_cast<std::uint8_t>(arguments["width"])),
      pitch_(walk_.columns + arguments["pad"]),
      element_bytes_(arguments["element_bytes"]),
      base_(arguments["base"]) {
  const std::uint64_t end =
      base_ + (std::uint64_t{walk_.rows - 1} * pitch_ + walk_.columns) * element_bytes_;
  set_extent(
      arguments,
      {{arguments["blocks"], 1, 1}, {walk_.threads_x, walk_.threads_y, 1}, walk_.steps(), end});
  add_array("tile", base_, end);
}

bool TileGenerator::fill(const Step& step, WarpAccess& access) const {
  access.operation = operation_;
  access.bytes_per_lane = width_;
  return fill_walk(
      walk_, step.warp * kLanesPerWarp, step.step, thread_mask(step.warp),
      [&](std::uint32_t row, std::uint32_t column) {
        return base_ + (row * pitch_ + column) * element_bytes_;
      },
      access);
}

}  // namespace smem
