// SPDX-License-Identifier: Apache-2.0
// The profiler's two countings of one access, against both of them measured on an H200.
#include <array>
#include <string>

#include <gtest/gtest.h>
#include <tests/support/command_run.hpp>

#include <smem/gpus.hpp>
#include <smem/profiler_view.hpp>
#include <traces/text/access_list_reader.hpp>

namespace smem {
namespace {

struct Countings {
  std::size_t rows = 0;
  std::size_t apart = 0;  ///< rows whose two measured counts differ
};

Countings check_rows(const std::string& name) {
  AccessListReader reader(
      TextSource(std::string(SMEMSIM_SOURCE_DIR) + "/traces/measured/h200/two_counters/" + name),
      kH200);
  std::array<TraceRecord, 64> records;
  Countings countings;
  while (const std::size_t count = reader.read(records)) {
    for (std::size_t index = 0; index < count; ++index, ++countings.rows) {
      const MeasuredRow& measured = reader.measured()[index];
      const WarpAccess& access = records[index].access;
      EXPECT_EQ(wavefronts(kH200, access), measured.wavefronts.value())
          << name << " row " << countings.rows;
      if (!measured.profiler_wavefronts) continue;
      EXPECT_EQ(profiler_wavefronts(kH200, access), *measured.profiler_wavefronts)
          << name << " row " << countings.rows;
      countings.apart += *measured.wavefronts != *measured.profiler_wavefronts ? 1u : 0u;
    }
  }
  return countings;
}

class TwoCounters : public ::testing::TestWithParam<std::pair<const char*, std::size_t>> {};

TEST_P(TwoCounters, AreBothExactInEveryRow) {
  const auto& [name, rows] = GetParam();
  const Countings countings = check_rows(name);
  EXPECT_EQ(countings.rows, rows);
  EXPECT_GT(countings.apart, 0u) << "rows that tell the countings apart";
}

TEST_P(TwoCounters, AreComparedEachWithItsOwnView) {
  const test::CommandRun run = test::run_smemsim(
      {"compare",
       test::source_file("traces/measured/h200/two_counters/" + std::string(GetParam().first)),
       "--format", "csv", "--worst", "0"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const std::string quantity : {"\nwavefronts,", "\nprofiler_wavefronts,"}) {
    const std::size_t begin = run.out.find(quantity);
    ASSERT_NE(begin, std::string::npos) << run.out;
    const std::string errors = run.out.substr(begin, run.out.find('\n', begin + 1) - begin);
    EXPECT_NE(errors.find(",0,0,0,0"), std::string::npos) << errors;
  }
}

TEST(TwoCountersView, RunAndExplainShowTheProfilersCounting) {
  const std::string list = test::source_file("traces/measured/h200/two_counters/first.csv");
  std::uint64_t hardware = 0;
  std::uint64_t profiler = 0;
  AccessListReader reader(TextSource(list), kH200);
  std::array<TraceRecord, 64> records;
  const std::size_t count = reader.read(records);
  for (std::size_t index = 0; index < count; ++index) {
    hardware += reader.measured()[index].wavefronts.value();
    profiler += reader.measured()[index].profiler_wavefronts.value();
  }
  ASSERT_NE(hardware, profiler);
  for (const std::string clock : {"--fast", "--show=accesses"}) {
    const auto wavefronts_of = [&](const std::string& view) {
      return test::run_smemsim({"run", list, clock, "--counters", view, "--format", "csv"}).out;
    };
    EXPECT_NE(wavefronts_of("hardware").find("ld,50," + std::to_string(hardware) + ","),
              std::string::npos);
    EXPECT_NE(wavefronts_of("profiler").find("ld,50," + std::to_string(profiler) + ","),
              std::string::npos);
  }
  const std::string picture = test::run_smemsim({"explain", list, "--record", "0"}).out;
  EXPECT_NE(picture.find("4 wavefronts by the profiler's software"), std::string::npos) << picture;
}

INSTANTIATE_TEST_SUITE_P(Measured, TwoCounters,
                         ::testing::Values(std::pair{"first.csv", 50u},
                                           std::pair{"merging.csv", 1344u},
                                           std::pair{"merging_hold_out.csv", 992u},
                                           std::pair{"last_lane.csv", 72u}));

}  // namespace
}  // namespace smem
