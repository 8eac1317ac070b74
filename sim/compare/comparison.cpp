// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <map>

#include <sim/compare/comparison.hpp>
#include <sim/count/counted_batches.hpp>
#include <sim/output/hexadecimal.hpp>
#include <smem/profiler_view.hpp>

namespace smem {
namespace {

/// A measured value (perhaps none) and its prediction, into the row's cells and the summary.
template <class Measured>
void add_quantity(const Measured& measured, std::uint64_t predicted, Comparison::Row& row,
                  ErrorSummary& summary) {
  Cell& cell = row.cells.emplace_back();
  if (measured) cell = *measured;
  row.cells.emplace_back(predicted);
  if (!measured) return;
  const auto value = static_cast<double>(*measured);
  const auto prediction = static_cast<double>(predicted);
  summary.add(prediction, value);
  row.error_percent = std::max(row.error_percent, ErrorSummary::error_percent(prediction, value));
}

}  // namespace

Comparison compare_programs(const std::vector<ProgramPrediction>& predictions) {
  Comparison comparison{{"program", "name", "warps", "warp_stride", "measured_total_cycles",
                         "total_cycles", "error_percent"},
                        {},
                        {ErrorSummary("total_cycles")}};
  for (const ProgramPrediction& prediction : predictions) {
    const ProgramMeasurement& measured = prediction.measured;
    const auto predicted_cycles = static_cast<double>(prediction.total_cycles);
    const auto measured_cycles = static_cast<double>(measured.total_cycles);
    comparison.summaries[0].add(predicted_cycles, measured_cycles);
    const double error = ErrorSummary::error_percent(predicted_cycles, measured_cycles);
    comparison.rows.push_back({error,
                               {std::uint64_t{measured.program}, prediction.name,
                                std::uint64_t{measured.warps}, std::uint64_t{measured.warp_stride},
                                measured.total_cycles, prediction.total_cycles, error}});
  }
  return comparison;
}

Comparison compare_accesses(AccessListReader& list, const std::string& name, const GpuSpec& spec) {
  if (!list.has_measured_columns()) {
    throw TraceError(name +
                     ":1: expected a column wavefronts, bank_conflicts or cycles_per_inst to "
                     "compare with, found none");
  }
  Comparison comparison{
      {"index", "name", "measured_wavefronts", "wavefronts", "measured_bank_conflicts",
       "bank_conflicts", "measured_cycles_per_inst", "cycles_per_inst", "error_percent"},
      {},
      {ErrorSummary("wavefronts"), ErrorSummary("bank_conflicts"),
       ErrorSummary("cycles_per_inst")}};
  std::vector<ErrorSummary>& summaries = comparison.summaries;
  const bool has_profiler = list.has_profiler_column();
  if (has_profiler) {
    comparison.columns.insert(comparison.columns.end() - 1,
                              {"measured_profiler_wavefronts", "profiler_wavefronts"});
    summaries.emplace_back("profiler_wavefronts");
  }
  const BatchAnalyzer analyzer(spec);
  for (CountedBatches batches(list, analyzer); batches.next();) {
    for (std::size_t index = 0; index < batches.records().size(); ++index) {
      const AccessCost& cost = batches.costs()[index];
      const MeasuredRow& measured = list.measured()[index];
      Comparison::Row row{0, {batches.number(index), list.names()[index]}};
      add_quantity(measured.wavefronts, cost.wavefronts, row, summaries[0]);
      add_quantity(measured.bank_conflicts, cost.bank_conflicts, row, summaries[1]);
      add_quantity(measured.cycles_per_inst, cost.cycles_per_inst(), row, summaries[2]);
      if (has_profiler) {
        add_quantity(measured.profiler_wavefronts,
                     profiler_wavefronts(spec, batches.records()[index].access), row, summaries[3]);
      }
      row.cells.emplace_back(row.error_percent);
      assert(row.cells.size() == comparison.columns.size());
      comparison.rows.push_back(std::move(row));
    }
  }
  std::erase_if(summaries, [](const ErrorSummary& summary) { return summary.rows() == 0; });
  return comparison;
}

Comparison compare_counters(const std::vector<ProfileRow>& rows) {
  Comparison comparison{
      {"kernel", "launch", "pc", "metric", "measured", "predicted", "error_percent"}, {}, {}};
  std::map<std::string, std::size_t> summaries;  // index by metric
  for (const ProfileRow& row : rows) {
    const auto predicted = static_cast<double>(row.predicted);
    const auto [found, is_new] = summaries.try_emplace(row.metric, comparison.summaries.size());
    if (is_new) comparison.summaries.emplace_back(row.metric);
    comparison.summaries[found->second].add(predicted, row.measured);
    const double error = ErrorSummary::error_percent(predicted, row.measured);
    std::vector<Cell> cells(comparison.columns.size());
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

}  // namespace smem
