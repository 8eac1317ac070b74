// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <tuple>

#include <sim/commands/commands.hpp>
#include <sim/count/chunk_sweep.hpp>
#include <sim/options/command_options.hpp>
#include <sim/options/element_type.hpp>
#include <sim/options/named_choice.hpp>
#include <sim/options/whole_numbers.hpp>
#include <traces/generators/generator_parameter.hpp>

namespace smem {
namespace po = boost::program_options;
namespace {

const std::vector<std::string> kColumns = {"chunk",
                                           "pad",
                                           "type",
                                           "element_bytes",
                                           "width_bytes",
                                           "threads",
                                           "shared_memory_bytes",
                                           "stride_words",
                                           "gcd",
                                           "aligned",
                                           "issued_width_bytes",
                                           "wavefronts",
                                           "least_wavefronts",
                                           "ways",
                                           "cycles_per_access",
                                           "shared_bound_tb_per_s",
                                           "published_pad",
                                           "published_pad_ways",
                                           "best_pad",
                                           "best_pad_ways"};

constexpr std::string_view kColumnsHelp =
    "Columns\n"
    "  stride_words, gcd      S = (chunk + pad) * element_bytes over the bank's width, and\n"
    "                         gcd(S, banks); - where S is no whole number\n"
    "  aligned                yes: every chunk starts at a multiple of the width. If not, a\n"
    "                         compiler issues issued_width_bytes, several to an access\n"
    "  wavefronts             of an access of the width, averaged over the chunk and all warps;\n"
    "                         - where the block's chunks do not fit shared memory\n"
    "  least_wavefronts       of a conflict-free access of the width; ways is the ratio\n"
    "  cycles_per_access      steady state with enough warps, shared memory the only limit\n"
    "  shared_bound_tb_per_s  the same as bandwidth: SMs * clock * bytes / cycles. An upper bound\n"
    "                         of what a kernel reaches: global memory, arithmetic and latency are\n"
    "                         not in it\n"
    "  published_pad          16 or 32 bytes, whichever makes gcd(S, banks) smaller\n"
    "  best_pad               the best of all pads up to one row of banks: the widest\n"
    "                         instructions, then the fewest wavefronts, then the least memory\n";

/// The two pads of a layout, which do not depend on the pad of its row.
struct PadPicks {
  PadChoice published;
  std::optional<PadChoice> best;
};

class Sweep {
 public:
  Sweep(const GpuSpec& spec, Operation operation)
      : spec_(spec), counter_(spec), operation_(operation) {}

  void add(std::int64_t chunk, std::int64_t pad, const ElementType& type, std::int64_t width_bytes,
           std::int64_t threads);
  const ResultTable& table() const { return table_; }

 private:
  const PadPicks& picks(const ChunkLayout& layout);

