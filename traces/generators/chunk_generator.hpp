// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <traces/generators/generated_reader.hpp>

namespace smem {

/// Which instructions walk a chunk.
enum class ChunkAccess : std::uint8_t { load, store, load_then_store };

inline constexpr std::array kChunkAccessChoices = {
    GeneratorChoice{"ld", static_cast<std::int64_t>(ChunkAccess::load)},
    GeneratorChoice{"st", static_cast<std::int64_t>(ChunkAccess::store)},
    GeneratorChoice{"both", static_cast<std::int64_t>(ChunkAccess::load_then_store)}};

/// Every thread walks its own run of `chunk` elements, `pad` elements apart from the next thread's:
///
///   thread 0: [chunk elements][pad]  thread 1: [chunk elements][pad]  ...
///
/// with instructions of `width` bytes; what is left of the chunk at its end is walked with narrower
/// ones, as a compiler would.
class ChunkGenerator : public GeneratedReader {
 public:
  static constexpr std::string_view kName = "chunk";
  static constexpr std::string_view kMeaning = "every thread walks its own padded run of elements";
  static constexpr std::array kParameters = {
      GeneratorParameter{"chunk", 32, 1, kMostGenerated, "elements a thread walks"},
      GeneratorParameter{"pad", 0, 0, kMostGenerated, "elements between two threads' chunks"},
      kElementBytesParameter,
      kWidthParameter,
      GeneratorParameter{"threads", 128, 1, kMostGenerated, "threads of a block"},
      GeneratorParameter{"op", static_cast<std::int64_t>(ChunkAccess::load), 0, 0,
                         "loads, stores, or at every step a load, then a store",
                         kChunkAccessChoices},
      kBaseParameter,
      kBlocksParameter};

  ChunkGenerator(const GeneratorArguments& arguments, const GpuSpec& spec);

 private:
  struct Instruction {
    Operation operation;
    std::uint8_t bytes_per_lane;
    std::uint32_t offset_bytes;  ///< in the chunk
  };

  [[nodiscard]] bool fill(const Step& step, WarpAccess& access) const override;

  std::uint32_t base_;
  std::uint32_t stride_bytes_ = 0;
  std::vector<Instruction> instructions_;
};

}  // namespace smem
