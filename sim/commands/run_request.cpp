// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <thread>

#include <sim/commands/program_run.hpp>
#include <sim/commands/run_request.hpp>
#include <sim/count/smt_replay.hpp>
#include <sim/options/named_choice.hpp>
#include <sim/options/whole_numbers.hpp>
#include <traces/formats/open_trace.hpp>
#include <traces/generators/generator_spec.hpp>

namespace smem {
namespace po = boost::program_options;
namespace {

std::vector<std::string> table_names(const CommandOptions& options) {
  std::vector<std::string> names;
  if (!options.has("show")) {
    for (const ShownTable& table : kShownTables) {
      const bool shown = options.format() == OutputFormat::csv ? table.in_csv : table.by_default;
      if (shown) names.emplace_back(table.name);
    }
    return names;
  }
  std::string rest = options.get<std::string>("show") + ",";
  for (std::size_t comma = rest.find(','); comma != std::string::npos; comma = rest.find(',')) {
    const ShownTable& table = choose("show", rest.substr(0, comma), kShownTables);
    if (table.name != "accesses" && options.has("fast")) {
      throw UsageError("--show: expected the clock for " + std::string(table.name) +
                       ", found --fast");
    }
    names.emplace_back(table.name);
    rest.erase(0, comma + 1);
  }
  return names;
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

/// Program files and traces have options of their own.
void refuse_options_of_the_other_input(const CommandOptions& options, const RunRequest& request) {
  for (const char* option : {"warps", "warp-stride", "clock-start"}) {
    if (options.has(option) && (!request.has_programs || request.fast)) {
      throw UsageError(std::string("--") + option + ": expected a program file and the clock");
    }
  }
  if (request.has_programs && !request.fast) {
    for (const char* option : {"by", "show", "per-access"}) {
      if (!options.given(option)) continue;
      throw UsageError(std::string("--") + option +
                       ": expected a trace, or --fast, found a program file and the clock");
    }
  }
}

}  // namespace

void declare_run_options(CommandOptions& options) {
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
      "counters", po::value<std::string>()->default_value("hardware")->value_name("WHOSE"),
      "count wavefronts as the hardware's counters do, or as the profiler's software does for its "
      "source page and sm__sass counters (profiler), whose bank_conflicts are the excessive ones")(
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
      "skip-damaged", "go on behind damage in a trace, and say how much was skipped");
  declare_program_options(options.add_hidden());  // of program files; `time` explains them
  options.take_words_as("trace");
  options.set_epilogue(format_help() + "\n" + generator_help());
}

RunRequest read_run_request(const CommandOptions& options) {
  RunRequest request;
  request.gpu = options.clocked_gpu();
  for (const std::string& name : options.get<std::vector<std::string>>("trace")) {
    request.traces.emplace_back(name);
  }
  request.read_options.skip_damaged = options.has("skip-damaged");
  request.by = choose("by", options.get<std::string>("by"), kReportKinds).by;
  request.tables = table_names(options);
  request.format = options.format();
  request.fast = options.has("fast");
  if (options.has("per-access")) request.per_access_file = options.get<std::string>("per-access");
  request.threads = thread_count(options);
  request.counters = choose("counters", options.get<std::string>("counters"), kCounterViews).view;
  (void)clock_start(options);
  request.has_programs = request.traces[0].is_program_file();
  request.views = clock_views(options, request.traces.size(), request.has_programs);
  refuse_options_of_the_other_input(options, request);
  return request;
}

}  // namespace smem
