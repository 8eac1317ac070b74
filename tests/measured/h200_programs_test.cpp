// SPDX-License-Identifier: Apache-2.0
// Cycles of short programs, simulated with one set of numbers, against those measured on an H200.
#include <map>

#include <gtest/gtest.h>

#include <sim/config_loader.hpp>
#include <sim/error_summary.hpp>
#include <sim/program_timing.hpp>
#include <traces/program_measurements.hpp>

namespace smem {
namespace {

/// Errors of total_cycles over all measured points of traces/measured/h200/programs_NAME.
ErrorSummary errors(const std::string& name, ClockStart start) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  const std::string path =
      std::string(SMEMSIM_SOURCE_DIR) + "/traces/measured/h200/programs_" + name;
  std::map<std::uint32_t, Program> programs;
  for (const Program& program : read_programs(path + ".json", spec)) programs[program.id] = program;
  ErrorSummary summary("total_cycles");
  for (const ProgramMeasurement& row : read_program_measurements(path + "_measured.csv").rows) {
    const ProgramTiming timing =
        time_program(spec, programs.at(row.program), row.warps, row.warp_stride, start);
    summary.add(static_cast<double>(timing.total_cycles), static_cast<double>(row.total_cycles));
  }
  ::testing::Test::RecordProperty("mean_percent", std::to_string(summary.mean_percent()));
  ::testing::Test::RecordProperty("p95_percent", std::to_string(summary.percentile_percent(95)));
  return summary;
}

TEST(H200Programs, The2040SystematicPointsAreWithinOnePercentOnAverage) {
  const ErrorSummary summary = errors("systematic", ClockStart::arrival);
  EXPECT_EQ(summary.rows(), 2040u);
  EXPECT_LE(summary.mean_percent(), 1.0);
  EXPECT_LE(summary.percentile_percent(95), 3.0);
}

TEST(H200Programs, The120RandomPointsAreWithinOneAndAHalfPercentOnAverage) {
  const ErrorSummary summary = errors("random", ClockStart::arrival);
  EXPECT_EQ(summary.rows(), 120u);
  EXPECT_LE(summary.mean_percent(), 1.5);
  EXPECT_LE(summary.percentile_percent(95), 4.0);
}

// Generated and measured later, to judge the clock on programs nobody calibrated it on.
TEST(H200Programs, The320PointsOfRandomProgramsKeptApartAreWithinOneAndAHalfPercentOnAverage) {
  const ErrorSummary summary = errors("random2", ClockStart::arrival);
  EXPECT_EQ(summary.rows(), 320u);
  EXPECT_LE(summary.mean_percent(), 1.5);
  EXPECT_LE(summary.percentile_percent(95), 4.0);
}

// Generated and measured later; seen while the last two fitted numbers were chosen.
TEST(H200Programs, The240PointsOfRandomProgramsMeasuredLaterAreWithinOneAndAHalfPercentOnAverage) {
  const ErrorSummary summary = errors("random3", ClockStart::arrival);
  EXPECT_EQ(summary.rows(), 240u);
  EXPECT_LE(summary.mean_percent(), 1.5);
  EXPECT_LE(summary.percentile_percent(95), 4.0);
}

// The goal for the 95th percentile, 5 %, is not reached: it is 5.3 %, from three and four warps of
// one sub-partition. The same programs compiled another way differ by 6 % on the chip
// (models/cycle/README.md).
TEST(H200Programs, The768PointsOfDependentProgramsAreWithinTwoPercentOnAverage) {
  const ErrorSummary summary = errors("dependent", ClockStart::release);
  EXPECT_EQ(summary.rows(), 768u);
  EXPECT_LE(summary.mean_percent(), 2.0);
}

// Programs of the same kind with other numbers, measured later.
TEST(H200Programs, The528PointsOfDependentProgramsMeasuredLaterAreWithinTwoPercentOnAverage) {
  const ErrorSummary summary = errors("dependent3", ClockStart::release);
  EXPECT_EQ(summary.rows(), 528u);
  EXPECT_LE(summary.mean_percent(), 2.0);
  EXPECT_LE(summary.percentile_percent(95), 5.0);
}

// Measured later; seen while the SM's queue was looked for.
TEST(H200Programs, The200RandomAnd612DependentPointsMeasuredLaterAreWithinTheGoalOnAverage) {
  const ErrorSummary random = errors("random4", ClockStart::arrival);
  EXPECT_EQ(random.rows(), 200u);
  EXPECT_LE(random.mean_percent(), 1.5);
  EXPECT_LE(random.percentile_percent(95), 4.0);
  const ErrorSummary dependent = errors("dependent4", ClockStart::release);
  EXPECT_EQ(dependent.rows(), 612u);
  EXPECT_LE(dependent.mean_percent(), 2.0);
}

// Generated and measured when every number of the clock was fixed. Of the dependent ones the 95th
// percentile misses its goal of 5 % by 0.2.
TEST(H200Programs, ProgramsMeasuredAfterEveryNumberWasFixedAreWithinTheGoalOnAverage) {
  const ErrorSummary random = errors("random5", ClockStart::arrival);
  EXPECT_EQ(random.rows(), 240u);
  EXPECT_LE(random.mean_percent(), 1.5);
  EXPECT_LE(random.percentile_percent(95), 4.0);
  const ErrorSummary dependent = errors("dependent5", ClockStart::release);
  EXPECT_EQ(dependent.rows(), 612u);
  EXPECT_LE(dependent.mean_percent(), 2.0);
}

// Straight lines of 1 to 80 equal accesses by 16 warps: a further access takes its wavefronts or
// transfer cycles, from the eighth on, whatever the shorter run.
TEST(H200Programs, AFurtherAccessOf16WarpsTakesTheMeasuredCycles) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  const std::string path = std::string(SMEMSIM_SOURCE_DIR) + "/traces/measured/h200/programs_long";
  std::map<std::uint32_t, Program> programs;
  for (const Program& program : read_programs(path + ".json", spec)) programs[program.id] = program;
  struct Run {
    double accesses;
    double measured_cycles;
    double found_cycles;
  };
  std::map<std::string, std::vector<Run>> runs;  // by the kind of access
  for (const ProgramMeasurement& row : read_program_measurements(path + "_measured.csv").rows) {
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
