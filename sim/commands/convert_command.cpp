// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <iostream>
#include <string_view>
#include <vector>

#include <sim/commands/commands.hpp>
#include <sim/options/command_options.hpp>
#include <sim/options/named_choice.hpp>
#include <sim/options/skipped_parts.hpp>
#include <sim/options/trace_input.hpp>
#include <sim/options/whole_numbers.hpp>
#include <sim/output/output_file.hpp>
#include <traces/record_batches.hpp>
#include <traces/smt/smt_writer.hpp>
#include <traces/text/access_list_writer.hpp>

namespace smem {
namespace po = boost::program_options;
namespace {

constexpr std::uint64_t kMostGzip = 9;  // compression levels
constexpr std::uint64_t kMostZstd = 22;

template <class Writer>
void copy_records(TraceReader& trace, Writer& writer) {
  for (RecordBatches batches(trace); batches.next();) {
    writer.update(trace.info());
    writer.write(batches.records());
  }
  writer.update(trace.info());
  writer.finish();
}

void write_smt(TraceReader& trace, std::ostream& out, Compression, int level) {
  const auto sink = sink_into(out, Compression::none);  // its frames are compressed already
  SmtWriter writer([&](std::span<const char> bytes) { sink->write(bytes); },
                   {.compression_level = level});
  copy_records(trace, writer);
  sink->finish();
}

void write_access_list(TraceReader& trace, std::ostream& out, Compression compression, int level) {
  const auto sink = sink_into(out, compression, level);
  AccessListWriter writer(*sink);
  copy_records(trace, writer);
}

/// What can be written.
struct TargetFormat {
  std::string_view name;                    // of --to
  std::array<std::string_view, 3> endings;  // of output names that mean it; empty: no further one
  void (*write)(TraceReader&, std::ostream&, Compression, int level);
};

constexpr std::array kTargetFormats = {
    TargetFormat{"smt", {".smt"}, write_smt},
    TargetFormat{"csv", {".csv", ".csv.gz", ".csv.zst"}, write_access_list},
};

/// The format of --to, else the one that the output's name ends in. Throws UsageError.
const TargetFormat& target_format(const CommandOptions& options, std::string_view output) {
  if (options.has("to")) return choose("to", options.get<std::string>("to"), kTargetFormats);
  for (const TargetFormat& format : kTargetFormats) {
    for (const std::string_view ending : format.endings) {
      if (!ending.empty() && output.ends_with(ending)) return format;
    }
  }
  throw UsageError(
      "convert: expected an output that ends in .smt, .csv, .csv.gz or .csv.zst, or "
      "--to smt|csv, found '" +
      std::string(output) + "'");
}

}  // namespace

int convert_command(const Arguments& arguments) {
  CommandOptions options(
      "convert", "TRACE OUTPUT [options]",
      "Writes a trace of any readable format as .smt, or as an access list (.csv,\n"
      ".csv.gz, .csv.zst), without loss. OUTPUT - is standard output.");
  options.add()("trace", po::value<std::vector<std::string>>()->value_name("TRACE"),
                "what to convert, and the output (the words without dashes)")(
      "to", po::value<std::string>()->value_name("FORMAT"),
      "smt or csv, whatever the output's name")(
      "level", po::value<std::string>()->default_value("3")->value_name("N"),
      "compression level, 1 to 22 (gzip: to 9)")("skip-damaged",
                                                 "go on behind damage, and say what was lost");
  options.take_words_as("trace");
  if (!options.parse(arguments)) return kExitOk;
  if (!options.has("trace") || options.get<std::vector<std::string>>("trace").size() != 2) {
    throw UsageError("convert: expected a TRACE and an OUTPUT; see smemsim convert --help");
  }
  const std::string input = options.get<std::vector<std::string>>("trace")[0];
  const std::string output = options.get<std::vector<std::string>>("trace")[1];
  const Compression compression = compression_of(output);
  const int level =
      static_cast<int>(whole_number("level", options.get<std::string>("level"), 1,
                                    compression == Compression::gzip ? kMostGzip : kMostZstd));
  const TargetFormat& format = target_format(options, output);
  const auto trace =
      open_input(input, options.gpu(), {.skip_damaged = options.has("skip-damaged")});
  check_outputs(std::array{output}, std::array{input});
  OutputFile file(output);
  format.write(*trace, file.stream(), compression, level);
  file.finish();
  tell_skipped(std::cerr, input, trace->skipped());
  return kExitOk;
}

}  // namespace smem
