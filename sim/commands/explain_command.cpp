// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>

#include <sim/commands/commands.hpp>
#include <sim/explain/access_picture.hpp>
#include <sim/explain/index_expression.hpp>
#include <sim/options/command_options.hpp>
#include <sim/options/trace_input.hpp>
#include <sim/options/whole_numbers.hpp>
#include <traces/access_check.hpp>
#include <traces/generators/generator_parameter.hpp>
#include <traces/record_batches.hpp>

namespace smem {
namespace po = boost::program_options;
namespace {

constexpr std::uint32_t kMostOffsetBytes = std::numeric_limits<std::uint32_t>::max();

std::uint32_t parse_mask(std::string text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.erase(0, 2);
  std::uint32_t mask = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, mask, 16);
  if (error != std::errc() || stop != end) {
    throw UsageError("--mask: expected up to 8 hexadecimal digits, found '" + text + "'");
  }
  return mask;
}

void parse_addresses(const std::string& text, WarpAccess& access) {
  std::stringstream words(text);
  std::size_t count = 0;
  for (std::string word; words >> word; ++count) {
    const std::uint64_t offset_bytes = whole_number("addresses", word, 0, kMostOffsetBytes);
    if (count < kLanesPerWarp) {
      access.offsets_bytes[count] = static_cast<std::uint32_t>(offset_bytes);
    }
  }
  if (count != kLanesPerWarp) {
    throw UsageError("--addresses: expected 32 byte offsets, found " + std::to_string(count));
  }
}

void evaluate_addresses(const std::string& expression, WarpAccess& access) {
  try {
    for_each_lane(addressing_lanes(access), [&](unsigned lane) {
      const std::int64_t offset_bytes = evaluate_index(expression, lane);
      if (offset_bytes < 0 || offset_bytes > std::int64_t{kMostOffsetBytes}) {
        throw InputError("--index: expected byte offsets from 0 to 4294967295, found " +
                         std::to_string(offset_bytes) + " in lane " + std::to_string(lane));
      }
      access.offsets_bytes[lane] = static_cast<std::uint32_t>(offset_bytes);
    });
  } catch (const IndexValueError& error) {
    throw InputError(std::string("--index: ") + error.what());
  } catch (const IndexExpressionError& error) {
    throw UsageError(std::string("--index: ") + error.what());
  }
}

WarpAccess access_of_options(const CommandOptions& options, const GpuSpec& spec) {
  const std::string& name = options.get<std::string>("op");
  const std::optional<OperationName> operation = find_operation(name);
  if (!operation || operation->operation == Operation::barrier) {
    throw UsageError("--op: expected an operation such as ld, st or ldmatrix.x4, found '" + name +
                     "'");
  }
  WarpAccess access;
  access.operation = operation->operation;
  access.bytes_per_lane = operation->bytes != 0 ? operation->bytes : std::uint8_t{4};
  if (options.has("bytes")) {
    const std::string& bytes = options.get<std::string>("bytes");
    const auto width =
        std::find_if(kWidthChoices.begin(), kWidthChoices.end(),
                     [&](const GeneratorChoice& choice) { return choice.name == bytes; });
    if (width == kWidthChoices.end() ||
        (operation->bytes != 0 && width->value != operation->bytes)) {
      throw UsageError("--bytes: expected " +
                       (operation->bytes != 0 ? std::to_string(operation->bytes) + " for " + name
                                              : std::string("1, 2, 4, 8 or 16")) +
                       ", found '" + bytes + "'");
    }
    access.bytes_per_lane = static_cast<std::uint8_t>(width->value);
  }
  access.active_mask = parse_mask(options.get<std::string>("mask"));
  if (options.has("addresses")) {
    parse_addresses(options.get<std::string>("addresses"), access);
  } else {
    evaluate_addresses(options.get<std::string>("index"), access);
  }
  if (const auto error = access_error(spec, access)) throw InputError("explain: " + *error);
  return access;
}

WarpAccess access_of_trace(const std::string& name, std::uint64_t wanted, const GpuSpec& spec) {
  const std::unique_ptr<TraceReader> trace = open_input(name, spec);
  RecordBatches batches(*trace);
  while (batches.next()) {
    if (wanted >= batches.number(batches.records().size())) continue;
    const WarpAccess& access = batches.records()[wanted - batches.number(0)].access;
    if (traits(access.operation).rule_kind != RuleKind::none) return access;
    throw InputError("--record: expected a memory access, found a barrier");
  }
  throw InputError("--record: expected a number below the " + std::to_string(batches.number(0)) +
                   " records of " + name + ", found " + std::to_string(wanted));
}

std::string mask_text(std::uint32_t mask) {
  std::array<char, 9> digits{};
  std::snprintf(digits.data(), digits.size(), "%08x", mask);
  return digits.data();
}

std::string yes_or_no(bool value) {
  return value ? "yes" : "no";
}

ResultTable access_table(const AccessExplanation& explanation) {
  ResultTable table(
      "access", {"op", "bytes", "mask", "wavefronts", "ideal", "bank_conflicts", "transfer_cycles",
                 "cycles_per_inst", "groups", "merged", "packed_wavefronts"});
  const WarpAccess& access = explanation.access;
  const AccessCost& cost = explanation.cost;
  table.add_row({std::string(operation_name(access.operation, access.bytes_per_lane)),
                 std::uint64_t{access.bytes_per_lane}, mask_text(access.active_mask),
                 std::uint64_t{cost.wavefronts}, std::uint64_t{cost.ideal},
                 std::uint64_t{cost.bank_conflicts}, std::uint64_t{cost.transfer_cycles},
                 std::uint64_t{cost.cycles_per_inst()}, std::uint64_t{cost.groups},
                 yes_or_no(cost.merged), std::uint64_t{explanation.packed_wavefronts}});
  return table;
}

ResultTable partner_table(const AccessExplanation& explanation) {
  ResultTable table("merging", {"lanes", "partner_distance", "agrees", "lane", "partner_lane"});
  for (const PartnerVerdict& verdict : explanation.partners) {
    const auto failing = [&](unsigned lane) {
      return verdict.agrees ? Cell() : Cell(std::uint64_t{lane});
    };
    table.add_row({mask_text(verdict.lanes), std::uint64_t{verdict.distance},
                   yes_or_no(verdict.agrees), failing(verdict.lane), failing(verdict.partner)});
  }
  return table;
}

ResultTable group_table(const AccessExplanation& explanation) {
  ResultTable table("groups", {"group", "lanes", "wavefronts", "tallest_bank", "turns", "words"});
  for (std::size_t index = 0; index < explanation.groups.size(); ++index) {
    const ExplainedGroup& group = explanation.groups[index];
    table.add_row({std::uint64_t{index}, mask_text(group.collisions.lanes),
                   std::uint64_t{group.wavefronts}, std::uint64_t{group.collisions.tallest_bank},
                   std::uint64_t{group.collisions.turns},
                   std::uint64_t{group.collisions.word_count}});
  }
  return table;
}

ResultTable word_table(const AccessExplanation& explanation) {
  ResultTable table("words", {"group", "wavefront", "bank", "word", "offset_bytes", "lanes"});
  for (std::size_t index = 0; index < explanation.groups.size(); ++index) {
    const ExplainedGroup& group = explanation.groups[index];
    for (const ServedWord& served : group.collisions.served()) {
      const unsigned wavefront =
          group.first_wavefront + served.turn * explanation.rule.wavefront_factor;
      table.add_row({std::uint64_t{index}, std::uint64_t{wavefront}, std::uint64_t{served.bank},
                     std::uint64_t{served.word},
                     std::uint64_t{served.word} << explanation.bank_map.word_bytes_log2,
                     mask_text(served.lanes)});
    }
  }
  return table;
}

ResultTable contested_table(const AccessExplanation& explanation) {
  ResultTable table("lost_writes", {"offset_bytes", "winner_lane", "lost_lanes"});
  for (const ContestedBytes& contested : explanation.contested) {
    table.add_row({std::uint64_t{contested.offset_bytes}, std::uint64_t{contested.winner_lane},
                   mask_text(contested.lost_lanes)});
  }
  return table;
}

/// A trace has records; the others describe one access.
void refuse_options_of_the_other_source(const CommandOptions& options) {
  const bool is_trace = options.has("trace");
  for (const char* option : {"op", "bytes", "mask"}) {
    if (is_trace && options.given(option)) {
      throw UsageError(std::string("--") + option +
                       ": expected --addresses or --index, found TRACE");
    }
  }
  if (!is_trace && options.given("record"))
    throw UsageError("--record: expected TRACE, found none");
}

void add_options(CommandOptions& options) {
  options.add()("trace", po::value<std::string>()->value_name("TRACE"),
                "take the access from a trace (the word without dashes)")(
      "record", po::value<std::string>()->default_value("0")->value_name("N"),
      "which record of the trace, from 0 as run --per-access numbers them")(
      "op", po::value<std::string>()->default_value("ld")->value_name("OP"),
      "ld, st, ldmatrix.x1|x2|x4[.trans], stmatrix.…, red.add.u32, atom.add.u32, …")(
      "bytes", po::value<std::string>()->value_name("N"),
      "bytes a lane: 1, 2, 4, 8 or 16 (ld, st)")(
      "mask", po::value<std::string>()->default_value("ffffffff")->value_name("HEX"),
      "active lanes")("addresses", po::value<std::string>()->value_name("LIST"),
                      "32 byte offsets separated by spaces")(
      "index", po::value<std::string>()->value_name("EXPRESSION"),
      "byte offset of each lane: numbers, lane, + - * / % << >> & ^ | ( )");
  options.take_words_as("trace");
  options.set_epilogue(
      "Examples:\n"
      "  smemsim explain --index \"lane * 33 * 4\"\n"
      "  smemsim explain --op st --bytes 16 --index \"lane % 8 * 144 + lane / 8 * 16\"\n"
      "  smemsim explain traces/samples/published_cases.csv --record 3\n");
}

}  // namespace

