// SPDX-License-Identifier: Apache-2.0
// Cycles of long programs, against those measured on an H200. Short ones:
// measurement_index_test.cpp.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <sim/clock/measuring_kernel.hpp>
#include <sim/clock/program_timing.hpp>
#include <sim/config/config_loader.hpp>
#include <sim/config/gpu_description.hpp>
#include <traces/measurements/program_measurements.hpp>

namespace smem {
namespace {

const std::string kPrograms = std::string(SMEMSIM_SOURCE_DIR) + "/traces/measured/h200/programs/";

std::map<std::uint32_t, Program> programs_by_id(const std::string& name, const GpuSpec& spec) {
  std::map<std::uint32_t, Program> programs;
  for (const Program& program : read_programs(kPrograms + name + ".json", spec)) {
    programs[program.id] = program;
  }
  return programs;
}

// Straight lines of 1 to 80 equal accesses by 16 warps: a further access takes its wavefronts or
// transfer cycles, from the eighth on, whatever the shorter run.
TEST(H200LongPrograms, AFurtherAccessOf16WarpsTakesTheMeasuredCycles) {
  const GpuDescription gpu = load_gpu_description(find_config("h200"));
  const MeasuringKernel kernel = load_measuring_kernel(kPrograms + "measuring_kernel.yaml");
  const std::map<std::uint32_t, Program> programs = programs_by_id("long", gpu.spec);
  struct Run {
    double accesses;
    double measured_cycles;
    double found_cycles;
  };
  std::map<std::string, std::vector<Run>> runs;  // by the kind of access
  for (const ProgramMeasurement& row :
       read_program_measurements(kPrograms + "long_measured.csv").rows) {
    const Program& program = programs.at(row.program);
    const std::string kind = program.name.substr(0, program.name.rfind("-N"));
    const double length = std::stod(program.name.substr(program.name.rfind("-N") + 2));
    if (length < 8) continue;
    const ProgramTiming timing =
        time_program(gpu, kernel, program, row.warps, row.warp_stride, ClockStart::arrival);
    runs[kind].push_back({length * row.warps, static_cast<double>(row.total_cycles),
                          static_cast<double>(timing.total_cycles)});
  }
  EXPECT_EQ(runs.size(), 10u);
  for (const auto& [kind, of_kind] : runs) {
    const Run& first = of_kind.front();
    const Run& last = of_kind.back();
    const double accesses = last.accesses - first.accesses;
    const double measured = (last.measured_cycles - first.measured_cycles) / accesses;
    const double found = (last.found_cycles - first.found_cycles) / accesses;
    EXPECT_NEAR(found / measured, 1, 0.02) << kind << ": measured " << measured << " a further one";
  }
}

}  // namespace
}  // namespace smem
