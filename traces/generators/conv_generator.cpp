// SPDX-License-Identifier: Apache-2.0
#include <traces/generators/conv_generator.hpp>

namespace smem {
namespace {

constexpr std::uint32_t kElementBytes = 4;

}  // namespace

ConvGenerator::ConvGenerator(const GeneratorArguments& arguments, const GpuSpec& spec)
    : GeneratedReader(spec),
      kernel_(arguments["kernel"]),
      image_(arguments["image"]),
      channels_(arguments["channels"]),
      grid_x_(arguments["grid_x"]),
      grid_y_(arguments["grid_y"]),
      block_x_(arguments["block_x"]),
      block_y_(arguments["block_y"]),
      storing_layers_(arguments["storing_layers"]),
      base_(arguments["base"]),
      tile_x_(block_x_ + kernel_ - 1),
      tile_y_(block_y_ + kernel_ - 1),
      pitch_(tile_x_ + arguments["pad"]),
      stores_x_(steps_over(tile_x_, block_x_)),
      stores_per_tile_(stores_x_ * steps_over(tile_y_, block_y_)) {
  const std::uint32_t block_z = arguments["block_z"];
  if (storing_layers_ == 0) storing_layers_ = block_z;
  const std::uint64_t tile_bytes = std::uint64_t{pitch_} * tile_y_ * kElementBytes;
  const std::uint64_t steps = std::uint64_t{channels_} * (stores_per_tile_ + kernel_ * kernel_) + 1;
  set_extent(arguments, {{grid_x_, grid_y_, arguments["grid_z"]},
                         {block_x_, block_y_, block_z},
                         steps,
                         base_ + channels_ * tile_bytes});
  for (std::uint32_t channel = 0; channel < channels_; ++channel) {
    const std::uint64_t begin = base_ + channel * tile_bytes;
    add_array("tile of channel " + std::to_string(channel), begin, begin + tile_bytes);
  }
}

bool ConvGenerator::fill(const Step& step, WarpAccess& access) const {
  const std::uint32_t stores = channels_ * stores_per_tile_;
  access.operation = step.step < stores ? Operation::store : Operation::load;
  access.bytes_per_lane = kElementBytes;
  if (step.step < stores) return fill_store(step, access);
  if (step.step == stores) return fill_barrier(thread_mask(step.warp), access);
  return fill_load({step.block, step.warp, step.step - stores - 1}, access);
}

bool ConvGenerator::fill_store(const Step& step, WarpAccess& access) const {
  const std::uint32_t channel = step.step / stores_per_tile_;
  const std::uint32_t part = step.step % stores_per_tile_;
  access.active_mask = 0;
  for_each_lane(thread_mask(step.warp), [&](unsigned lane) {
    const Thread thread = thread_of(step.warp, lane);
    const std::uint32_t x = thread.x + part % stores_x_ * block_x_;
    const std::uint32_t y = thread.y + part / stores_x_ * block_y_;
    if (x >= tile_x_ || y >= tile_y_ || thread.z >= storing_layers_) return;
    access.active_mask |= 1u << lane;
    access.offsets_bytes[lane] = offset_bytes(channel, x, y);
  });
  return access.active_mask != 0;
}

bool ConvGenerator::fill_load(const Step& step, WarpAccess& access) const {
  const std::uint32_t taps = kernel_ * kernel_;
  const std::uint32_t channel = step.step / taps;
  const std::uint32_t tap = step.step % taps;
  const std::uint32_t image_x = step.block % grid_x_ * block_x_;
  const std::uint32_t image_y = step.block / grid_x_ % grid_y_ * block_y_;
  access.active_mask = 0;
  for_each_lane(thread_mask(step.warp), [&](unsigned lane) {
    const Thread thread = thread_of(step.warp, lane);
    if (image_x + thread.x >= image_ || image_y + thread.y >= image_) return;
    access.active_mask |= 1u << lane;
    access.offsets_bytes[lane] =
        offset_bytes(channel, thread.x + tap % kernel_, thread.y + tap / kernel_);
  });
  return access.active_mask != 0;
}

ConvGenerator::Thread ConvGenerator::thread_of(std::uint32_t warp, unsigned lane) const {
  const std::uint32_t thread = warp * kLanesPerWarp + lane;
  return {thread % block_x_, thread / block_x_ % block_y_, thread / block_x_ / block_y_};
}

std::uint32_t ConvGenerator::offset_bytes(std::uint32_t channel, std::uint32_t x,
                                          std::uint32_t y) const {
  return base_ + ((channel * tile_y_ + y) * pitch_ + x) * kElementBytes;
}

}  // namespace smem