int explain_command(const Arguments& arguments) {
  CommandOptions options("explain", "[TRACE --record N] [options]",
                         "Draws one access: lanes on banks, which words collide, why its groups\n"
                         "merged or not, and which lanes' writes are lost.");
  add_options(options);
  if (!options.parse(arguments)) return kExitOk;
  const int sources = (options.has("trace") ? 1 : 0) + (options.has("addresses") ? 1 : 0) +
                      (options.has("index") ? 1 : 0);
  if (sources != 1) {
    throw UsageError("explain: expected one of TRACE, --addresses and --index, found " +
                     std::to_string(sources));
  }
  refuse_options_of_the_other_source(options);
  const std::uint64_t record = whole_number("record", options.get<std::string>("record"), 0,
                                            std::numeric_limits<std::int64_t>::max());
  const GpuSpec spec = options.gpu();
  const WarpAccess access = options.has("trace")
                                ? access_of_trace(options.get<std::string>("trace"), record, spec)
                                : access_of_options(options, spec);
  const AccessExplanation explanation = explain_access(spec, access);
  if (options.format() == OutputFormat::table) {
    draw_access(std::cout, explanation, std::string(spec.name_view()));
    return kExitOk;
  }
  const std::array tables = {access_table(explanation), partner_table(explanation),
                             group_table(explanation), word_table(explanation),
                             contested_table(explanation)};
  print_tables(std::cout, tables, options.format());
  return kExitOk;
}

}  // namespace smem
