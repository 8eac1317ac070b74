// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <traces/generators/generated_reader.hpp>

namespace smem {

/// A 2-D convolution on float tiles in shared memory, one thread an output. For every channel the
/// block stores its input tile, (block_x + kernel - 1) x (block_y + kernel - 1): thread (x, y) the
/// elements (x + i * block_x, y + j * block_y) that lie in the tile. After a barrier every thread
/// whose output lies in the image loads its kernel x kernel neighbourhood. Warps with no lane left
/// branch around an instruction: they make no record.
class ConvGenerator : public GeneratedReader {
 public:
  static constexpr std::string_view kName = "conv";
  static constexpr std::string_view kMeaning = "a 2-D convolution's tile: stores, then loads";
  static constexpr std::array kParameters = {
      GeneratorParameter{"kernel", 5, 1, 1024, "rows and columns of the convolution kernel"},
      GeneratorParameter{"image", 28, 1, kMostGenerated, "rows and columns of the output image"},
      GeneratorParameter{"channels", 1, 1, 4096, "input channels, each with a tile of its own"},
      GeneratorParameter{"pad", 0, 0, kMostGenerated, "words after every tile row"},
      GeneratorParameter{"grid_x", 4, 1, kMostGenerated, "blocks, x"},
      GeneratorParameter{"grid_y", 4, 1, kMostGenerated, "blocks, y"},
      GeneratorParameter{"grid_z", 16, 1, kMostGenerated, "blocks, z"},
      GeneratorParameter{"block_x", 8, 1, 1024, "threads of a block, x (fastest)"},
      GeneratorParameter{"block_y", 8, 1, 1024, "threads of a block, y"},
      GeneratorParameter{"block_z", 8, 1, 1024, "threads of a block, z"},
      GeneratorParameter{"storing_layers", 0, 0, 1024,
                         "thread layers z that store the tile: 0 = all, 1 = z 0 alone, ..."},
      kBaseParameter};

  ConvGenerator(const GeneratorArguments& arguments, const GpuSpec& spec);

 private:
  struct Thread {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::uint32_t z = 0;
  };

  [[nodiscard]] bool fill(const Step& step, WarpAccess& access) const override;
  bool fill_store(const Step& step, WarpAccess& access) const;
  [[nodiscard]] bool fill_load(const Step& step, WarpAccess& access) const;
  Thread thread_of(std::uint32_t warp, unsigned lane) const;
  [[nodiscard]] std::uint32_t offset_bytes(std::uint32_t channel, std::uint32_t x,
                                           std::uint32_t y) const;

  std::uint32_t kernel_;
  std::uint32_t image_;
  std::uint32_t channels_;
  std::uint32_t grid_x_;
  std::uint32_t grid_y_;
  std::uint32_t block_x_;
  std::uint32_t block_y_;
  std::uint32_t storing_layers_;
  std::uint32_t base_;
  std::uint32_t tile_x_;
  std::uint32_t tile_y_;
  std::uint32_t pitch_;            ///< words from tile row to tile row
  std::uint32_t stores_x_;         ///< stores of a thread and channel, along x
  std::uint32_t stores_per_tile_;  ///< stores of a thread and channel
};

}  // namespace smem
