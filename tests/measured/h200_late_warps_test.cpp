// SPDX-License-Identifier: Apache-2.0
// Warps that start one after the other: how far the accesses of the first hold up those of the
// next, on the same sub-partition and on others, against an H200.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include <clock/gpu_timings.hpp>
#include <clock/make_instruction.hpp>
#include <gtest/gtest.h>
#include <tests/support/clocked_history.hpp>

#include <sim/clock/measuring_kernel.hpp>
#include <sim/compare/error_summary.hpp>
#include <sim/config/config_loader.hpp>
#include <traces/measurements/program_file.hpp>

namespace smem {
namespace {

using clock::Cycle;
using clock::Instruction;

struct Point {
  std::uint32_t program = 0;
  std::uint32_t warp_stride = 1;
  std::vector<Cycle> starts;  // of the warps, from the earliest
  std::vector<Cycle> finishes;
};

std::vector<Point> measured(const std::string& path) {
  std::ifstream file(path);
  std::vector<Point> points;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] < '0' || line[0] > '9') continue;
    std::istringstream text(line);
    Point point;
    char separator = 0;
    std::size_t warps = 0;
    Cycle total_cycles = 0;
    text >> point.program >> separator >> warps >> separator >> point.warp_stride >> separator >>
        total_cycles >> separator;
    point.starts.resize(warps);
    point.finishes.resize(warps);
    for (std::size_t warp = 0; warp < warps; ++warp) {
      text >> point.starts[warp] >> separator >> point.finishes[warp];
    }
    points.push_back(point);
  }
  return points;
}

/// When each warp finishes that begins the program at its start, the measuring kernel around it.
std::vector<Cycle> finishes(const GpuSpec& spec, const MeasuringKernel& kernel,
                            const Program& program, const Point& point) {
  clock::Block block;
  for (std::size_t warp = 0; warp < point.starts.size(); ++warp) {
    std::vector<Instruction> instructions;
    for (const TraceRecord& record : program_records(program, 0, 0)) {
      instructions.push_back(clock::make_instruction(record.access, analyze(spec, record.access)));
    }
    instructions[0].delay_cycles =
        static_cast<std::uint32_t>(point.starts[warp] + kernel.launch_cycles);
    block.warps.push_back(
        {static_cast<std::uint32_t>(warp) * point.warp_stride,
         std::make_shared<const std::vector<Instruction>>(std::move(instructions))});
  }
  std::vector<Cycle> result;
  for (const auto& [place, warp] : test::clocked_history(clock::kH200Timing, {block})) {
    result.push_back(warp.finish - warp.start + kernel.finish_cycles);
  }
  return result;
}

TEST(H200LateWarps, FinishAsMeasuredHoweverLateTheyStart) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  const std::string path = std::string(SMEMSIM_SOURCE_DIR) + "/traces/measured/h200/programs/late";
  const MeasuringKernel kernel = load_measuring_kernel(find_measuring_kernel(path));
  std::map<std::uint32_t, Program> programs;
  for (const Program& program : read_programs(path + ".json", spec)) programs[program.id] = program;
  std::map<std::size_t, ErrorSummary> of_warps;  // by number of warps: every warp's finish
  for (const Point& point : measured(path + "_measured.csv")) {
    const std::size_t warps = point.starts.size();
    ErrorSummary& summary =
        of_warps.try_emplace(warps, std::to_string(warps) + " warps").first->second;
    const std::vector<Cycle> found = finishes(spec, kernel, programs.at(point.program), point);
    for (std::size_t warp = 0; warp < warps; ++warp) {
      summary.add(static_cast<double>(found[warp]), static_cast<double>(point.finishes[warp]));
    }
  }
  for (const auto& [warps, summary] : of_warps) {
    const std::string name = std::to_string(warps) + "_warps";
    RecordProperty(name + "_mean_percent", std::to_string(summary.mean_percent()));
    RecordProperty(name + "_p95_percent", std::to_string(summary.percentile_percent(95)));
    EXPECT_EQ(summary.rows(), warps == 2 ? 240u : warps == 3 ? 90u : 120u);
    EXPECT_LE(summary.mean_percent(), 1.0) << name;
    EXPECT_LE(summary.percentile_percent(95), 3.0) << name;
  }
  EXPECT_EQ(of_warps.size(), 3u);
}

}  // namespace
}  // namespace smem
