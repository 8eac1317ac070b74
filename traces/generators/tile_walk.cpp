// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <traces/generators/tile_walk.hpp>

namespace smem {

TileWalk TileWalk::from(const GeneratorArguments& arguments) {
  const std::uint32_t element_bytes = arguments["element_bytes"];
  TileWalk walk{arguments["rows"],
                arguments["columns"],
                std::max(1u, arguments["width"] / element_bytes),
                arguments["threads_x"],
                arguments["threads_y"],
                static_cast<TileOrder>(arguments["order"])};
  if (arguments["width"] < element_bytes) {
    arguments.fail("width of at least element_bytes, " + std::to_string(element_bytes),
                   std::to_string(arguments["width"]));
  }
  if (walk.columns % walk.vector_elements != 0) {
    arguments.fail("columns that are multiples of " + std::to_string(walk.vector_elements) +
                       " elements, one instruction's",
                   std::to_string(walk.columns));
  }
  return walk;
}

TileWalk::Place TileWalk::place(std::uint32_t thread, std::uint32_t step) const {
  const std::uint32_t x = thread % threads_x + step % steps_x() * threads_x;
  const std::uint32_t y = thread / threads_x + step / steps_x() * threads_y;
  const bool inside = x < extent_x() && y < extent_y();
  if (order == TileOrder::row) return {y, x * vector_elements, inside};
  return {x, y * vector_elements, inside};
}

}  // namespace smem
