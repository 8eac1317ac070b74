// SPDX-License-Identifier: Apache-2.0
// Captured kernels against the address-exact counters Nsight Compute gave for the same launches.
// traces/measured/h200/kernels/README.md says how both were taken.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <sim/config/config_loader.hpp>
#include <smem/analyzer.hpp>
#include <traces/measurements/nsight_csv.hpp>
#include <traces/smt/smt_reader.hpp>
#include <traces/text/text_source.hpp>

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

using BlockByte = std::pair<std::uint32_t, std::uint32_t>;

template <class Visit>
void for_each_byte(const TraceRecord& record, Visit visit) {
  for_each_lane(record.access.active_mask, [&](unsigned lane) {
    for (unsigned byte = 0; byte < record.access.bytes_per_lane; ++byte) {
      visit(BlockByte{record.block, record.access.offsets_bytes[lane] + byte});
    }
  });
}

std::vector<TraceRecord> read_all(const std::string& trace, const GpuSpec& spec) {
  SmtReader reader(kFolder + trace, spec);
  std::vector<TraceRecord> records;
  std::vector<TraceRecord> some(1024);
  while (const std::size_t count = reader.read(some)) {
    records.insert(records.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return records;
}

/// Loads of bytes that no store of their block wrote before, that is in an earlier stretch between
/// barriers or, where the order of two warps is open, in the same one.
std::uint64_t loads_of_unwritten_bytes(const std::string& trace, const GpuSpec& spec) {
  const std::vector<TraceRecord> records = read_all(trace, spec);
  std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned> barriers_of_warp;
  std::vector<unsigned> stretch_of_record;
  std::map<BlockByte, unsigned> first_write;
  for (const TraceRecord& record : records) {
    unsigned& barriers = barriers_of_warp[{record.block, record.warp}];
    const unsigned stretch = barriers;
    stretch_of_record.push_back(stretch);
    barriers += record.access.operation == Operation::barrier;
    if (record.access.operation != Operation::store) continue;
    for_each_byte(record, [&](BlockByte byte) {
      unsigned& first = first_write.try_emplace(byte, stretch).first->second;
      first = std::min(first, stretch);
    });
  }
  std::uint64_t loads = 0;
  for (std::size_t index = 0; index < records.size(); ++index) {
    if (records[index].access.operation != Operation::load) continue;
    bool unwritten = false;
    for_each_byte(records[index], [&](BlockByte byte) {
      const auto written = first_write.find(byte);
      unwritten |= written == first_write.end() || written->second > stretch_of_record[index];
    });
    loads += unwritten;
  }
  return loads;
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
  EXPECT_EQ(compared, 50u);
}

TEST(KernelCounters, StoresAndMatrixAccessesAreExactInTheOtherLaunchesToo) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  for (const Launch& launch : read_launches()) {
    if (launch.repeatable == "yes") continue;
    EXPECT_EQ(launch.repeatable, "cas_loop") << launch.trace;
    const ClassCounts predicted = predict(launch.trace, spec);
    for (const OperationClass of :
         {OperationClass::st, OperationClass::ldsm, OperationClass::stsm}) {
      EXPECT_EQ(of_class(predicted, of), of_class(launch.wavefronts, of)) << launch.trace;
    }
  }
}

// PyTorch's mode sorts rows of 256 as rows of 1024 whose rest nothing wrote. The same input took
// other loads when shared memory had been filled with other numbers, in the counters and the
// traces.
TEST(KernelCounters,
     LoadsThatDependOnWhatSharedMemoryHeldBeforeShowInTheTraceAsLoadsOfUnwrittenBytes) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  const std::string after_zeros = "library/0034_compute_mode.smt";
  const std::string after_noise = "library/0039_compute_mode.smt";
  const std::string full_rows = "library/0041_compute_mode.smt";
  EXPECT_EQ(loads_of_unwritten_bytes(after_zeros, spec), 980u);
  EXPECT_EQ(loads_of_unwritten_bytes(after_noise, spec), 980u);
  EXPECT_EQ(loads_of_unwritten_bytes(full_rows, spec), 0u);
  std::map<std::string, ClassCounts> measured;
  for (const Launch& launch : read_launches()) measured[launch.trace] = launch.wavefronts;
  const ClassCounts zeros = measured.at(after_zeros);
  const ClassCounts noise = measured.at(after_noise);
  EXPECT_NE(of_class(zeros, OperationClass::ld), of_class(noise, OperationClass::ld));
  EXPECT_EQ(of_class(zeros, OperationClass::st), of_class(noise, OperationClass::st));
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
