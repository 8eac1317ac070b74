// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <optional>

#include <sim/commands/commands.hpp>
#include <sim/options/command_options.hpp>
#include <sim/options/element_type.hpp>
#include <sim/options/whole_numbers.hpp>
#include <smem/occupancy.hpp>
#include <smem/tile_plan.hpp>

namespace smem {
namespace po = boost::program_options;
namespace {

// Bounds that keep every product of the ledgers inside 64 bits.
constexpr std::uint64_t kMostSize = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostBuffers = 1024;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

/// The options as numbers; each is read, and refused, by its own name.
class Numbers {
 public:
  explicit Numbers(const CommandOptions& options) : options_(options) {}

  std::optional<std::uint64_t> of(const char* name, std::uint64_t least, std::uint64_t most) const {
    if (!options_.has(name)) return std::nullopt;
    return whole_number(name, options_.get<std::string>(name), least, most);
  }

 private:
  const CommandOptions& options_;
};

/// Everything the command was asked about.
struct Budget {
  std::optional<TilePlan> tile;
  std::optional<ReusePlan> reuse;
  std::optional<std::uint64_t> shared_memory_bytes;  ///< of a block
  std::optional<std::uint32_t> threads;
  std::optional<std::uint32_t> registers_per_thread;
  std::optional<std::uint64_t> register_budget_per_thread;
  OccupancyLimits limits;
};

/// M, N and K of "MxNxK".
TilePlan tile_sizes(const std::string& text) {
  std::array<std::uint64_t, 3> sizes{};
  std::size_t begin = 0;
  for (std::size_t index = 0; index < sizes.size(); ++index) {
    const std::size_t end = index + 1 < sizes.size() ? text.find('x', begin) : text.size();
    if (end == std::string::npos) {
      throw UsageError("--tile: expected MxNxK, found '" + text + "'");
    }
    sizes[index] = whole_number("tile", text.substr(begin, end - begin), 1, kMostSize);
    begin = end + 1;
  }
  return {sizes[0], sizes[1], sizes[2], 4, 1, 0};
}

void read_plans(const CommandOptions& options, const Numbers& numbers, Budget& budget) {
  const std::uint64_t buffers = *numbers.of("buffers", 1, kMostBuffers);
  const std::uint64_t pad = *numbers.of("pad", 0, kMostSize);
  const std::uint64_t tiles = *numbers.of("tiles", 1, kMostSize);
  const std::uint64_t element_bytes = element_type("type", options.get<std::string>("type")).bytes;
  if (options.has("tile")) {
    budget.tile = tile_sizes(options.get<std::string>("tile"));
    budget.tile->element_bytes = element_bytes;
    budget.tile->buffers = buffers;
    budget.tile->pad = pad;
    budget.shared_memory_bytes = budget.tile->shared_memory_bytes();
  }
  if (const auto shared = numbers.of("shared", 0, kMostBytes)) {
    if (budget.tile) throw UsageError("expected --tile or --shared, found both");
    budget.shared_memory_bytes = shared;
  }
  const auto bytes = numbers.of("reuse-bytes", 1, kMostBytes);
  const auto uses = numbers.of("uses", 1, kMostSize);
  if (bytes.has_value() != uses.has_value()) {
    throw UsageError("expected --reuse-bytes and --uses together, found one of them");
  }
  if (bytes) budget.reuse = ReusePlan{*bytes, *uses, tiles, buffers};
}

void read_block(const Numbers& numbers, Budget& budget) {
  const auto narrow = [](std::optional<std::uint64_t> value) {
    return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
  };
  budget.threads = narrow(numbers.of("threads", 1, kMostSize));
  budget.registers_per_thread = narrow(numbers.of("registers", 1, kMostSize));
  budget.register_budget_per_thread = numbers.of("register-budget", 1, kMostSize);
  if (budget.register_budget_per_thread && !budget.registers_per_thread) {
    throw UsageError("--register-budget: expected --registers too, found none");
  }
  if (budget.registers_per_thread && !budget.threads) {
    throw UsageError("--registers: expected --threads too, found none");
  }
  if (const auto shared = numbers.of("shared-budget", 1, kMostSize * 1024)) {
    budget.limits.shared_memory_per_sm_bytes = static_cast<std::uint32_t>(*shared);
    budget.limits.shared_memory_per_block_bytes = static_cast<std::uint32_t>(*shared);
    budget.limits.shared_memory_reserved_per_block_bytes = 0;
    budget.limits.shared_memory_allocation_unit_bytes = 1;
  }
}

Cell cell_of(std::optional<std::uint64_t> value) {
  Cell cell;
  if (value) cell = *value;
  return cell;
}

Cell blocks_cell(std::uint64_t blocks) {
  return blocks == ResidentBlocks::kUnlimited ? cell_of(std::nullopt) : cell_of(blocks);
}

ResultTable tile_table(const TilePlan& tile, const OccupancyLimits& limits) {
  ResultTable table("tile", {"m", "n", "k", "element_bytes", "buffers", "pad", "a_bytes", "b_bytes",
                             "padding_bytes", "shared_memory_bytes", "blocks_by_shared_memory"});
  table.add_row({tile.m, tile.n, tile.k, tile.element_bytes, tile.buffers, tile.pad, tile.a_bytes(),
                 tile.b_bytes(), tile.padding_bytes(), tile.shared_memory_bytes(),
                 blocks_by_shared_memory(limits, tile.shared_memory_bytes())});
  return table;
}

ResultTable register_table(const Budget& budget) {
  const std::uint32_t threads = *budget.threads;
  const std::uint32_t registers = *budget.registers_per_thread;
  const auto& per_thread_budget = budget.register_budget_per_thread;
  std::optional<std::uint64_t> over;
  if (per_thread_budget) over = registers_over_budget(registers, *per_thread_budget);
  const std::uint64_t warps = rounded_up(threads, kLanesPerWarp) / kLanesPerWarp;
  ResultTable table("registers",
                    {"threads", "registers_per_thread", "registers_per_block",
                     "register_budget_per_thread", "registers_over_budget", "blocks_by_registers"});
  table.add_row({std::uint64_t{threads}, std::uint64_t{registers},
                 warps * registers_per_warp(budget.limits, registers), cell_of(per_thread_budget),
                 cell_of(over), blocks_by_registers(budget.limits, threads, registers)});
  return table;
}

/// The combined limit; what was not given limits nothing.
ResultTable resident_table(const Budget& budget) {
  ResidentBlocks resident;
  const auto set = [&](OccupancyLimit limit, std::uint64_t blocks) {
    resident.by_limit[static_cast<std::size_t>(limit)] = blocks;
  };
  const OccupancyLimits& limits = budget.limits;
  set(OccupancyLimit::block_slots, limits.blocks_per_sm);
  if (budget.shared_memory_bytes) {
    set(OccupancyLimit::shared_memory,
        blocks_by_shared_memory(limits, *budget.shared_memory_bytes));
  }
  if (budget.threads) set(OccupancyLimit::threads, blocks_by_threads(limits, *budget.threads));
  if (budget.registers_per_thread) {
    set(OccupancyLimit::registers,
        blocks_by_registers(limits, *budget.threads, *budget.registers_per_thread));
  }
  std::optional<std::uint64_t> resident_threads;
  if (budget.threads) resident_threads = resident.blocks() * *budget.threads;
  ResultTable table("resident blocks",
                    {"blocks_by_shared_memory", "blocks_by_threads", "blocks_by_registers",
                     "blocks_by_block_slots", "resident_blocks", "limited_by", "resident_threads"});
  table.add_row({blocks_cell(resident.by(OccupancyLimit::shared_memory)),
                 blocks_cell(resident.by(OccupancyLimit::threads)),
                 blocks_cell(resident.by(OccupancyLimit::registers)),
                 blocks_cell(resident.by(OccupancyLimit::block_slots)), resident.blocks(),
                 std::string(kOccupancyLimitNames[static_cast<std::size_t>(resident.limit())]),
                 cell_of(resident_threads)});
  return table;
}

ResultTable reuse_table(const ReusePlan& reuse) {
  ResultTable table("reuse", {"bytes", "uses", "tiles", "buffers", "global_bytes_without_reuse",
                              "global_bytes_with_reuse", "saved_global_bytes", "shared_write_bytes",
                              "shared_read_bytes", "sync_points"});
  table.add_row({reuse.bytes, reuse.uses, reuse.tiles, reuse.buffers,
                 reuse.global_bytes_without_reuse(), reuse.global_bytes_with_reuse(),
                 reuse.saved_global_bytes(), reuse.shared_write_bytes(), reuse.shared_read_bytes(),
                 reuse.sync_points()});
  return table;
}

void add_options(CommandOptions& options) {
  const auto text = [](const char* shown) { return po::value<std::string>()->value_name(shown); };
  options.add()("tile", text("MxNxK"), "a matrix multiplication's tile, in elements")(
      "type", text("TYPE")->default_value("fp32"), "its element type, or the size in bytes")(
      "buffers", text("N")->default_value("1"), "copies of the tile, or of the reused data")(
      "pad", text("N")->default_value("0"), "elements after every row of B")(
      "shared", text("BYTES"), "shared memory of a block, instead of --tile")(
      "threads", text("N"), "threads of a block")("registers", text("N"), "registers per thread")(
      "register-budget", text("N"), "registers per thread to stay within")(
      "shared-budget", text("BYTES"), "shared memory to divide among blocks, instead of the GPU's")(
      "reuse-bytes", text("BYTES"), "global data staged in shared memory")(
      "uses", text("N"), "how often each byte of it is used")(
      "tiles", text("N")->default_value("1"), "pieces it is staged in, one after the other");
  options.set_epilogue(
      "The GPU's own limits apply; change any with --set occupancy.KEY=VALUE.\n"
      "tile: buffers * element_bytes * [M * K + K * (N + pad)] bytes.\n"
      "sync_points: barriers of a block; one before each piece is read and, with one buffer,\n"
      "one before the next overwrites it.\n");
}

}  // namespace

int budget_command(const Arguments& arguments) {
  CommandOptions options(
      "budget", "[options]",
      "The ledgers of tile planning: a tile's shared memory, registers, how many blocks are\n"
      "resident and what limits them, and what reuse through shared memory saves.");
  add_options(options);
  if (!options.parse(arguments)) return kExitOk;
  const Numbers numbers(options);
  Budget budget;
  budget.limits = options.gpu().occupancy;
  read_plans(options, numbers, budget);
  read_block(numbers, budget);
  std::vector<ResultTable> tables;
  if (budget.tile) tables.push_back(tile_table(*budget.tile, budget.limits));
  if (budget.registers_per_thread) tables.push_back(register_table(budget));
  if (budget.shared_memory_bytes || budget.threads) tables.push_back(resident_table(budget));
  if (budget.reuse) tables.push_back(reuse_table(*budget.reuse));
  if (tables.empty()) {
    throw UsageError("budget: expected --tile, --shared, --threads or --reuse-bytes, found none");
  }
  print_tables(std::cout, tables, options.format());
  return kExitOk;
}

}  // namespace smem
