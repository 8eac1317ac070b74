// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <traces/generators/tile_walk.hpp>

namespace smem {

/// A row-major tile with padded rows, gone over along rows or down columns.
class TileGenerator : public GeneratedReader {
 public:
  static constexpr std::string_view kName = "tile";
  static constexpr std::string_view kMeaning = "a 2-D tile with padded rows, by rows or by columns";
  static constexpr std::array kParameters = {
      kRowsParameter,
      kColumnsParameter,
      GeneratorParameter{"pad", 0, 0, kMostGenerated, "elements after every row"},
      kElementBytesParameter,
      kWidthParameter,
      kThreadsXParameter,
      kThreadsYParameter,
      kOrderParameter,
      kLoadStoreParameter,
      kBaseParameter,
      kBlocksParameter};

  TileGenerator(const GeneratorArguments& arguments, const GpuSpec& spec);

 private:
  [[nodiscard]] bool fill(const Step& step, WarpAccess& access) const override;

  TileWalk walk_;
  Operation operation_;
  std::uint8_t width_;
  std::uint32_t pitch_;  ///< elements from row to row
  std::uint32_t element_bytes_;
  std::uint32_t base_;
};

}  // namespace smem
