// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <optional>

#include <sim/commands/commands.hpp>
#include <sim/commands/program_run.hpp>
#include <sim/compare/accuracy_table.hpp>
#include <sim/compare/error_summary.hpp>
#include <sim/compare/profile_comparison.hpp>
#include <sim/count/counted_batches.hpp>
#include <sim/options/command_options.hpp>
#include <sim/options/trace_input.hpp>
#include <sim/options/whole_numbers.hpp>
#include <sim/output/hexadecimal.hpp>
#include <traces/formats/open_trace.hpp>
#include <traces/measurements/program_measurements.hpp>
#include <traces/text/access_list_reader.hpp>

namespace smem {
namespace po = boost::program_options;
namespace {

/// What a comparison came to: a row per measurement, worst first on demand, and the summaries.
struct Comparison {
  std::vector<std::string> columns;
  struct Row {
    double error_percent;
    std::vector<Cell> cells;
  };
  std::vector<Row> rows;
  std::vector<ErrorSummary> summaries;
};

/// What the measurements say of their start clock. Without a word: those that name a warp stride
/// were taken by the kernel that reads it behind the barrier.
ClockStart start_of(const ProgramMeasurements& measurements) {
  return measurements.clock_start.value_or(measurements.has_warp_stride ? ClockStart::release
                                                                        : ClockStart::arrival);
}

Comparison compare_programs(TraceInput& file, const std::string& measured,
                            const std::optional<ClockStart>& asked_start,
                            const GpuDescription& gpu) {
  const std::vector<Program> programs = file.programs(gpu.spec);
  const ProgramMeasurements measurements = read_program_measurements(measured);
  std::map<std::uint32_t, const Program*> by_id;
  for (const Program& program : programs) by_id[program.id] = &program;
  const ClockStart start = asked_start ? *asked_start : start_of(measurements);
  Comparison comparison{{"program", "name", "warps", "warp_stride", "measured_total_cycles",
                         "total_cycles", "error_percent"},
                        {},
                        {ErrorSummary("total_cycles")}};
  for (const ProgramMeasurement& row : measurements.rows) {
    const auto found = by_id.find(row.program);
    if (found == by_id.end()) {
      throw TraceError(measured + ": expected a program of " + file.name() + ", found " +
                       std::to_string(row.program));
    }
    if (row.warps == 0 || row.warp_stride == 0 || row.warps > 64) {
      throw TraceError(measured + ": expected 1 to 64 warps, found " + std::to_string(row.warps));
    }
    const std::uint64_t predicted =
        time_program(gpu, *found->second, row.warps, row.warp_stride, start).total_cycles;
    const auto measured_cycles = static_cast<double>(row.total_cycles);
    comparison.summaries[0].add(static_cast<double>(predicted), measured_cycles);
    const double error =
        ErrorSummary::error_percent(static_cast<double>(predicted), measured_cycles);
    comparison.rows.push_back(
        {error,
         {std::uint64_t{row.program}, found->second->name, std::uint64_t{row.warps},
          std::uint64_t{row.warp_stride}, row.total_cycles, predicted, error}});
  }
  return comparison;
}

Comparison compare_accesses(TraceInput& file, const GpuSpec& spec) {
  AccessListReader reader(file.text(), spec);
  if (!reader.has_measured_columns()) {
    throw TraceError(file.name() +
                     ":1: expected a column wavefronts, bank_conflicts or cycles_per_inst to "
                     "compare with, found none");
  }
  Comparison comparison{
      {"index", "name", "measured_wavefronts", "wavefronts", "measured_bank_conflicts",
       "bank_conflicts", "measured_cycles_per_inst", "cycles_per_inst", "error_percent"},
      {},
      {ErrorSummary("wavefronts"), ErrorSummary("bank_conflicts"),
       ErrorSummary("cycles_per_inst")}};
  const BatchAnalyzer analyzer(spec);
  for (CountedBatches batches(reader, analyzer); batches.next();) {
    for (std::size_t index = 0; index < batches.records().size(); ++index) {
      const AccessCost& cost = batches.costs()[index];
      const MeasuredRow& row = reader.measured()[index];
      std::vector<Cell> cells = {batches.number(index), reader.names()[index]};
      double error = 0;
      const auto add = [&](std::size_t summary, const auto& measured, std::uint64_t predicted) {
        if (!measured) {
          cells.insert(cells.end(), {Cell{}, predicted});
          return;
        }
        const double value = static_cast<double>(*measured);
        comparison.summaries[summary].add(static_cast<double>(predicted), value);
        error = std::max(error, ErrorSummary::error_percent(static_cast<double>(predicted), value));
        cells.insert(cells.end(), {Cell{*measured}, predicted});
      };
      add(0, row.wavefronts, cost.wavefronts);
      add(1, row.bank_conflicts, cost.bank_conflicts);
      add(2, row.cycles_per_inst, cost.cycles_per_inst());
      cells.emplace_back(error);
      comparison.rows.push_back({error, std::move(cells)});
    }
  }
  std::erase_if(comparison.summaries, [](const ErrorSummary& s) { return s.rows() == 0; });
  return comparison;
}

/// A trace against a CSV output of Nsight Compute for the same launches.
Comparison compare_with_profile(TraceInput& file, const std::string& measured,
                                const GpuSpec& spec) {
  const NsightReport report = read_nsight_csv(TextSource(measured));
  const auto trace = file.records(spec);
  Comparison comparison{
      {"kernel", "launch", "pc", "metric", "measured", "predicted", "error_percent"}, {}, {}};
  std::map<std::string, std::size_t> summary_of;
  for (const ProfileRow& row : compare_profile(*trace, report, spec)) {
    const auto predicted = static_cast<double>(row.predicted);
    const auto [found, is_new] = summary_of.try_emplace(row.metric, comparison.summaries.size());
    if (is_new) comparison.summaries.emplace_back(row.metric);
    comparison.summaries[found->second].add(predicted, row.measured);
    const double error = ErrorSummary::error_percent(predicted, row.measured);
    std::vector<Cell> cells(7);
    cells[0] = row.kernel;
    if (row.launch) cells[1] = *row.launch;
    if (row.pc) cells[2] = hexadecimal(*row.pc);
    cells[3] = row.metric;
    cells[4] = row.measured;
    cells[5] = row.predicted;
    cells[6] = error;
    comparison.rows.push_back({error, std::move(cells)});
  }
  return comparison;
}

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
  if (!options.parse(arguments)) return kExitOk;
  if (!options.has("file") || options.get<std::vector<std::string>>("file").size() != 1) {
    throw UsageError("compare: expected one FILE; see smemsim compare --help");
  }
  const std::optional<double> tolerance = tolerance_percent(options);
  const std::uint64_t most_rows =
      whole_number("worst", options.has("worst") ? options.get<std::string>("worst") : "0", 0,
                   std::numeric_limits<std::uint32_t>::max());
  const std::optional<ClockStart> start = clock_start(options);
  const std::string& name = options.get<std::vector<std::string>>("file")[0];
  if (is_measurement_index(name)) {
    for (const char* option : {"measured", "clock-start", "worst", "tolerance"}) {
      if (options.has(option)) {
        throw UsageError("compare: an index of measurements takes no --" + std::string(option));
      }
    }
    const std::array table = {accuracy_table(name, options.clocked_gpu())};
    print_tables(std::cout, table, options.format());
    return kExitOk;
  }
  TraceInput file(name);
  const GpuDescription gpu = options.clocked_gpu();
  const GpuSpec& spec = gpu.spec;
  Comparison comparison;
  if (file.is_program_file()) {
    if (!options.has("measured")) throw UsageError("compare: a program file needs --measured");
    comparison = compare_programs(file, options.get<std::string>("measured"), start, gpu);
  } else if (options.has("measured")) {
    comparison = compare_with_profile(file, options.get<std::string>("measured"), spec);
  } else if (file.format() != TraceFormat::access_list) {
    throw UsageError("compare: " + file.name() +
                     " has no measurements of its own and needs --measured");
  } else {
    comparison = compare_accesses(file, spec);
  }
  if (options.has("worst")) keep_worst(comparison, most_rows);
  std::array tables = {ResultTable("rows", comparison.columns),
                       ResultTable("errors", ErrorSummary::columns())};
  for (Comparison::Row& row : comparison.rows) tables[0].add_row(std::move(row.cells));
  bool within = true;
  for (const ErrorSummary& summary : comparison.summaries) {
    tables[1].add_row(summary.cells());
    within &= !tolerance || summary.mean_percent() <= *tolerance;
  }
  print_tables(std::cout, tables, options.format());
  return within ? kExitOk : kExitFailed;
}

}  // namespace smem
