// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <traces/generators/generated_reader.hpp>

namespace smem {

/// Lane t of every warp accesses `width` bytes at word t * `words` (a word: the GPU's bank width).
class StrideGenerator : public GeneratedReader {
 public:
  static constexpr std::string_view kName = "stride";
  static constexpr std::string_view kMeaning = "lanes a fixed number of words apart";
  static constexpr std::array kParameters = {
      GeneratorParameter{"words", 1, 0, kMostGenerated, "words from one lane to the next"},
      kWidthParameter,
      kOperationParameter,
      GeneratorParameter{"lanes", 32, 1, 32, "active lanes, from lane 0"},
      GeneratorParameter{"repeat", 1, 1, kMostGenerated, "instructions of every warp"},
      GeneratorParameter{"warps", 1, 1, 64, "warps of a block"},
      kBaseParameter,
      kBlocksParameter};

  StrideGenerator(const GeneratorArguments& arguments, const GpuSpec& spec);

 private:
  [[nodiscard]] bool fill(const Step& step, WarpAccess& access) const override;

  WarpAccess access_;
};

}  // namespace smem
