// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <traces/generators/generated_reader.hpp>

namespace smem {

/// A square tile written by rows and, after a barrier, read by columns; blocks of `tile` x `rows`
/// threads, thread x fastest, each handling tile / rows elements.
class TransposeGenerator : public GeneratedReader {
 public:
  static constexpr std::string_view kName = "transpose";
  static constexpr std::string_view kMeaning = "a square tile stored by rows and loaded by columns";
  static constexpr std::array kParameters = {
      GeneratorParameter{"tile", 32, 1, kMostGenerated, "rows and columns of the tile, elements"},
      GeneratorParameter{"rows", 8, 1, kMostGenerated, "rows of threads; divides tile"},
      GeneratorParameter{"pad", 0, 0, kMostGenerated, "elements after every row"},
      kElementBytesParameter,
      kBaseParameter,
      kBlocksParameter};

  TransposeGenerator(const GeneratorArguments& arguments, const GpuSpec& spec);

 private:
  [[nodiscard]] bool fill(const Step& step, WarpAccess& access) const override;

  std::uint32_t tile_;
  std::uint32_t rows_;
  std::uint32_t pitch_;  ///< elements from row to row
  std::uint32_t element_bytes_;
  std::uint32_t base_;
};

}  // namespace smem
