// SPDX-License-Identifier: Apache-2.0
// Cycles of short programs, simulated with one set of numbers, against those measured on an H200.
#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include <sim/clock/program_timing.hpp>
#include <sim/compare/error_summary.hpp>
#include <sim/config/config_loader.hpp>
#include <traces/measurements/program_measurements.hpp>

namespace smem {
namespace {

const std::string kPrograms = std::string(SMEMSIM_SOURCE_DIR) + "/traces/measured/h200/programs_";

std::map<std::uint32_t, Program> programs_by_id(const std::string& name, const GpuSpec& spec) {
  std::map<std::uint32_t, Program> programs;
  for (const Program& program : read_programs(kPrograms + name + ".json", spec)) {
    programs[program.id] = program;
  }
  return programs;
}

/// Points that were measured together, and what their errors of total_cycles may be.
struct PointSet {
  const char* programs;
  const char* measured;
  ClockStart start;
  std::size_t points;
  double mean_percent;
  /// Nothing where the goal is missed (models/clock/README.md): 5 % for dependent programs.
  std::optional<double> p95_percent;
};

// The later ones judge the clock on programs nobody calibrated it on: random6 and dependent6 were
// drawn and measured when every number was fixed; the others were seen while numbers were chosen.
// dependent_again and dependent_copied are the recording's programs, measured a second and third
// time.
constexpr PointSet kPointSets[] = {
    {"systematic", "systematic", ClockStart::arrival, 2040, 1.0, 3.0},
    {"random", "random", ClockStart::arrival, 120, 1.5, 4.0},
    {"random2", "random2", ClockStart::arrival, 320, 1.5, 4.0},
    {"random3", "random3", ClockStart::arrival, 240, 1.5, 4.0},
    {"random4", "random4", ClockStart::arrival, 200, 1.5, 4.0},
    {"random5", "random5", ClockStart::arrival, 240, 1.5, 4.0},
    {"random6", "random6", ClockStart::arrival, 240, 1.5, 4.0},
    {"dependent", "dependent", ClockStart::release, 768, 2.0, 5.0},
    {"dependent", "dependent_again", ClockStart::release_data_ready, 768, 2.0, 5.0},
    {"dependent", "dependent_copied", ClockStart::release, 768, 2.0, std::nullopt},
    {"dependent3", "dependent3", ClockStart::release_data_ready, 528, 2.0, 5.0},
    {"dependent4", "dependent4", ClockStart::release_data_ready, 612, 2.0, std::nullopt},
    {"dependent5", "dependent5", ClockStart::release_data_ready, 612, 2.0, 5.0},
    {"dependent6", "dependent6", ClockStart::release_data_ready, 768, 2.0, 5.0}};

class H200Programs : public ::testing::TestWithParam<PointSet> {};

TEST_P(H200Programs, TotalCyclesAreWithinTheGoal) {
  const PointSet& set = GetParam();
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  const std::map<std::uint32_t, Program> programs = programs_by_id(set.programs, spec);
  ErrorSummary summary("total_cycles");
  for (const ProgramMeasurement& row :
       read_program_measurements(kPrograms + set.measured + "_measured.csv").rows) {
    const ProgramTiming timing =
        time_program(spec, programs.at(row.program), row.warps, row.warp_stride, set.start);
    summary.add(static_cast<double>(timing.total_cycles), static_cast<double>(row.total_cycles));
  }
  RecordProperty("mean_percent", std::to_string(summary.mean_percent()));
  RecordProperty("p95_percent", std::to_string(summary.percentile_percent(95)));
  EXPECT_EQ(summary.rows(), set.points);
  EXPECT_LE(summary.mean_percent(), set.mean_percent);
  if (set.p95_percent) {
    EXPECT_LE(summary.percentile_percent(95), *set.p95_percent);
  }
}

INSTANTIATE_TEST_SUITE_P(Measured, H200Programs, ::testing::ValuesIn(kPointSets),
                         [](const auto& test) { return std::string(test.param.measured); });

// Straight lines of 1 to 80 equal accesses by 16 warps: a further access takes its wavefronts or
// transfer cycles, from the eighth on, whatever the shorter run.
TEST(H200LongPrograms, AFurtherAccessOf16WarpsTakesTheMeasuredCycles) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  const std::map<std::uint32_t, Program> programs = programs_by_id("long", spec);
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
        time_program(spec, program, row.warps, row.warp_stride, ClockStart::arrival);
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
