// SPDX-License-Identifier: Apache-2.0
#include <traces/generators/chunk_generator.hpp>

namespace smem {

ChunkGenerator::ChunkGenerator(const GeneratorArguments& arguments, const GpuSpec& spec)
    : GeneratedReader(spec), base_(arguments["base"]) {
  const std::uint32_t element_bytes = arguments["element_bytes"];
  const std::uint32_t threads = arguments["threads"];
  const std::uint64_t chunk_bytes = std::uint64_t{arguments["chunk"]} * element_bytes;
  const std::uint64_t stride_bytes = chunk_bytes + std::uint64_t{arguments["pad"]} * element_bytes;
  const auto kind = static_cast<ChunkAccess>(arguments["op"]);
  Extent extent{{arguments["blocks"], 1, 1}, {threads, 1, 1}, 0, 0};
  extent.shared_bytes = base_ + (threads - 1) * stride_bytes + chunk_bytes;
  set_extent(arguments, extent);  // from here on, everything fits 32 bits
  stride_bytes_ = static_cast<std::uint32_t>(stride_bytes);

  std::uint32_t width = arguments["width"];
  for (std::uint32_t offset = 0; offset < chunk_bytes; offset += width) {
    while (offset + width > chunk_bytes) width /= 2;
    const auto add = [&](Operation operation) {
      instructions_.push_back({operation, static_cast<std::uint8_t>(width), offset});
    };
    if (kind != ChunkAccess::store) add(Operation::load);
    if (kind != ChunkAccess::load) add(Operation::store);
  }
  extent.steps = instructions_.size();
  set_extent(arguments, extent);
  add_array("chunks", base_, extent.shared_bytes);
}

bool ChunkGenerator::fill(const Step& step, WarpAccess& access) const {
  const Instruction& instruction = instructions_[step.step];
  const std::uint32_t first_thread = step.warp * kLanesPerWarp;
  access = make_access(
      instruction.operation, instruction.bytes_per_lane,
      [&](unsigned lane) {
        return base_ + (first_thread + lane) * stride_bytes_ + instruction.offset_bytes;
      },
      thread_mask(step.warp));
  return true;
}

}  // namespace smem
