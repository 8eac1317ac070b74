// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <smem/swizzle.hpp>
#include <traces/generators/tile_walk.hpp>

namespace smem {

/// How a tile's addresses are permuted.
enum class SwizzleKind : std::uint8_t { row_xor_column, cute };

inline constexpr std::array kSwizzleKindChoices = {
    GeneratorChoice{"xor", static_cast<std::int64_t>(SwizzleKind::row_xor_column)},
    GeneratorChoice{"cute", static_cast<std::int64_t>(SwizzleKind::cute)}};

inline constexpr std::array kSwizzleUnitChoices = {GeneratorChoice{"element", 0},
                                                   GeneratorChoice{"byte", 1}};

/// A row-major tile without padding whose vectors are permuted: `xor` puts vector v of row r at
/// v ^ r, `cute` applies Swizzle<bits, shift_base, shift> to the element (or byte) index.
class SwizzleGenerator : public GeneratedReader {
 public:
  static constexpr std::string_view kName = "swizzle";
  static constexpr std::string_view kMeaning = "a 2-D tile with XOR-swizzled addresses";
  static constexpr std::array kParameters = {
      kRowsParameter,
      kColumnsParameter,
      GeneratorParameter{"kind", static_cast<std::int64_t>(SwizzleKind::row_xor_column), 0, 1,
                         "xor: vector ^ row; cute: Swizzle<bits,least_bit,shift> of the index",
                         kSwizzleKindChoices},
      GeneratorParameter{"bits", 3, 0, 16, "cute: B, bits of the field"},
      GeneratorParameter{"least_bit", 3, 0, 20, "cute: M, lowest bit of the field"},
      GeneratorParameter{"shift", 3, -20, 20, "cute: S, distance to the bits XORed into it"},
      GeneratorParameter{"unit", 0, 0, 1, "cute: what the index counts", kSwizzleUnitChoices},
      kElementBytesParameter,
      kWidthParameter,
      kThreadsXParameter,
      kThreadsYParameter,
      kOrderParameter,
      kLoadStoreParameter,
      kBaseParameter,
      kBlocksParameter};

  SwizzleGenerator(const GeneratorArguments& arguments, const GpuSpec& spec);

 private:
  [[nodiscard]] bool fill(const Step& step, WarpAccess& access) const override;
  void check(const GeneratorArguments& arguments) const;
  [[nodiscard]] std::uint32_t offset_bytes(std::uint32_t row, std::uint32_t column) const;

  TileWalk walk_;
  Operation operation_;
  std::uint8_t width_;
  SwizzleKind kind_;
  Swizzle swizzle_;
  std::uint32_t unit_bytes_;  ///< what one step of the swizzled index is
  std::uint32_t element_bytes_;
  std::uint32_t base_;
};

}  // namespace smem