  const GpuSpec& spec_;
  ChunkCounter counter_;
  Operation operation_;
  ResultTable table_{"chunks", kColumns};
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, PadPicks> picks_;
};

const PadPicks& Sweep::picks(const ChunkLayout& layout) {
  const auto [found, is_new] =
      picks_.try_emplace({layout.chunk, layout.element_bytes, layout.width_bytes, layout.threads});
  if (is_new) found->second = {counter_.published_pad(layout), counter_.best_pad(layout)};
  return found->second;
}

void Sweep::add(std::int64_t chunk, std::int64_t pad, const ElementType& type,
                std::int64_t width_bytes, std::int64_t threads) {
  const ChunkLayout layout{chunk, pad, type.bytes, width_bytes, threads, operation_};
  const ChunkCost cost = counter_.cost(layout);
  const PadPicks& pads = picks(layout);
  const auto whole = [](auto value) { return Cell(static_cast<std::uint64_t>(value)); };
  const auto if_fits = [](const ChunkCost& counted, double value) {
    return counted.fits ? Cell(value) : Cell();
  };
  const std::optional<std::uint32_t> gcd = stride_gcd(spec_, layout);
  const double bytes_per_second_and_byte_per_cycle =
      static_cast<double>(spec_.sm_count) * spec_.sm_clock_mhz * 1e6;
  table_.add_row(
      {whole(chunk),
       whole(pad),
       std::string(type.name),
       whole(type.bytes),
       whole(width_bytes),
       whole(threads),
       whole(cost.shared_memory_bytes),
       static_cast<double>(layout.stride_bytes()) / spec_.bank_map.word_bytes(),
       gcd ? whole(*gcd) : Cell(),
       std::string(cost.aligned ? "yes" : "no"),
       whole(cost.issued_width_bytes),
       if_fits(cost, cost.wavefronts),
       if_fits(cost, cost.least_wavefronts),
       if_fits(cost, cost.fits ? cost.ways() : 0),
       if_fits(cost, cost.cycles_per_access),
       if_fits(cost, cost.bytes_per_cycle * bytes_per_second_and_byte_per_cycle * 1e-12),
       whole(pads.published.pad),
       if_fits(pads.published.cost, pads.published.cost.fits ? pads.published.cost.ways() : 0),
       pads.best ? whole(pads.best->pad) : Cell(),
       pads.best ? Cell(pads.best->cost.ways()) : Cell()});
}

Operation sweep_operation(const std::string& name) {
  struct Row {
    std::string_view name;
    Operation operation;
  };
  constexpr std::array kOperations = {Row{"ld", Operation::load}, Row{"st", Operation::store}};
  return choose("op", name, kOperations).operation;
}

std::vector<std::int64_t> widths_of(const CommandOptions& options) {
  std::vector<std::int64_t> widths = whole_number_list("width", options.get<std::string>("width"));
  for (const std::int64_t width : widths) {
    const bool is_known =
        std::any_of(kWidthChoices.begin(), kWidthChoices.end(),
                    [&](const GeneratorChoice& choice) { return choice.value == width; });
    if (!is_known) {
      throw UsageError("--width: expected 1, 2, 4, 8 or 16, found " + std::to_string(width));
    }
  }
  return widths;
}

void add_options(CommandOptions& options) {
  const auto text = [](const char* value, const char* shown) {
    return po::value<std::string>()->default_value(value)->value_name(shown);
  };
  options.add()("chunk", text("32", "LIST"), "elements a thread walks")(
      "pad", text("0:4", "LIST"), "elements between two threads' chunks")(
      "type", text("fp32", "TYPES"), "element types (fp32, bf16, …) or their sizes in bytes")(
      "width", text("4,8,16", "LIST"), "bytes per lane of an instruction: 1, 2, 4, 8, 16")(
      "threads", text("128", "LIST"), "threads of a block")("op", text("ld", "OP"),
                                                            "ld (loads) or st (stores)");
  options.set_epilogue(std::string(kColumnsHelp));
}

}  // namespace

int sweep_command(const Arguments& arguments) {
  CommandOptions options(
      "sweep", "[options]",
      "Every thread walks its own padded chunk of shared memory: what each combination of\n"
      "chunk, pad, element type, width and threads costs, and which pad to take.\n"
      "A LIST is whole numbers and ranges, such as 16,32 or 0:32:4 (first, last, step).");
  add_options(options);
  if (!options.parse(arguments)) return kExitOk;
  const auto numbers = [&](const char* name) {
    return whole_number_list(name, options.get<std::string>(name));
  };
  std::vector<ElementType> types;
  for (const std::string& name : word_list("type", options.get<std::string>("type"))) {
    types.push_back(element_type("type", name));
  }
  const auto chunks = numbers("chunk");
  const auto pads = numbers("pad");
  const auto widths = widths_of(options);
  const auto threads = numbers("threads");
  const Operation operation = sweep_operation(options.get<std::string>("op"));
  const GpuSpec spec = options.gpu();
  Sweep sweep(spec, operation);
  for (const std::int64_t chunk : chunks) {
    for (const std::int64_t pad : pads) {
      for (const ElementType& type : types) {
        for (const std::int64_t width : widths) {
          for (const std::int64_t count : threads) sweep.add(chunk, pad, type, width, count);
        }
      }
    }
  }
  const std::array tables = {sweep.table()};
  print_tables(std::cout, tables, options.format());
  return kExitOk;
}

}  // namespace smem
