// SPDX-License-Identifier: Apache-2.0
// Two convolution kernels captured on an H200, as an access list and as .smt, against Nsight
// Compute's counters for the same kernels (traces/measured/h200/README.md).
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/support/random_records.hpp>

#include <sim/config/config_loader.hpp>
#include <sim/count/pattern_costs.hpp>
#include <smem/analyzer.hpp>
#include <traces/smt/smt_reader.hpp>
#include <traces/text/access_list_reader.hpp>

namespace smem {
namespace {

const std::string kFolder = std::string(SMEMSIM_SOURCE_DIR) + "/traces/samples/";

struct Counters {
  std::uint64_t load_instructions = 0;
  std::uint64_t load_wavefronts = 0;
  std::uint64_t load_conflicts = 0;
  std::uint64_t store_instructions = 0;  ///< with an active lane
  std::uint64_t store_wavefronts = 0;
  std::uint64_t store_conflicts = 0;

  void add(Operation operation, const AccessCost& cost, std::uint64_t count) {
    const bool load = operation == Operation::load;
    (load ? load_instructions : store_instructions) += count;
    (load ? load_wavefronts : store_wavefronts) += count * cost.wavefronts;
    (load ? load_conflicts : store_conflicts) += count * cost.bank_conflicts;
  }
  friend bool operator==(const Counters&, const Counters&) = default;
};

struct Sample {
  const char* name;
  Counters measured;
};

class ConvSample : public ::testing::TestWithParam<Sample> {
 protected:
  GpuSpec spec_ = load_gpu_spec(std::string(SMEMSIM_SOURCE_DIR) + "/configs/h200.yaml");
  std::string list_ = kFolder + GetParam().name + ".csv.zst";
  std::string smt_ = kFolder + GetParam().name + ".smt";

  Counters count(TraceReader& reader) const {
    Counters counters;
    std::vector<TraceRecord> records(1000);
    while (const std::size_t size = reader.read(records)) {
      for (std::size_t index = 0; index < size; ++index) {
        const TraceRecord& record = records[index];
        counters.add(record.access.operation, analyze(spec_, record.access), record.count);
      }
    }
    return counters;
  }
};

TEST_P(ConvSample, AccessListGivesTheMeasuredCounters) {
  AccessListReader reader(TextSource(list_), spec_);
  EXPECT_EQ(count(reader), GetParam().measured);
}

TEST_P(ConvSample, SmtGivesTheMeasuredCounters) {
  SmtReader reader(smt_, spec_);
  EXPECT_EQ(count(reader), GetParam().measured);
}

TEST_P(ConvSample, ReferencesGiveTheMeasuredCounters) {
  SmtReader reader(smt_, spec_);
  reader.set_detail(SmtDetail::costs);
  PatternCosts costs(spec_);
  Counters counters;
  std::vector<SmtReference> references(1000);
  while (const std::size_t size = reader.read_references(references)) {
    costs.learn(reader.patterns(), reader.pattern_generation());
    for (std::size_t index = 0; index < size; ++index) {
      const SmtReference& reference = references[index];
      counters.add(reader.patterns()[reference.pattern].operation,
                   costs.cost(reader.patterns(), reference.pattern, reference.base_bytes),
                   reference.count);
    }
  }
  EXPECT_EQ(counters, GetParam().measured);
}

TEST_P(ConvSample, BothFilesHoldTheSameRecords) {
  AccessListReader list(TextSource(list_), spec_);
  SmtReader smt(smt_, spec_);
  std::vector<TraceRecord> from_list(1000);
  std::vector<TraceRecord> from_smt(1000);
  while (const std::size_t size = list.read(from_list)) {
    ASSERT_EQ(smt.read(from_smt), size);
    for (std::size_t index = 0; index < size; ++index) {
      ASSERT_TRUE(test::same_record(from_list[index], from_smt[index]));
    }
  }
  EXPECT_EQ(smt.read(from_smt), 0u);
  EXPECT_EQ(list.info(), smt.info());
}

TEST_P(ConvSample, SmtTakesAtMost6BytesAnAccess) {
  const Counters& measured = GetParam().measured;
  EXPECT_LE(std::filesystem::file_size(smt_),
            6 * (measured.load_instructions + measured.store_instructions));
}

INSTANTIATE_TEST_SUITE_P(
    H200, ConvSample,
    ::testing::Values(Sample{"conv5", {307'200, 614'400, 307'200, 4'608, 6'912, 2'304}},
                      Sample{"conv3", {110'592, 221'184, 110'592, 4'608, 6'144, 1'536}}),
    [](const auto& sample) { return std::string(sample.param.name); });

}  // namespace
}  // namespace smem
