// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include <traces/generators/swizzle_generator.hpp>

namespace smem {

SwizzleGenerator::SwizzleGenerator(const GeneratorArguments& arguments, const GpuSpec& spec)
    : GeneratedReader(spec),
      walk_(TileWalk::from(arguments)),
      operation_(static_cast<Operation>(arguments["op"])),
      width_(static_cast<std::uint8_t>(arguments["width"])),
      kind_(static_cast<SwizzleKind>(arguments["kind"])),
      swizzle_{static_cast<std::uint8_t>(arguments["bits"]),
               static_cast<std::uint8_t>(arguments["least_bit"]),
               static_cast<std::int8_t>(arguments.signed_value("shift"))},
      unit_bytes_(arguments["unit"] == 1 ? 1 : arguments["element_bytes"]),
      element_bytes_(arguments["element_bytes"]),
      base_(arguments["base"]) {
  check(arguments);
  std::uint64_t size_bytes = std::uint64_t{walk_.rows} * walk_.columns * element_bytes_;
  if (kind_ == SwizzleKind::cute && swizzle_.bits != 0) {
    // The permutation stays inside aligned blocks that end at the highest bit it changes.
    const unsigned highest =
        swizzle_.bits + swizzle_.base + (swizzle_.shift < 0 ? unsigned(-swizzle_.shift) : 0u);
    const std::uint64_t block_bytes = (std::uint64_t{1} << highest) * unit_bytes_;
    size_bytes = (size_bytes + block_bytes - 1) / block_bytes * block_bytes;
  }
  set_extent(arguments, {{arguments["blocks"], 1, 1},
                         {walk_.threads_x, walk_.threads_y, 1},
                         walk_.steps(),
                         base_ + size_bytes});
  add_array("tile", base_, base_ + size_bytes);
}

void SwizzleGenerator::check(const GeneratorArguments& arguments) const {
  if (kind_ == SwizzleKind::row_xor_column) {
    if (!std::has_single_bit(walk_.vectors_per_row())) {
      arguments.fail("a power of two of vectors in a row", std::to_string(walk_.vectors_per_row()));
    }
    return;
  }
  const std::string shift = std::to_string(swizzle_.shift);
  if (!swizzle_.is_valid()) {
    arguments.fail("shift of at least " + std::to_string(swizzle_.bits) +
                       " (bits) either way, and the fields inside 32 bits",
                   shift);
  }
  const int whole = std::countr_zero(static_cast<unsigned>(width_)) - std::countr_zero(unit_bytes_);
  if (swizzle_.bits != 0 && swizzle_.base < whole) {
    arguments.fail("least_bit of at least " + std::to_string(whole) +
                       ", which keeps an instruction's bytes together",
                   std::to_string(swizzle_.base));
  }
}

std::uint32_t SwizzleGenerator::offset_bytes(std::uint32_t row, std::uint32_t column) const {
  if (kind_ == SwizzleKind::cute) {
    const std::uint32_t index_bytes = (row * walk_.columns + column) * element_bytes_;
    return swizzle_(index_bytes / unit_bytes_) * unit_bytes_;
  }
  const std::uint32_t vector =
      xor_swizzled(row, column / walk_.vector_elements, walk_.vectors_per_row());
  return (row * walk_.columns + vector * walk_.vector_elements) * element_bytes_;
}

bool SwizzleGenerator::fill(const Step& step, WarpAccess& access) const {
  access.operation = operation_;
  access.bytes_per_lane = width_;
  return fill_walk(
      walk_, step.warp * kLanesPerWarp, step.step, thread_mask(step.warp),
      [&](std::uint32_t row, std::uint32_t column) { return base_ + offset_bytes(row, column); },
      access);
}

}  // namespace smem
