// SPDX-License-Identifier: Apache-2.0
// Two convolution kernels captured on an H200, one kept as an access list and one as .smt, against
// Nsight Compute's counters for the same kernels (traces/measured/h200/README.md).
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/support/random_records.hpp>

#include <sim/count/pattern_costs.hpp>
#include <smem/analyzer.hpp>
#include <smem/gpus.hpp>
#include <traces/bytes/byte_sink.hpp>
#include <traces/formats/open_trace.hpp>
#include <traces/record_batches.hpp>
#include <traces/smt/smt_reader.hpp>
#include <traces/smt/smt_writer.hpp>
#include <traces/text/access_list_reader.hpp>
#include <traces/text/access_list_writer.hpp>

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
  const char* file;
  Counters measured;
};

template <class Writer>
void copy_sample(const Sample& sample, Writer& writer) {
  const auto trace = open_trace(kFolder + sample.file, kH200);
  for (RecordBatches batches(*trace); batches.next();) {
    writer.update(trace->info());
    writer.write(batches.records());
  }
  writer.update(trace->info());
  writer.finish();
}

std::string as_list(const Sample& sample) {
  std::ostringstream text;
  const auto sink = sink_into(text, Compression::none);
  AccessListWriter writer(*sink);
  copy_sample(sample, writer);
  return text.str();
}

std::string as_smt(const Sample& sample) {
  std::string bytes;
  SmtWriter writer([&](std::span<const char> more) { bytes.append(more.begin(), more.end()); });
  copy_sample(sample, writer);
  return bytes;
}

class ConvSample : public ::testing::TestWithParam<Sample> {
 protected:
  static Counters count(TraceReader& reader) {
    Counters counters;
    std::vector<TraceRecord> records(1000);
    while (const std::size_t size = reader.read(records)) {
      for (std::size_t index = 0; index < size; ++index) {
        const TraceRecord& record = records[index];
        counters.add(record.access.operation, analyze(kH200, record.access), record.count);
      }
    }
    return counters;
  }
};

TEST_P(ConvSample, AccessListGivesTheMeasuredCounters) {
  const std::string text = as_list(GetParam());
  AccessListReader reader(TextSource(open_bytes(text, "list"), "list"), kH200);
  EXPECT_EQ(count(reader), GetParam().measured);
}

TEST_P(ConvSample, SmtGivesTheMeasuredCounters) {
  const std::string bytes = as_smt(GetParam());
  SmtReader reader(open_bytes(bytes, "smt"), "smt", kH200);
  EXPECT_EQ(count(reader), GetParam().measured);
}

TEST_P(ConvSample, ReferencesGiveTheMeasuredCounters) {
  const std::string bytes = as_smt(GetParam());
  SmtReader reader(open_bytes(bytes, "smt"), "smt", kH200);
  reader.set_detail(SmtDetail::costs);
  PatternCosts costs(kH200);
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

TEST_P(ConvSample, BothFormsHoldTheSameRecords) {
  const std::string text = as_list(GetParam());
  const std::string bytes = as_smt(GetParam());
  AccessListReader list(TextSource(open_bytes(text, "list"), "list"), kH200);
  SmtReader smt(open_bytes(bytes, "smt"), "smt", kH200);
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
  EXPECT_LE(as_smt(GetParam()).size(),
            6 * (measured.load_instructions + measured.store_instructions));
}

INSTANTIATE_TEST_SUITE_P(
    H200, ConvSample,
    ::testing::Values(
        Sample{"conv5", "conv5.csv.zst", {307'200, 614'400, 307'200, 4'608, 6'912, 2'304}},
        Sample{"conv3", "conv3.smt", {110'592, 221'184, 110'592, 4'608, 6'144, 1'536}}),
    [](const auto& sample) { return std::string(sample.param.name); });

}  // namespace
}  // namespace smem
