// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include <sim/clock/clock_report.hpp>
#include <sim/clock/clock_views.hpp>
#include <sim/clock/trace_blocks.hpp>
#include <sim/commands/commands.hpp>
#include <sim/commands/program_run.hpp>
#include <sim/count/smt_replay.hpp>
#include <sim/count/tally_report.hpp>
#include <sim/count/trace_counter.hpp>
#include <sim/options/command_options.hpp>
#include <sim/options/trace_input.hpp>
#include <sim/options/whole_numbers.hpp>
#include <sim/output/output_file.hpp>
#include <traces/generators/generator_spec.hpp>

namespace smem {
namespace po = boost::program_options;
namespace {

ReportBy report_by(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, ReportBy>, 7> kNames = {
      {{"operation", ReportBy::operation},
       {"pc", ReportBy::pc},
       {"warp", ReportBy::warp},
       {"block", ReportBy::block},
       {"kernel", ReportBy::kernel},
       {"launch", ReportBy::launch},
       {"array", ReportBy::array}}};
  for (const auto& [known, by] : kNames) {
    if (known == name) return by;
  }
  throw UsageError("--by: expected operation, pc, warp, block, kernel, launch or array, found '" +
                   name + "'");
}

void print_cost(std::ostream& out, std::uint64_t index, const AccessCost& cost) {
  out << index << ',' << cost.wavefronts << ',' << cost.ideal << ',' << cost.bank_conflicts << ','
      << cost.cycles_per_inst();
}

/// What `run` was asked for.
struct RunRequest {
  GpuDescription gpu;
  std::vector<TraceInput> traces;
  ReadOptions read_options;
  ReportBy by = ReportBy::operation;
  std::vector<std::string> tables;  ///< of accesses, cycles, stalls, warps
  OutputFormat format = OutputFormat::table;
  unsigned threads = 1;
  ClockViews views;

