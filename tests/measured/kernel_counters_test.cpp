// SPDX-License-Identifier: Apache-2.0
// Captured kernels against the address-exact counters Nsight Compute gave for the same launches.
// traces/measured/h200/kernels/README.md says how both were taken.
#include <array>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <sim/config_loader.hpp>
#include <smem/analyzer.hpp>
#include <traces/nsight_csv.hpp>
#include <traces/smt_reader.hpp>
#include <traces/text_source.hpp>

namespace smem {
namespace {

using ClassCounts = std::array<std::uint64_t, kOperationClassCount>;

struct Launch {
  std::string trace;
  std::string repeatable;  ///< yes, or why a second run counts differently
  std::string copies;      ///< coalesced, other, or none: what cp.async reads
  ClassCounts wavefronts{};
};

const std::string kFolder = std::string(SMEMSIM_SOURCE_DIR) + "/traces/measured/h200/kernels/";

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_TRUE(error == std::errc() && end == text.data() + text.size()) << text;
  return value;
}

/// counters.csv: trace,repeatable,copies, then wavefronts in the order of OperationClass.
std::vector<Launch> read_launches() {
  TextSource source(kFolder + "counters.csv");
  std::vector<Launch> launches;
  std::string_view line;
  while (source.next_line(line)) {
    if (line.empty() || line.front() == '#' || line.starts_with("trace,")) continue;
    std::vector<std::string> fields(1);
    for (const char letter : line) {
      if (letter == ',') {
        fields.emplace_back();
      } else {
        fields.back() += letter;
      }
    }
    EXPECT_EQ(fields.size(), 3 + kOperationClassCount) << line;
    Launch launch{fields[0], fields[1], fields[2], {}};
    for (std::size_t index = 0; index < kOperationClassCount; ++index) {
      launch.wavefronts[index] = number(fields[3 + index]);
    }
    launches.push_back(launch);
  }
  return launches;
}

ClassCounts predict(const std::string& trace, const GpuSpec& spec) {
  SmtReader reader(kFolder + trace, spec);
  std::vector<TraceRecord> records(1024);
  ClassCounts counts{};
  while (const std::size_t count = reader.read(records)) {
    for (std::size_t index = 0; index < count; ++index) {
      const WarpAccess& access = records[index].access;
      const OperationClass of = traits(access.operation).operation_class;
      if (of == OperationClass::none) continue;
      counts.at(static_cast<std::size_t>(of)) += records[index].count * wavefronts(spec, access);
    }
  }
  return counts;
}

std::uint64_t of_class(const ClassCounts& counts, OperationClass operation_class) {
  return counts.at(static_cast<std::size_t>(operation_class));
}

TEST(KernelCounters, EveryRepeatableLaunchHasTheMeasuredWavefrontsInEveryClass) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  std::size_t compared = 0;
  for (const Launch& launch : read_launches()) {
    if (launch.repeatable != "yes") continue;
    const ClassCounts predicted = predict(launch.trace, spec);
    for (const OperationClass of : {OperationClass::ld, OperationClass::st, OperationClass::ldsm,
                                    OperationClass::stsm, OperationClass::atom}) {
      EXPECT_EQ(of_class(predicted, of), of_class(launch.wavefronts, of))
          << launch.trace << " " << kOperationClassNames.at(static_cast<std::size_t>(of));
    }
    ++compared;
  }
  EXPECT_EQ(compared, 47u);
}

TEST(KernelCounters, StoresAndMatrixAccessesAreExactInTheOtherLaunchesToo) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  for (const Launch& launch : read_launches()) {
    if (launch.repeatable == "yes") continue;
    EXPECT_TRUE(launch.repeatable == "cas_loop" || launch.repeatable == "splits_warps")
        << launch.repeatable;
    const ClassCounts predicted = predict(launch.trace, spec);
    for (const OperationClass of :
         {OperationClass::st, OperationClass::ldsm, OperationClass::stsm}) {
      EXPECT_EQ(of_class(predicted, of), of_class(launch.wavefronts, of)) << launch.trace;
    }
  }
}

TEST(KernelCounters, CopiesOfCoalescedWordsHaveTheMeasuredWavefronts) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  std::size_t compared = 0;
  for (const Launch& launch : read_launches()) {
    if (launch.copies != "coalesced") continue;
    EXPECT_EQ(of_class(predict(launch.trace, spec), OperationClass::ldgsts),
              of_class(launch.wavefronts, OperationClass::ldgsts))
        << launch.trace;
    ++compared;
  }
  EXPECT_GE(compared, 2u);
}

// own_ncu_raw.csv.zst is what `ncu --csv --page raw` printed for the own kernels, as it came: the
// profiler's words first, a row of units, thousands separators, 290 columns.
TEST(KernelCounters, TheProfilersRawPageReadsAsTheCountersOfTheSameLaunches) {
  const NsightReport report = read_nsight_csv(TextSource(kFolder + "own_ncu_raw.csv.zst"));
  std::vector<Launch> own;
  for (const Launch& launch : read_launches()) {
    if (launch.trace.starts_with("own/")) own.push_back(launch);
  }
  std::size_t compared = 0;
  std::size_t next = 0;
  for (const NsightLaunch& launch : report.launches) {
    ASSERT_LT(next, own.size()) << launch.kernel;
    const Launch& recorded = own[next++];
    EXPECT_NE(launch.grid[0], 0u);
    EXPECT_NE(launch.block[0], 0u);
    if (recorded.repeatable != "yes") continue;
    for (std::size_t index = 0; index < kOperationClassCount; ++index) {
      const std::string metric = "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_" +
                                 std::string(kOperationClassNames[index]) + ".sum";
      EXPECT_EQ(launch.value(metric), static_cast<double>(recorded.wavefronts[index]))
          << launch.kernel << ' ' << metric;
      ++compared;
    }
  }
  EXPECT_EQ(next, own.size());
  EXPECT_EQ(compared, 22u * kOperationClassCount);
}

}  // namespace
}  // namespace smem
