// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <sim/commands/commands.hpp>
#include <sim/commands/program_run.hpp>
#include <sim/compare/accuracy_table.hpp>
#include <sim/compare/comparison.hpp>
#include <sim/config/gpu_description.hpp>
#include <sim/options/command_options.hpp>
#include <sim/options/trace_input.hpp>
#include <sim/options/whole_numbers.hpp>
#include <traces/formats/open_trace.hpp>
#include <traces/measurements/measurement_index.hpp>
#include <traces/measurements/nsight_csv.hpp>
#include <traces/text/access_list_reader.hpp>

namespace smem {
namespace po = boost::program_options;
namespace {

std::optional<double> tolerance_percent(const CommandOptions& options) {
  if (!options.has("tolerance")) return std::nullopt;
  const auto tolerance = options.get<double>("tolerance");
  if (std::isnan(tolerance)) throw UsageError("--tolerance: expected a percentage, found nan");
  if (tolerance < 0) throw InputError("--tolerance: expected a percentage of at least 0");
  return tolerance;
}

void keep_worst(Comparison& comparison, std::size_t count) {
  std::stable_sort(comparison.rows.begin(), comparison.rows.end(),
                   [](const auto& a, const auto& b) { return a.error_percent > b.error_percent; });
  if (comparison.rows.size() > count) comparison.rows.resize(count);
}

/// What the command line asks for.
struct CompareRequest {
  const CommandOptions& options;
  TraceInput& file;
  GpuDescription gpu;
  std::optional<ClockStart> start;
  std::optional<double> tolerance;
  std::uint64_t worst_rows = 0;  ///< of --worst

