// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>
#include <vector>

#include <sim/count/chunk_sweep.hpp>
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

/// Sums over the instructions of all warps.
struct Sums {
  std::uint64_t instructions = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t least_wavefronts = 0;  ///< of a whole access in the place of each instruction
  std::uint64_t cycles = 0;
  std::uint64_t all_bytes = 0;
  std::uint64_t all_cycles = 0;  ///< with the narrower instructions at the chunk's end
};

Sums sum_up(const GpuSpec& spec, const ChunkLayout& layout, std::uint8_t access_bytes,
            std::uint8_t issued_bytes) {
  ChunkGenerator chunks(arguments_of(layout, issued_bytes), spec);
  Sums sums;
  std::vector<TraceRecord> records(256);
  while (const std::size_t count = chunks.read(records)) {
    for (std::size_t index = 0; index < count; ++index) {
      const WarpAccess& access = records[index].access;
      const AccessCost cost = analyze(spec, access);
      sums.all_bytes +=
          static_cast<std::uint64_t>(std::popcount(access.active_mask)) * access.bytes_per_lane;
      sums.all_cycles += cost.cycles_per_inst();
      if (access.bytes_per_lane != issued_bytes) continue;
      const WarpAccess ideal = make_access(
          access.operation, access_bytes, [&](unsigned lane) { return lane * access_bytes; },
          access.active_mask);
      if (const auto error = access_error(spec, ideal)) throw TraceError("chunk: " + *error);
      ++sums.instructions;
      sums.wavefronts += cost.wavefronts;
      sums.least_wavefronts += wavefronts(spec, ideal);
      sums.cycles += cost.cycles_per_inst();
    }
  }
  return sums;
}

}  // namespace

ChunkCost chunk_cost(const GpuSpec& spec, const ChunkLayout& layout) {
  const GeneratorArguments arguments = arguments_of(layout, layout.width_bytes);
  if (arguments["threads"] > spec.occupancy.threads_per_block) {
    arguments.fail(
        "at most " + std::to_string(spec.occupancy.threads_per_block) + " threads a block",
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
  cost.fits = cost.shared_memory_bytes <= spec.shared_window_bytes;
  if (!cost.fits) return cost;
  const Sums sums = sum_up(spec, layout, static_cast<std::uint8_t>(access_bytes),
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

PadChoice published_pad(const GpuSpec& spec, const ChunkLayout& layout) {
  std::optional<PadChoice> best;
  double best_measure = 0;
  for (std::int64_t multiple = 1; multiple <= kPadRuleMultiples; ++multiple) {
    ChunkLayout padded = layout;
    padded.pad = multiple * kPadRuleBytes / layout.element_bytes;
    const PadChoice choice{padded.pad, chunk_cost(spec, padded)};
    const std::optional<std::uint32_t> gcd = stride_gcd(spec, padded);
    const double measure = gcd ? static_cast<double>(*gcd) : choice.cost.wavefronts;
    if (!best || measure < best_measure) {
      best = choice;
      best_measure = measure;
    }
  }
  return *best;
}

std::optional<PadChoice> best_pad(const GpuSpec& spec, const ChunkLayout& layout) {
  const std::int64_t row_bytes =
      std::int64_t{spec.bank_map.bank_count()} * spec.bank_map.word_bytes();
  const auto rank = [](const PadChoice& choice) {
    return std::tuple(-static_cast<std::int64_t>(choice.cost.issued_width_bytes),
                      choice.cost.wavefronts, choice.pad);
  };
  std::optional<PadChoice> best;
  for (std::int64_t pad = 0; pad * layout.element_bytes < row_bytes; ++pad) {
    ChunkLayout padded = layout;
    padded.pad = pad;
    const PadChoice choice{pad, chunk_cost(spec, padded)};
    if (!choice.cost.fits) break;
    if (!best || rank(choice) < rank(*best)) best = choice;
  }
  return best;
}

}  // namespace smem
