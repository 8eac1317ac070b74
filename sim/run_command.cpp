// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <iostream>
#include <memory>
#include <optional>

#include <sim/command_options.hpp>
#include <sim/output_file.hpp>
#include <sim/tally_report.hpp>
#include <sim/trace_input.hpp>

namespace smem {
namespace po = boost::program_options;

int run_command(const Arguments& arguments);

namespace {

constexpr std::size_t kBatchRecords = 1024;

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

/// Counts every record of `trace` into `report`, and into `per_access` when there is one.
void count_trace(TraceReader& trace, const GpuSpec& spec, TallyReport& report,
                 std::ostream* per_access, std::uint64_t& index) {
  std::vector<TraceRecord> records(kBatchRecords);
  report.begin_trace(trace.info());
  while (const std::size_t count = trace.read(records)) {
    for (std::size_t at = 0; at < count; ++at) {
      const AccessCost cost = analyze(spec, records[at].access);
      report.add(trace.info(), records[at], spec, cost);
      if (per_access == nullptr) continue;
      *per_access << index++ << ',' << counted_wavefronts(spec, cost.wavefronts) << ','
                  << cost.ideal << ',' << cost.bank_conflicts << ',' << cost.cycles_per_inst()
                  << '\n';
    }
  }
}

}  // namespace

int run_command(const Arguments& arguments) {
  CommandOptions options(
      "run", "TRACE… [options]",
      "Replays traces: what every access costs in wavefronts and bank conflicts,\n"
      "and, without --fast, in cycles. A TRACE is a file of any readable format\n"
      "(- is standard input) or a generated pattern.");
  options.add()("trace", po::value<std::vector<std::string>>()->value_name("TRACE"),
                "what to replay (the words without dashes)")(
      "fast", "wavefronts and conflicts only, without the clock")(
      "by", po::value<std::string>()->default_value("operation")->value_name("ROWS"),
      "add up by operation, pc, warp, block, kernel, launch or array")(
      "per-access", po::value<std::string>()->value_name("FILE.csv"),
      "write one line per record: index,wavefronts,ideal,bank_conflicts,cycles_per_inst");
  options.take_words_as("trace");
  if (!options.parse(arguments)) return kExitOk;
  if (!options.has("trace")) throw UsageError("run: expected a TRACE; see smemsim run --help");
  if (!options.has("fast")) throw UsageError("run: expected --fast");

  const GpuSpec spec = options.gpu();
  TallyReport report(report_by(options.get<std::string>("by")));
  std::optional<OutputFile> per_access;
  if (options.has("per-access")) {
    per_access.emplace(options.get<std::string>("per-access"));
    per_access->stream() << "index,wavefronts,ideal,bank_conflicts,cycles_per_inst\n";
  }
  std::uint64_t index = 0;
  for (const std::string& name : options.get<std::vector<std::string>>("trace")) {
    const std::unique_ptr<TraceReader> trace = open_input(name, spec);
    count_trace(*trace, spec, report, per_access ? &per_access->stream() : nullptr, index);
  }
  if (per_access) per_access->finish();
  const std::array tables = {report.table()};
  print_tables(std::cout, tables, options.format());
  return kExitOk;
}

}  // namespace smem
