// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>

#include <sim/compare/accuracy_table.hpp>
#include <sim/compare/program_predictions.hpp>
#include <sim/config/gpu_description.hpp>
#include <smem/analyzer.hpp>
#include <traces/text/access_list_reader.hpp>
#include <traces/trace_reader.hpp>

namespace smem {
namespace {

double in_hundredths(double value) {
  return std::round(value * 100) / 100;
}

Cell goal_cell(const std::optional<double>& goal) {
  return goal ? Cell{*goal} : Cell{};
}

void add_programs(const MeasuredFile& measured, const std::string& folder,
                  const GpuDescription& gpu, ErrorSummary& errors) {
  const std::string file = folder + measured.programs;
  const NamedPrograms programs{measured.programs, read_programs(file, gpu.spec),
                               load_measuring_kernel(find_measuring_kernel(file))};
  for (const ProgramPrediction& prediction :
       predict_programs(programs, folder + measured.file, std::nullopt, gpu)) {
    errors.add(static_cast<double>(prediction.total_cycles),
               static_cast<double>(prediction.measured.total_cycles));
  }
}

/// Whether the row has what `quantity` names.
bool add_access(const AccessCost& cost, const MeasuredRow& row, const std::string& quantity,
                ErrorSummary& errors) {
  if (quantity == "cycles_per_inst") {
    if (row.cycles_per_inst) errors.add(cost.cycles_per_inst(), *row.cycles_per_inst);
    return row.cycles_per_inst.has_value();
  }
  if (!row.wavefronts || !row.bank_conflicts) return false;
  const auto error_percent = [](auto predicted, auto measured) {
    return ErrorSummary::error_percent(static_cast<double>(predicted),
                                       static_cast<double>(measured));
  };
  const bool wavefronts_are_worse = error_percent(cost.wavefronts, *row.wavefronts) >=
                                    error_percent(cost.bank_conflicts, *row.bank_conflicts);
  errors.add(static_cast<double>(wavefronts_are_worse ? cost.wavefronts : cost.bank_conflicts),
             static_cast<double>(wavefronts_are_worse ? *row.wavefronts : *row.bank_conflicts));
  return true;
}

void add_accesses(const MeasuredFile& measured, const std::string& path, const GpuSpec& spec,
                  ErrorSummary& errors) {
  AccessListReader reader(TextSource(path), spec);
  std::vector<TraceRecord> records(1024);
  while (const std::size_t count = reader.read(records)) {
    for (std::size_t index = 0; index < count; ++index) {
      if (!add_access(analyze(spec, records[index].access), reader.measured()[index],
                      measured.quantity, errors)) {
        throw TraceError(path + ": expected " + measured.quantity + " in every row");
      }
    }
  }
}

}  // namespace

ErrorSummary measured_errors(const MeasuredFile& measured, const std::string& folder,
                             const GpuDescription& gpu) {
  ErrorSummary errors(measured.quantity);
  if (measured.programs.empty()) {
    add_accesses(measured, folder + measured.file, gpu.spec, errors);
  } else {
    add_programs(measured, folder, gpu, errors);
  }
  return errors;
}

std::string goal_outcome(const MeasuredFile& measured, const ErrorSummary& errors) {
  if (!measured.mean_goal_percent && !measured.p95_goal_percent) return "";
  const bool is_met = errors.mean_percent() <= measured.mean_goal_percent.value_or(HUGE_VAL) &&
                      errors.percentile_percent(95) <= measured.p95_goal_percent.value_or(HUGE_VAL);
  return is_met ? "met" : "missed";
}

ResultTable accuracy_table(const std::string& index_file, const GpuDescription& gpu) {
  const std::string folder = index_file.substr(0, index_file.rfind('/') + 1);
  ResultTable table("accuracy", {"file", "quantity", "role", "points", "exact", "mean_percent",
                                 "p95_percent", "mean_goal", "p95_goal", "goal"});
  for (const MeasuredFile& measured : read_measurement_index(index_file)) {
    if (measured.quantity.empty()) continue;
    const ErrorSummary errors = measured_errors(measured, folder, gpu);
    table.add_row({measured.file, measured.quantity, measured.role, std::uint64_t{errors.rows()},
                   errors.exact(), in_hundredths(errors.mean_percent()),
                   in_hundredths(errors.percentile_percent(95)),
                   goal_cell(measured.mean_goal_percent), goal_cell(measured.p95_goal_percent),
                   goal_outcome(measured, errors)});
  }
  return table;
}

}  // namespace smem
