// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/support/random_records.hpp>

#include <traces/text/access_list_reader.hpp>
#include <traces/text/access_list_writer.hpp>

namespace smem {
namespace {

using test::permissive_spec;
using test::RandomRecords;
using test::same_record;

/// Random records that access lists have a name for.
std::vector<TraceRecord> nameable_records(std::uint32_t seed, std::size_t count) {
  RandomRecords random(seed);
  std::vector<TraceRecord> records;
  while (records.size() < count) {
    const TraceRecord record = random.record(2, permissive_spec().shared_window_bytes);
    const WarpAccess& access = record.access;
    if (!operation_name(access.operation, access.bytes_per_lane).empty()) records.push_back(record);
  }
  return records;
}

const TraceInfo kInfo = {"A GPU",
                         "a tool",
                         {{"k<1, \"x\">", {1, 2, 3}, {4, 5, 6}, 7, 8}, {"", {}, {}, 0, 0}},
                         {{"tile a", 0, 128}}};

// Property: whatever was written is read back. Generator: RandomRecords, seeds 1 to 9, through
// plain text, gzip and zstd.
TEST(AccessListWriter, RoundTripOfRandomRecordsIsLossless) {
  const Compression compressions[] = {Compression::none, Compression::gzip, Compression::zstd};
  for (std::uint32_t seed = 1; seed <= 9; ++seed) {
    const auto records = nameable_records(seed, 1000);
    std::ostringstream out;
    const auto sink = sink_into(out, compressions[seed % 3]);
    AccessListWriter writer(*sink);
    writer.update(kInfo);
    writer.write(records);
    writer.finish();
    const std::string bytes = out.str();
    AccessListReader reader(TextSource(open_bytes(bytes, "list"), "list"), permissive_spec());
    std::vector<TraceRecord> read(records.size() + 1);
    ASSERT_EQ(reader.read(read), records.size());
    for (std::size_t index = 0; index < records.size(); ++index) {
      ASSERT_TRUE(same_record(read[index], records[index])) << "seed " << seed << ", " << index;
    }
    EXPECT_EQ(reader.info(), kInfo);
  }
}

TEST(AccessListWriter, KernelsMayAppearBetweenRecords) {
  std::ostringstream out;
  const auto sink = sink_into(out, Compression::none);
  AccessListWriter writer(*sink);
  TraceInfo info;
  TraceRecord record;
  for (std::uint32_t kernel = 0; kernel < 3; ++kernel) {
    info.kernels.push_back({"k" + std::to_string(kernel), {}, {}, 0, 0});
    writer.update(info);
    record.kernel = kernel;
    writer.write(record);
  }
  writer.finish();
  const std::string bytes = out.str();
  AccessListReader reader(TextSource(open_bytes(bytes, "list"), "list"), permissive_spec());
  std::vector<TraceRecord> read(4);
  ASSERT_EQ(reader.read(read), 3u);
  EXPECT_EQ(read[2].kernel, 2u);
  EXPECT_EQ(reader.info(), info);
}

TEST(AccessListWriter, RefusesWhatAListCannotSay) {
  std::ostringstream out;
  const auto sink = sink_into(out, Compression::none);
  AccessListWriter writer(*sink);
  EXPECT_THROW(writer.update({"", "", {{"two\nlines", {}, {}, 0, 0}}, {}}), TraceError);
  TraceRecord record;
  record.access.operation = Operation::atomic_add;
  record.access.bytes_per_lane = 1;
  EXPECT_THROW(writer.write(record), TraceError);
}

}  // namespace
}  // namespace smem
