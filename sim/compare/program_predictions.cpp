// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <sim/clock/program_timing.hpp>
#include <sim/compare/program_predictions.hpp>
#include <traces/trace_reader.hpp>

namespace smem {
namespace {

constexpr std::uint32_t kMostWarps = 64;

ClockStart start_of(const ProgramMeasurements& measurements) {
  return measurements.clock_start.value_or(measurements.has_warp_stride ? ClockStart::release
                                                                        : ClockStart::arrival);
}

}  // namespace

std::vector<ProgramPrediction> predict_programs(const NamedPrograms& programs,
                                                const std::string& measured_file,
                                                const std::optional<ClockStart>& asked_start,
                                                const GpuDescription& gpu) {
  std::map<std::uint32_t, const Program*> by_id;
  for (const Program& program : programs.programs) by_id[program.id] = &program;
  const ProgramMeasurements measurements = read_program_measurements(measured_file);
  const ClockStart start = asked_start ? *asked_start : start_of(measurements);
  std::vector<ProgramPrediction> predictions;
  for (const ProgramMeasurement& row : measurements.rows) {
    const auto found = by_id.find(row.program);
    if (found == by_id.end()) {
      throw TraceError(measured_file + ": expected a program of " + programs.file + ", found " +
                       std::to_string(row.program));
    }
    if (row.warps == 0 || row.warp_stride == 0 || row.warps > kMostWarps) {
      throw TraceError(measured_file + ": expected 1 to " + std::to_string(kMostWarps) +
                       " warps, found " + std::to_string(row.warps));
    }
    const Program& program = *found->second;
    predictions.push_back(
        {program.name, row,
         time_program(gpu, programs.kernel, program, row.warps, row.warp_stride, start)
             .total_cycles});
  }
  return predictions;
}

}  // namespace smem
