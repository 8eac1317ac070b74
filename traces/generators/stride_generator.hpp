// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <traces/generators/generated_reader.hpp>

namespace smem {

inline constexpr std::array kStrideOperationChoices = {
    GeneratorChoice{"ld", static_cast<std::int64_t>(Operation::load)},
    GeneratorChoice{"st", static_cast<std::int64_t>(Operation::store)},
    GeneratorChoice{"ldmatrix.x1", static_cast<std::int64_t>(Operation::ldmatrix_x1)},
    GeneratorChoice{"ldmatrix.x2", static_cast<std::int64_t>(Operation::ldmatrix_x2)},
    GeneratorChoice{"ldmatrix.x4", static_cast<std::int64_t>(Operation::ldmatrix_x4)},
    GeneratorChoice{"stmatrix.x1", static_cast<std::int64_t>(Operation::stmatrix_x1)},
    GeneratorChoice{"stmatrix.x2", static_cast<std::int64_t>(Operation::stmatrix_x2)},
    GeneratorChoice{"stmatrix.x4", static_cast<std::int64_t>(Operation::stmatrix_x4)},
    GeneratorChoice{"red.add", static_cast<std::int64_t>(Operation::reduction)},
    GeneratorChoice{"atom.add", static_cast<std::int64_t>(Operation::atomic_add)},
    GeneratorChoice{"atom.exch", static_cast<std::int64_t>(Operation::atomic_exchange)},
    GeneratorChoice{"atom.cas", static_cast<std::int64_t>(Operation::atomic_cas)},
    GeneratorChoice{"cp.async", static_cast<std::int64_t>(Operation::async_copy)}};

/// Lane t of every warp accesses `width` bytes at word t * `words` (a word: the GPU's bank width).
class StrideGenerator : public GeneratedReader {
 public:
  static constexpr std::string_view kName = "stride";
  static constexpr std::string_view kMeaning = "lanes a fixed number of words apart";
  static constexpr std::array kParameters = {
      GeneratorParameter{"words", 1, 0, kMostGenerated, "words from one lane to the next"},
      kWidthParameter,
      GeneratorParameter{"op", static_cast<std::int64_t>(Operation::load), 0, 0, "the operation",
                         kStrideOperationChoices},
      GeneratorParameter{"lanes", 32, 1, 32, "active lanes, from lane 0"},
      GeneratorParameter{"repeat", 1, 1, kMostGenerated, "instructions of every warp"},
      GeneratorParameter{"warps", 1, 1, 64, "warps of a block"},
      kBaseParameter,
      kBlocksParameter};

  StrideGenerator(const GeneratorArguments& arguments, const GpuSpec& spec);

 private:
  bool fill(const Step& step, WarpAccess& access) const override;

  WarpAccess access_;
};

}  // namespace smem