  [[nodiscard]] bool has_measured() const { return options.has("measured"); }
  [[nodiscard]] const std::string& measured() const { return options.get<std::string>("measured"); }
};

int print_comparison(Comparison comparison, const CompareRequest& request) {
  if (request.options.has("worst")) keep_worst(comparison, request.worst_rows);
  std::array tables = {ResultTable("rows", comparison.columns),
                       ResultTable("errors", ErrorSummary::columns())};
  for (Comparison::Row& row : comparison.rows) tables[0].add_row(std::move(row.cells));
  bool within = true;
  for (const ErrorSummary& summary : comparison.summaries) {
    tables[1].add_row(summary.cells());
    within &= !request.tolerance || summary.mean_percent() <= *request.tolerance;
  }
  print_tables(std::cout, tables, request.options.format());
  return within ? kExitOk : kExitFailed;
}

int run_index(CompareRequest& request) {
  const std::array table = {accuracy_table(request.file.name(), request.gpu)};
  print_tables(std::cout, table, request.options.format());
  return kExitOk;
}

int run_program_file(CompareRequest& request) {
  if (!request.has_measured()) throw UsageError("compare: a program file needs --measured");
  const std::string& file = request.file.name();
  const NamedPrograms programs{file, request.file.programs(request.gpu.spec),
                               load_measuring_kernel(find_measuring_kernel(file))};
  return print_comparison(
      compare_programs(predict_programs(programs, request.measured(), request.start, request.gpu)),
      request);
}

/// A trace against a CSV output of Nsight Compute for the same launches.
int run_profile(CompareRequest& request) {
  const NsightReport report = read_nsight_csv(TextSource(request.measured()));
  const auto trace = request.file.records(request.gpu.spec);
  return print_comparison(compare_counters(compare_profile(*trace, report, request.gpu.spec)),
                          request);
}

int run_accesses(CompareRequest& request) {
  if (request.file.format() != kAccessListFormat) {
    throw UsageError("compare: " + request.file.name() +
                     " has no measurements of its own and needs --measured");
  }
  AccessListReader list(request.file.text(), request.gpu.spec);
  return print_comparison(compare_accesses(list, request.file.name(), request.gpu.spec), request);
}

/// What can be compared. The first row that fits is taken; the last fits all.
struct CompareKind {
  std::string_view name;  // with its article, as messages say it
  bool (*fits)(CompareRequest&);
  bool takes_measured;
  bool takes_clock_start;
  bool takes_worst_and_tolerance;
  int (*run)(CompareRequest&);  // the exit code
};

constexpr std::array kCompareKinds = {
    CompareKind{"an index of measurements",
                [](CompareRequest& request) { return is_measurement_index(request.file.name()); },
                false, false, false, run_index},
    CompareKind{"a program file",
                [](CompareRequest& request) { return request.file.is_program_file(); }, true, true,
                true, run_program_file},
    CompareKind{"a trace with a profile",
                [](CompareRequest& request) { return request.has_measured(); }, true, false, true,
                run_profile},
    CompareKind{"a trace without --measured", [](CompareRequest&) { return true; }, false, false,
                true, run_accesses},
};

int run_kind(CompareRequest& request) {
  const CompareKind& kind =
      *std::find_if(kCompareKinds.begin(), kCompareKinds.end() - 1,
                    [&](const CompareKind& candidate) { return candidate.fits(request); });
  const std::array<std::pair<const char*, bool>, 4> options = {
      {{"measured", kind.takes_measured},
       {"clock-start", kind.takes_clock_start},
       {"worst", kind.takes_worst_and_tolerance},
       {"tolerance", kind.takes_worst_and_tolerance}}};
  for (const auto& [option, is_taken] : options) {
    if (!is_taken && request.options.has(option)) {
      throw UsageError("compare: " + std::string(kind.name) + " takes no --" + option);
    }
  }
  return kind.run(request);
}

void declare_options(CommandOptions& options) {
  options.add()("file", po::value<std::vector<std::string>>()->value_name("FILE"),
                "what to compare (the word without dashes)")(
      "measured", po::value<std::string>()->value_name("FILE.csv"),
      "measured program timings (program,warps,total_cycles and perhaps warp_stride), or the "
      "CSV output of Nsight Compute")(
      "clock-start", po::value<std::string>()->value_name("WHERE"),
      "where the measuring kernel read its start clock: on arrival at the barrier, at its release, "
      "or there with the data of stores made before (release-data-ready); by default what a column "
      "clock_start says, or release when the measurements name a warp_stride")(
      "worst", po::value<std::string>()->value_name("N"),
      "print only the N rows that deviate most")(
      "tolerance", po::value<double>()->value_name("PERCENT"),
      "exit 1 when the mean absolute error of a quantity is larger");
  options.take_words_as("file");
}

}  // namespace

int compare_command(const Arguments& arguments) {
  CommandOptions options(
      "compare", "FILE [--measured FILE.csv] [options]",
      "Prediction against measurement: per row, then a summary of the errors. FILE is an access\n"
      "list with measured columns (wavefronts, bank_conflicts, cycles_per_inst), or a program "
      "file\n"
      "whose measured total_cycles --measured gives, or any trace with Nsight Compute's CSV for\n"
      "the same launches (raw, details or source page) as --measured, or an index of measured\n"
      "files (traces/measured/h200/index.csv): a row for each quantity predicted there.");
  declare_options(options);
  if (!options.parse(arguments)) return kExitOk;
  if (!options.has("file") || options.get<std::vector<std::string>>("file").size() != 1) {
    throw UsageError("compare: expected one FILE; see smemsim compare --help");
  }
  const std::optional<double> tolerance = tolerance_percent(options);
  const std::uint64_t worst_rows =
      whole_number("worst", options.has("worst") ? options.get<std::string>("worst") : "0", 0,
                   std::numeric_limits<std::uint32_t>::max());
  const std::optional<ClockStart> start = clock_start(options);
  TraceInput file(options.get<std::vector<std::string>>("file")[0]);
  CompareRequest request{options, file, options.clocked_gpu(), start, tolerance, worst_rows};
  return run_kind(request);
}

}  // namespace smem
