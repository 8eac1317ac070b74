// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include <sim/clock/clock_report.hpp>
#include <sim/clock/trace_blocks.hpp>
#include <sim/commands/commands.hpp>
#include <sim/commands/program_run.hpp>
#include <sim/commands/run_request.hpp>
#include <sim/count/trace_counter.hpp>
#include <sim/options/skipped_parts.hpp>
#include <sim/output/output_file.hpp>

namespace smem {
namespace {

void print_cost(std::ostream& out, std::uint64_t index, const AccessCost& cost) {
  out << index << ',' << cost.wavefronts << ',' << cost.ideal << ',' << cost.bank_conflicts << ','
      << cost.cycles_per_inst();
}

void run_fast(RunRequest& request, TallyReport& report, std::ostream* per_access) {
  const TraceCounter counter(request.gpu.spec, request.threads, request.counters);
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
    tell_skipped(std::cerr, input.name(), trace->skipped());
  }
}

/// A line per record of a trace: its costs, and when it passed the stages.
void print_records(std::ostream& out, std::uint64_t& index, const std::vector<AccessCost>& costs,
                   const ClockReport& clock, clock::Cycle start_cycle) {
  for (std::size_t record = 0; record < costs.size(); ++record) {
    print_cost(out, index++, costs[record]);
    const clock::AccessStamps stamps =
        record < clock.stamps().size() ? clock.stamps()[record] : clock::AccessStamps{};
    for (const clock::StampField& field : clock::kStampFields) {
      if (!field.is_printed) continue;
      out << ',';
      if (stamps.any()) out << stamps.*field.member - start_cycle;
    }
    out << '\n';
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
        const AccessCost shown =
            cost_in_view(request.counters, request.gpu.spec, record.access, cost);
        report.add(trace->info(), place_of(record), shown);
        if (per_access != nullptr) costs.push_back(shown);
      },
      request.views.any());
  ClockReport clock(*request.gpu.timing, per_access != nullptr, request.wants("warps"));
  const clock::SimulationResult result =
      request.views.any() ? simulate_with_views(request.views, request.gpu, input.name(),
                                                trace->info(), blocks, clock)
                          : clock::simulate(*request.gpu.timing, blocks, &clock);
  tell_skipped(std::cerr, input.name(), trace->skipped());
  if (per_access != nullptr) print_records(*per_access, index, costs, clock, result.start_cycle);
  if (request.wants("cycles")) tables.push_back(clock.kernel_table(trace->info()));
  if (request.wants("stalls")) tables.push_back(clock.stall_table(trace->info(), blocks.sites()));
  if (request.wants("warps")) tables.push_back(clock.warp_table(trace->info(), result.start_cycle));
}

void check_outputs(const RunRequest& request) {
  std::vector<std::string> outputs = {request.views.vcd_file, request.views.timeline_file,
                                      request.views.memory_file};
  if (request.per_access_file) outputs.push_back(*request.per_access_file);
  std::vector<std::string> inputs;
  for (const TraceInput& trace : request.traces) inputs.push_back(trace.name());
  smem::check_outputs(outputs, inputs);
}

int run_traces(RunRequest request) {
  if (!request.fast && request.gpu.timing == nullptr) {
    throw std::runtime_error(std::string(request.gpu.spec.name_view()) +
                             " has no `timing` in its file, so nothing is known of its clock; "
                             "--fast counts wavefronts and conflicts");
  }
  TallyReport report(request.by);
  check_outputs(request);
  std::optional<OutputFile> file;
  if (request.per_access_file) {
    file.emplace(*request.per_access_file);
    file->stream() << "index,wavefronts,ideal,bank_conflicts,cycles_per_inst";
    for (const clock::StampField& field : clock::kStampFields) {
      if (!request.fast && field.is_printed) file->stream() << ',' << field.name;
    }
    file->stream() << '\n';
  }
  std::ostream* per_access = file ? &file->stream() : nullptr;
  std::vector<ResultTable> tables;
  if (request.fast) {
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

}  // namespace

int run_command(const Arguments& arguments) {
  CommandOptions options(
      "run", "TRACE… [options]",
      "Replays traces on one SM: what every access costs in wavefronts and bank conflicts, and,\n"
      "without --fast, in cycles. A TRACE is a file of any readable format (- is standard input),\n"
      "or a generated pattern NAME:KEY=VALUE,… as listed below. Program files\n"
      "are handed to smemsim time, whose options are taken too.");
  declare_run_options(options);
  if (!options.parse(arguments)) return kExitOk;
  if (!options.has("trace")) throw UsageError("run: expected a TRACE; see smemsim run --help");
  RunRequest request = read_run_request(options);
  if (request.has_programs && !request.fast) return run_programs("run", options, request.traces);
  return run_traces(std::move(request));
}

}  // namespace smem
