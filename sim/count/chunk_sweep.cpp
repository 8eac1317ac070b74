// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>
#include <vector>

#include <sim/count/chunk_sweep.hpp>
#include <sim/count/counted_batches.hpp>
#include <smem/analyzer.hpp>
#include <traces/access_check.hpp>
#include <traces/generators/chunk_generator.hpp>

namespace smem {
namespace {

constexpr std::int64_t kPadRuleBytes = 16;
constexpr std::int64_t kPadRuleMultiples = 2;

/// The generator's arguments; refuses values out of range.
GeneratorArguments arguments_of(const ChunkLayout& layout, std::int64_t width_bytes) {
  GeneratorArguments arguments("chunk", ChunkGenerator::kName, ChunkGenerator::kParameters);
  const std::pair<std::string_view, std::int64_t> values[] = {
      {"chunk", layout.chunk},
      {"pad", layout.pad},
      {"element_bytes", layout.element_bytes},
      {"width", width_bytes},
      {"threads", layout.threads}};
  for (const auto& [name, value] : values) arguments.set(name, std::to_string(value));
  arguments.set("op", layout.operation == Operation::store ? "st" : "ld");
  return arguments;
}

}  // namespace

/// Sums over the instructions of all warps.
struct ChunkCounter::Sums {
  std::uint64_t instructions = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t least_wavefronts = 0;  ///< of a whole access in the place of each instruction
  std::uint64_t cycles = 0;
  std::uint64_t all_bytes = 0;
  std::uint64_t all_cycles = 0;  ///< with the narrower instructions at the chunk's end
};

/// Of lanes side by side, aligned.
std::uint16_t ChunkCounter::least_wavefronts(Operation operation, std::uint8_t access_bytes,
                                             std::uint32_t active_mask) const {
  const WarpAccess ideal = make_access(
      operation, access_bytes, [&](unsigned lane) { return lane * access_bytes; }, active_mask);
  if (const auto error = access_error(spec_, ideal)) throw TraceError("chunk: " + *error);
  return analyze(spec_, ideal).wavefronts;
}

ChunkCounter::Sums ChunkCounter::sum_up(const ChunkLayout& layout, std::uint8_t access_bytes,
                                        std::uint8_t issued_bytes) const {
  ChunkGenerator chunks(arguments_of(layout, issued_bytes), spec_);
  Sums sums;
  std::uint32_t last_mask = 0;  // most instructions have all lanes
  std::uint16_t least = 0;
  for_each_counted(chunks, analyzer_, [&](const TraceRecord& record, const AccessCost& cost) {
    const WarpAccess& access = record.access;
    sums.all_bytes +=
        static_cast<std::uint64_t>(std::popcount(access.active_mask)) * access.bytes_per_lane;
    sums.all_cycles += cost.cycles_per_inst();
    if (access.bytes_per_lane != issued_bytes) return;
    if (access.active_mask != last_mask) {
      last_mask = access.active_mask;
      least = least_wavefronts(access.operation, access_bytes, last_mask);
    }
    ++sums.instructions;
    sums.wavefronts += cost.wavefronts;
    sums.least_wavefronts += least;
    sums.cycles += cost.cycles_per_inst();
  });
  return sums;
}

ChunkCost ChunkCounter::cost(const ChunkLayout& layout) const {
  const GeneratorArguments arguments = arguments_of(layout, layout.width_bytes);
  if (arguments["threads"] > spec_.occupancy.threads_per_block) {
    arguments.fail(
        "at most " + std::to_string(spec_.occupancy.threads_per_block) + " threads a block",
        std::to_string(layout.threads));
  }
  const auto width = static_cast<std::uint64_t>(layout.width_bytes);
  const auto chunk_bytes = static_cast<std::uint64_t>(layout.chunk * layout.element_bytes);
  const std::uint64_t stride_bytes = layout.stride_bytes();
  ChunkCost cost;
  cost.shared_memory_bytes =
      static_cast<std::uint64_t>(layout.threads - 1) * stride_bytes + chunk_bytes;
  cost.aligned = stride_bytes % width == 0;
  const std::uint64_t access_bytes = std::min(width, std::bit_floor(chunk_bytes));
  cost.issued_width_bytes = static_cast<std::uint32_t>(
      std::min(access_bytes, std::uint64_t{1} << std::countr_zero(stride_bytes)));
  cost.fits = cost.shared_memory_bytes <= spec_.shared_window_bytes;
  if (!cost.fits) return cost;
  const Sums sums = sum_up(layout, static_cast<std::uint8_t>(access_bytes),
                           static_cast<std::uint8_t>(cost.issued_width_bytes));
  const auto instructions = static_cast<double>(sums.instructions);
  const double instructions_per_access =
      static_cast<double>(access_bytes) / cost.issued_width_bytes;
  cost.wavefronts = static_cast<double>(sums.wavefronts) / instructions * instructions_per_access;
  cost.least_wavefronts = static_cast<double>(sums.least_wavefronts) / instructions;
  cost.cycles_per_access =
      static_cast<double>(sums.cycles) / instructions * instructions_per_access;
  cost.bytes_per_cycle = static_cast<double>(sums.all_bytes) / static_cast<double>(sums.all_cycles);
  return cost;
}

std::optional<std::uint32_t> stride_gcd(const GpuSpec& spec, const ChunkLayout& layout) {
  const std::uint64_t stride_bytes = layout.stride_bytes();
  if (stride_bytes % spec.bank_map.word_bytes() != 0) return std::nullopt;
  return static_cast<std::uint32_t>(std::gcd(stride_bytes / spec.bank_map.word_bytes(),
                                             std::uint64_t{spec.bank_map.bank_count()}));
}

PadChoice ChunkCounter::published_pad(const ChunkLayout& layout) const {
  std::optional<PadChoice> best;
  double best_measure = 0;
  for (std::int64_t multiple = 1; multiple <= kPadRuleMultiples; ++multiple) {
    ChunkLayout padded = layout;
    padded.pad = multiple * kPadRuleBytes / layout.element_bytes;
    const PadChoice choice{padded.pad, cost(padded)};
    const std::optional<std::uint32_t> gcd = stride_gcd(spec_, padded);
    const double measure = gcd ? static_cast<double>(*gcd) : choice.cost.wavefronts;
    if (!best || measure < best_measure) {
      best = choice;
      best_measure = measure;
    }
  }
  return *best;
}

std::optional<PadChoice> ChunkCounter::best_pad(const ChunkLayout& layout) const {
  const std::int64_t row_bytes =
      std::int64_t{spec_.bank_map.bank_count()} * spec_.bank_map.word_bytes();
  const auto rank = [](const PadChoice& choice) {
    return std::tuple(-static_cast<std::int64_t>(choice.cost.issued_width_bytes),
                      choice.cost.wavefronts, choice.pad);
  };
  std::optional<PadChoice> best;
  for (std::int64_t pad = 0; pad * layout.element_bytes < row_bytes; ++pad) {
    ChunkLayout padded = layout;
    padded.pad = pad;
    const PadChoice choice{pad, cost(padded)};
    if (!choice.cost.fits) break;
    if (!best || rank(choice) < rank(*best)) best = choice;
  }
  return best;
}

}  // namespace smem