  bool wants(std::string_view table) const {
    return std::find(tables.begin(), tables.end(), table) != tables.end();
  }
};

void warn_of_skipped(const std::string& trace, const TraceReader& reader) {
  const SkippedParts skipped = reader.skipped();
  if (skipped.places != 0) {
    std::cerr << "smemsim: " << trace << ": skipped " << skipped.places << " damaged places with "
              << skipped.records << " known records\n";
  }
  if (skipped.descriptor_copies != 0) {
    std::cerr << "smemsim: " << trace << ": left out " << skipped.descriptor_copies
              << " bulk copies, which have no lane addresses\n";
  }
}

void run_fast(RunRequest& request, TallyReport& report, std::ostream* per_access) {
  const TraceCounter counter(request.gpu.spec, request.threads);
  std::uint64_t index = 0;
  for (TraceInput& input : request.traces) {
    const std::unique_ptr<TraceReader> trace =
        input.records(request.gpu.spec, request.read_options);
    report.begin_trace(trace->info());
    if (per_access == nullptr) {
      counter.count(*trace, input.name(), request.by, report);
    } else {
      counter.count_records(*trace, report, [&](const AccessCost& cost) {
        print_cost(*per_access, index++, cost);
        *per_access << '\n';
      });
    }
    warn_of_skipped(input.name(), *trace);
  }
}

/// One trace through the clock; appends its cycles, stalls and warps to `tables`.
void run_clocked(const RunRequest& request, TraceInput& input, TallyReport& report,
                 std::ostream* per_access, std::uint64_t& index, std::vector<ResultTable>& tables) {
  if (input.is_program_file()) {
    throw UsageError("run: expected traces, as the first is one, found the program file " +
                     input.name());
  }
  const std::unique_ptr<TraceReader> trace = input.records(request.gpu.spec, request.read_options);
  report.begin_trace(trace->info());
  std::vector<AccessCost> costs;
  TraceBlocks blocks(
      *trace, request.gpu.spec,
      [&](const TraceRecord& record, const AccessCost& cost) {
        report.add(trace->info(), place_of(record), cost);
        if (per_access != nullptr) costs.push_back(cost);
      },
      request.views.any());
  ClockReport clock(request.gpu.timing, per_access != nullptr, request.wants("warps"));
  const clock::SimulationResult result =
      request.views.any() ? simulate_with_views(request.views, request.gpu, input.name(),
                                                trace->info(), blocks, clock)
                          : clock::simulate(request.gpu.timing, blocks, &clock);
  warn_of_skipped(input.name(), *trace);
  for (std::size_t record = 0; record < costs.size(); ++record) {
    print_cost(*per_access, index++, costs[record]);
    const clock::AccessStamps stamps =
        record < clock.stamps().size() ? clock.stamps()[record] : clock::AccessStamps{};
    for (const clock::StampField& field : clock::kStampFields) {
      if (!field.is_printed) continue;
      *per_access << ',';
      if (stamps.any()) *per_access << stamps.*field.member - result.start_cycle;
    }
    *per_access << '\n';
  }
  if (request.wants("cycles")) tables.push_back(clock.kernel_table(trace->info()));
  if (request.wants("stalls")) tables.push_back(clock.stall_table(trace->info(), blocks.sites()));
  if (request.wants("warps")) {
    tables.push_back(clock.warp_table(trace->info(), result.start_cycle));
  }
}

std::vector<std::string> table_names(const CommandOptions& options) {
  if (!options.has("show")) {
    return options.format() == OutputFormat::csv
               ? std::vector<std::string>{"accesses"}
               : std::vector<std::string>{"accesses", "cycles", "stalls"};
  }
  std::vector<std::string> names;
  std::string rest = options.get<std::string>("show") + ",";
  for (std::size_t comma = rest.find(','); comma != std::string::npos; comma = rest.find(',')) {
    const std::string name = rest.substr(0, comma);
    if (name != "accesses" && name != "cycles" && name != "stalls" && name != "warps") {
      throw UsageError("--show: expected accesses, cycles, stalls or warps, found '" + name + "'");
    }
    if (name != "accesses" && options.has("fast")) {
      throw UsageError("--show: expected the clock for " + name + ", found --fast");
    }
    names.push_back(name);
    rest.erase(0, comma + 1);
  }
  return names;
}

void check_outputs(const CommandOptions& options, const RunRequest& request) {
  std::vector<std::string> outputs = {request.views.vcd_file, request.views.timeline_file,
                                      request.views.memory_file};
  if (options.has("per-access")) outputs.push_back(options.get<std::string>("per-access"));
  std::vector<std::string> inputs;
  for (const TraceInput& trace : request.traces) inputs.push_back(trace.name());
  smem::check_outputs(outputs, inputs);
}

int run_traces(const CommandOptions& options, RunRequest request) {
  const bool fast = options.has("fast");
  if (!fast && !request.gpu.timing.known()) {
    throw std::runtime_error(std::string(request.gpu.spec.name_view()) +
                             " has no `timing` in its file, so nothing is known of its clock; "
                             "--fast counts wavefronts and conflicts");
  }
  TallyReport report(request.by);
  check_outputs(options, request);
  std::optional<OutputFile> file;
  if (options.has("per-access")) {
    file.emplace(options.get<std::string>("per-access"));
    file->stream() << "index,wavefronts,ideal,bank_conflicts,cycles_per_inst";
    for (const clock::StampField& field : clock::kStampFields) {
      if (!fast && field.is_printed) file->stream() << ',' << field.name;
    }
    file->stream() << '\n';
  }
  std::ostream* per_access = file ? &file->stream() : nullptr;
  std::vector<ResultTable> tables;
  if (fast) {
    run_fast(request, report, per_access);
  } else {
    std::uint64_t index = 0;
    for (TraceInput& input : request.traces) {
      run_clocked(request, input, report, per_access, index, tables);
    }
  }
  if (request.wants("accesses")) tables.insert(tables.begin(), report.table());
  if (file) file->finish();
  print_tables(std::cout, tables, request.format);
  return kExitOk;
}

/// The files asked for by --vcd, --timeline and --memory.
ClockViews clock_views(const CommandOptions& options, std::size_t traces, bool has_programs) {
  ClockViews views;
  constexpr std::array<std::pair<const char*, std::string ClockViews::*>, 3> kFiles = {
      {{"vcd", &ClockViews::vcd_file},
       {"timeline", &ClockViews::timeline_file},
       {"memory", &ClockViews::memory_file}}};
  for (const auto& [option, file] : kFiles) {
    if (!options.has(option)) continue;
    const std::string name = std::string("--") + option;
    if (options.has("fast")) throw UsageError(name + ": expected the clock, found --fast");
    if (has_programs) throw UsageError(name + ": expected a trace, found a program file");
    if (traces != 1) {
      throw UsageError(name + ": expected one TRACE, found " + std::to_string(traces));
    }
    views.*file = options.get<std::string>(option);
  }
  return views;
}

unsigned thread_count(const CommandOptions& options) {
  constexpr unsigned kMostByDefault = 8;
  if (!options.has("threads")) {
    return std::clamp(std::thread::hardware_concurrency(), 1u, kMostByDefault);
  }
  return static_cast<unsigned>(
      whole_number("threads", options.get<std::string>("threads"), 1, SmtReplay::kMostThreads));
}

void declare_options(CommandOptions& options) {
  options.add()("trace", po::value<std::vector<std::string>>()->value_name("TRACE"),
                "what to replay (the words without dashes)")(
      "fast", "wavefronts and conflicts only, without the clock")(
      "by", po::value<std::string>()->default_value("operation")->value_name("ROWS"),
      "add the accesses up by operation, pc, warp, block, kernel, launch or array (program files: "
      "with --fast)")(
      "show", po::value<std::string>()->value_name("TABLES"),
      "print some of accesses, cycles (per kernel), stalls (per pc) and warps, separated by "
      "commas; "
      "by default the first three, in CSV the first")(
      "per-access", po::value<std::string>()->value_name("FILE.csv"),
      "write one line per record: index,wavefronts,ideal,bank_conflicts,cycles_per_inst, and with "
      "the clock the cycles in which it passed each stage")(
      "vcd", po::value<std::string>()->value_name("FILE.vcd"),
      "write queue depths, the wavefronts in service, busy banks and the return path as a value "
      "change dump (GTKWave); 1 cycle = 1 ns")(
      "timeline", po::value<std::string>()->value_name("FILE.json"),
      "write what every warp waited for, the data stage and the return path as Chrome trace events "
      "(Perfetto); 1 cycle = 1 us")(
      "memory", po::value<std::string>()->value_name("FILE.csv"),
      "write what stores that carry values left in shared memory, a line per word: "
      "kernel,block,address,bytes (kernels counted from 0; lowest byte first, .. = unknown)")(
      "threads", po::value<std::string>()->value_name("N"),
      "with --fast, count .smt files with so many threads (default: one a processor core, at most "
      "8); no result depends on it")(
      "skip-damaged", "go on behind damage in a trace, and say how much was skipped")(
      "warps", po::value<std::string>()->value_name("N,…"),
      "program files: how many warps run the program, a simulation for each number")(
      "warp-stride", po::value<std::string>()->value_name("N"),
      "program files: warps 0, N, 2N, … run")(
      "clock-start", po::value<std::string>()->value_name("WHERE"),
      "program files: where a warp's start clock is read: on its arrival at the barrier before the "
      "program, at that barrier's release, or there with the data of stores made before "
      "(release-data-ready); by default arrival, or release with --warp-stride");
  options.take_words_as("trace");
  options.set_epilogue(generator_help());
}

}  // namespace

int run_command(const Arguments& arguments) {
  CommandOptions options(
      "run", "TRACE… [options]",
      "Replays traces on one SM: what every access costs in wavefronts and bank conflicts, and,\n"
      "without --fast, in cycles. A TRACE is a file of any readable format (- is standard input),\n"
      "or a generated pattern NAME:KEY=VALUE,… as listed below. Program files give\n"
      "program,warps,total_cycles, as the measuring kernel would report them.");
  declare_options(options);
  if (!options.parse(arguments)) return kExitOk;
  if (!options.has("trace")) throw UsageError("run: expected a TRACE; see smemsim run --help");
  RunRequest request;
  request.gpu = options.clocked_gpu();
  for (const std::string& name : options.get<std::vector<std::string>>("trace")) {
    request.traces.emplace_back(name);
  }
  request.read_options.skip_damaged = options.has("skip-damaged");
  request.by = report_by(options.get<std::string>("by"));
  request.tables = table_names(options);
  request.format = options.format();
  request.threads = thread_count(options);
  clock_start(options);
  const bool has_programs = request.traces[0].is_program_file();
  request.views = clock_views(options, request.traces.size(), has_programs);
  for (const char* option : {"warps", "warp-stride", "clock-start"}) {
    if (options.has(option) && (!has_programs || options.has("fast"))) {
      throw UsageError(std::string("--") + option + ": expected a program file and the clock");
    }
  }
  if (has_programs && !options.has("fast")) {
    for (const char* option : {"by", "show", "per-access"}) {
      if (!options.given(option)) continue;
      throw UsageError(std::string("--") + option +
                       ": expected a trace, or --fast, found a program file and the clock");
    }
    return run_programs(options, request.traces);
  }
  return run_traces(options, std::move(request));
}

}  // namespace smem
