// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <traces/generators/generated_reader.hpp>

namespace smem {

/// Which way neighbouring threads go through a tile.
enum class TileOrder : std::uint8_t { row, column };

inline constexpr std::array kTileOrderChoices = {
    GeneratorChoice{"row", static_cast<std::int64_t>(TileOrder::row)},
    GeneratorChoice{"column", static_cast<std::int64_t>(TileOrder::column)}};

inline constexpr GeneratorParameter kRowsParameter{"rows", 32, 1, kMostGenerated,
                                                   "rows of the tile"};
inline constexpr GeneratorParameter kColumnsParameter{"columns", 32, 1, kMostGenerated,
                                                      "columns of the tile, elements"};
inline constexpr GeneratorParameter kThreadsXParameter{"threads_x", 32, 1, kMostGenerated,
                                                       "threads of a block, x (fastest)"};
inline constexpr GeneratorParameter kThreadsYParameter{"threads_y", 1, 1, kMostGenerated,
                                                       "threads of a block, y"};
inline constexpr GeneratorParameter kOrderParameter{
    "order", static_cast<std::int64_t>(TileOrder::row),     0,
    1,       "thread x runs along a row, or down a column", kTileOrderChoices};

/// How a block of threads_x x threads_y goes over a tile in vectors of `vector_elements`; threads
/// past the tile's edge are off.
struct TileWalk {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::uint32_t vector_elements = 1;
  std::uint32_t threads_x = 1;
  std::uint32_t threads_y = 1;
  TileOrder order = TileOrder::row;

  /// Reads the parameters above, `width` and `element_bytes`. Throws TraceError when a row is no
  /// whole number of vectors.
  [[nodiscard]] static TileWalk from(const GeneratorArguments& arguments);

  [[nodiscard]] std::uint32_t vectors_per_row() const { return columns / vector_elements; }
  std::uint64_t steps() const { return std::uint64_t{steps_x()} * steps_y(); }

  struct Place {
    std::uint32_t row = 0;
    std::uint32_t column = 0;  ///< of the vector's first element
    bool inside = false;
  };
  /// Where thread number `thread` is in step `step`.
  [[nodiscard]] Place place(std::uint32_t thread, std::uint32_t step) const;

 private:
  [[nodiscard]] std::uint32_t extent_x() const {
    return order == TileOrder::row ? vectors_per_row() : rows;
  }
  [[nodiscard]] std::uint32_t extent_y() const {
    return order == TileOrder::row ? rows : vectors_per_row();
  }
  [[nodiscard]] std::uint32_t steps_x() const { return steps_over(extent_x(), threads_x); }
  std::uint32_t steps_y() const { return steps_over(extent_y(), threads_y); }
};

/// Fills an access of a walk whose vectors lie at `offset_of(row, column)` bytes.
template <class OffsetOf>
[[nodiscard]] bool fill_walk(const TileWalk& walk, std::uint32_t first_thread, std::uint32_t step,
                             std::uint32_t lanes, OffsetOf offset_of, WarpAccess& access) {
  access.active_mask = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    const TileWalk::Place place = walk.place(first_thread + lane, step);
    if (!place.inside) return;
    access.active_mask |= 1u << lane;
    access.offsets_bytes[lane] = offset_of(place.row, place.column);
  });
  return access.active_mask != 0;
}

}  // namespace smem
