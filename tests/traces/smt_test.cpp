// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/support/random_records.hpp>

#include <traces/smt/smt_format.hpp>
#include <traces/smt/smt_reader.hpp>
#include <traces/smt/smt_writer.hpp>

namespace smem {
namespace {

using test::permissive_spec;
using test::RandomRecords;
using test::same_record;

SmtWriter::Sink sink_into(std::string& bytes) {
  return [&bytes](std::span<const char> more) { bytes.append(more.begin(), more.end()); };
}

TraceInfo some_info() {
  return {"NVIDIA H200",
          "a capture tool, version 1",
          {{"first<int, 3>(float*)", {4, 4, 16}, {8, 8, 8}, 49152, 64},
           {"", {}, {}, 0, 0},
           {"line\nbreak and \"quotes\"", {1, 0xffffffffu, 1}, {1024, 1, 1}, 1, 255}},
          {{"tile", 1024, 2048}, {"", 0, 0xffffffffu}}};
}

std::vector<TraceRecord> random_records(std::uint32_t seed, std::size_t count,
                                        std::uint32_t kernels) {
  RandomRecords random(seed);
  std::vector<TraceRecord> records;
  while (records.size() < count) {
    const std::size_t repeats = random.below(4) == 0 ? random.below(20) : 1;
    const TraceRecord record = random.record(kernels, permissive_spec().shared_window_bytes);
    for (std::size_t index = 0; index < repeats; ++index) records.push_back(record);
  }
  records.resize(count);
  return records;
}

std::string written(const TraceInfo& info, std::span<const TraceRecord> records,
                    SmtWriterOptions options = {}) {
  std::string bytes;
  SmtWriter writer(sink_into(bytes), options);
  writer.update(info);
  writer.write(records);
  writer.finish();
  return bytes;
}

struct ReadResult {
  std::vector<TraceRecord> records;
  TraceInfo info;
  SkippedParts skipped;
  std::string error;
  std::uint64_t good_records = 0;
};

/// Reads as much as there is, `batch` records at a time.
ReadResult read_all(const std::string& bytes, ReadOptions options = {}, std::size_t batch = 100) {
  ReadResult result;
  try {
    SmtReader reader(open_bytes(bytes, "trace.smt"), "trace.smt", permissive_spec(), options);
    std::vector<TraceRecord> records(batch);
    try {
      while (const std::size_t size = reader.read(records)) {
        result.records.insert(result.records.end(), records.begin(),
                              records.begin() + static_cast<std::ptrdiff_t>(size));
      }
    } catch (const TraceError& error) {
      result.error = error.what();
      result.good_records = error.good_records();
    }
    result.info = reader.info();
    result.skipped = reader.skipped();
  } catch (const TraceError& error) {
    result.error = error.what();
  }
  return result;
}

void expect_prefix(const std::vector<TraceRecord>& read, const std::vector<TraceRecord>& whole) {
  ASSERT_LE(read.size(), whole.size());
  for (std::size_t index = 0; index < read.size(); ++index) {
    ASSERT_TRUE(same_record(read[index], whole[index])) << "record " << index;
  }
}

// Property: whatever was written is read back. Generator: RandomRecords, seeds 1 to 20, frames of 1
// to 65536 records, batches of 1 to 1000.
TEST(Smt, RoundTripOfRandomRecordsIsLossless) {
  const TraceInfo info = some_info();
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const auto records = random_records(seed, 2000, 3);
    const std::uint32_t frame_sizes[] = {1, 7, 500, 65536};
    const std::size_t batches[] = {1, 33, 1000};
    const std::string bytes = written(info, records, {3, frame_sizes[seed % 4]});
    const ReadResult result = read_all(bytes, {}, batches[seed % 3]);
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.info, info);
    ASSERT_EQ(result.records.size(), records.size());
    expect_prefix(result.records, records);
  }
}

TEST(Smt, AFileWithoutRecordsIsReadBack) {
  const ReadResult result = read_all(written({}, {}));
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.records.size(), 0u);
  EXPECT_EQ(result.info, TraceInfo{});
}

TEST(Smt, KernelsMayAppearWhileRecordsAreWritten) {
  std::string bytes;
  SmtWriter writer(sink_into(bytes), {3, 10});
  TraceRecord record;
  for (std::uint32_t kernel = 0; kernel < 5; ++kernel) {
    EXPECT_EQ(writer.add_kernel({"kernel" + std::to_string(kernel), {}, {}, kernel, 0}), kernel);
    record.kernel = kernel;
    for (int index = 0; index < 25; ++index) writer.write(record);
  }
  writer.finish();
  SmtReader reader(open_bytes(bytes, "trace.smt"), "trace.smt", permissive_spec());
  EXPECT_TRUE(reader.info().kernels.empty());
  std::vector<TraceRecord> records(25);
  for (std::uint32_t kernel = 0; kernel < 5; ++kernel) {
    ASSERT_EQ(reader.read(records), 25u);
    EXPECT_EQ(records.back().kernel, kernel);
    EXPECT_GT(reader.info().kernels.size(), kernel);
  }
  EXPECT_EQ(reader.info().kernels[4].name, "kernel4");
}

TEST(Smt, ARecordOfAnUnknownKernelIsRefused) {
  std::string bytes;
  SmtWriter writer(sink_into(bytes));
  TraceRecord record;
  writer.write(record);
  record.kernel = 1;
  EXPECT_THROW(writer.write(record), TraceError);
}

TEST(Smt, ReferencesGiveTheSameRecords) {
  const auto records = random_records(3, 3000, 3);
  const std::string bytes = written(some_info(), records, {3, 400});
  SmtReader reader(open_bytes(bytes, "trace.smt"), "trace.smt", permissive_spec());
  std::vector<SmtReference> references(170);
  std::size_t at = 0;
  while (const std::size_t size = reader.read_references(references)) {
    for (std::size_t index = 0; index < size; ++index, ++at) {
      const SmtReference& reference = references[index];
      ASSERT_EQ(reader.patterns()[reference.pattern].at(reference.base_bytes), records[at].access);
      ASSERT_EQ(reference.kernel, records[at].kernel);
      ASSERT_EQ(reference.block, records[at].block);
      ASSERT_EQ(reference.warp, records[at].warp);
      ASSERT_EQ(reference.pc, records[at].pc);
      ASSERT_EQ(reference.count, records[at].count);
    }
  }
  EXPECT_EQ(at, records.size());
}

TEST(Smt, PatternsAreRenumberedBeforeTheyFillTheMemory) {
  RandomRecords random(9);
  std::string bytes;
  SmtWriter writer(sink_into(bytes), {1, 65536});
  std::vector<WarpAccess> accesses;
  for (int index = 0; index < 400'000; ++index) {
    TraceRecord record;
    record.access.active_mask = 3;
    record.access.offsets_bytes[0] = 4 * random.below(1 << 17);
    record.access.offsets_bytes[1] = 4 * random.below(1 << 17);
    writer.write(record);
    accesses.push_back(record.access);
  }
  writer.finish();
  SmtReader reader(open_bytes(bytes, "trace.smt"), "trace.smt", permissive_spec());
  std::vector<SmtReference> references(1000);
  std::size_t at = 0;
  while (const std::size_t size = reader.read_references(references)) {
    for (std::size_t index = 0; index < size; ++index) {
      const SmtReference& reference = references[index];
      ASSERT_EQ(reader.patterns()[reference.pattern].at(reference.base_bytes), accesses[at++]);
    }
    ASSERT_LE(reader.patterns().size(), (1u << 17) + (1u << 16));
  }
  EXPECT_EQ(at, accesses.size());
  EXPECT_GT(reader.pattern_generation(), 0u);
}

TEST(Smt, OpenAtStartsAtAnyRecord) {
  const auto records = random_records(5, 1000, 3);
  const std::string file = ::testing::TempDir() + "/open_at_test.smt";
  {
    SmtWriter writer(file, {3, 64});
    writer.update(some_info());
    writer.write(records);
    writer.finish();
  }
  for (const std::size_t first : {0u, 1u, 63u, 64u, 65u, 500u, 999u, 1000u}) {
    const auto reader = SmtReader::open_at(file, permissive_spec(), first);
    EXPECT_EQ(reader->info(), some_info());
    std::vector<TraceRecord> rest(2000);
    ASSERT_EQ(reader->read(rest), records.size() - first);
    rest.resize(records.size() - first);
    expect_prefix(rest, {records.begin() + static_cast<std::ptrdiff_t>(first), records.end()});
  }
  EXPECT_THROW((void)SmtReader::open_at(file, permissive_spec(), 1001), TraceError);
  std::remove(file.c_str());
}

TEST(Smt, RecordsTheGpuDoesNotAllowAreRefusedWithTheirNumber) {
  GpuSpec spec = permissive_spec();
  spec.shared_window_bytes = 4096;
  std::vector<TraceRecord> records(10);
  records[7].access.offsets_bytes[31] = 4096;
  const std::string bytes = written({}, records);
  SmtReader reader(open_bytes(bytes, "trace.smt"), "trace.smt", spec);
  std::vector<TraceRecord> read(20);
  EXPECT_EQ(reader.read(read), 7u);
  try {
    reader.read(read);
    FAIL() << "expected an error";
  } catch (const TraceError& error) {
    EXPECT_EQ(error.good_records(), 7u);
    EXPECT_NE(std::string(error.what()).find("trace.smt: record 7 (frame at byte"),
              std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("found 4096 in lane 31"), std::string::npos);
  }
  SmtReader skipping(open_bytes(bytes, "trace.smt"), "trace.smt", spec, {.skip_damaged = true});
  EXPECT_EQ(skipping.read(read), 9u);
  EXPECT_EQ(skipping.skipped(), (SkippedParts{1, 1, 0}));
}

TEST(Smt, AFileCutAtAnyByteGivesTheRecordsBeforeAndAnError) {
  const auto records = random_records(11, 60, 3);
  const std::string bytes = written(some_info(), records, {3, 20});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const ReadResult result = read_all(bytes.substr(0, size));
    ASSERT_NE(result.error, "") << "cut at byte " << size;
    ASSERT_NE(result.error.find("trace.smt: byte "), std::string::npos) << result.error;
    ASSERT_EQ(result.good_records, result.records.size());
    expect_prefix(result.records, records);
  }
}

TEST(Smt, AFlippedBitIsFoundOrChangesNothing) {
  const auto records = random_records(12, 60, 3);
  const std::string bytes = written(some_info(), records, {3, 20});
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const ReadResult result = read_all(damaged);
      expect_prefix(result.records, records);
      if (result.error.empty()) {
        ASSERT_EQ(result.records.size(), records.size()) << "byte " << at << " bit " << bit;
        ASSERT_EQ(result.info, some_info());
      }
    }
  }
}

TEST(Smt, SkippingDamageLosesOnlyTheDamagedFrame) {
  const auto records = random_records(13, 100, 3);
  const std::string bytes = written(some_info(), records, {3, 20});
  std::size_t losses = 0;
  for (std::size_t at = kSmtFileHeaderBytes; at < bytes.size(); at += 5) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    const ReadResult result = read_all(damaged, {.skip_damaged = true});
    ASSERT_EQ(result.error, "");
    ASSERT_GE(result.records.size(), records.size() - 20) << "byte " << at;
    ASSERT_EQ(result.skipped.records, records.size() - result.records.size()) << "byte " << at;
    losses += result.skipped.records != 0 ? 1 : 0;
  }
  EXPECT_GT(losses, 50u);
}

/// A file header and a frame header with sound checksums that claims `records`, `patterns` and
/// `payload_bytes`, and whose column entries all claim `raw_bytes`.
std::string claiming(std::uint32_t kind, std::uint64_t records, std::uint64_t patterns,
                     std::uint64_t payload_bytes, std::uint64_t raw_bytes) {
  std::string bytes = written({}, {}).substr(0, kSmtFileHeaderBytes);
  const std::size_t columns = kind == 2 ? kSmtColumnCount - 1 : 1;
  std::string entries;
  for (std::size_t index = 0; index < columns; ++index) {
    smt_put(entries, kind == 2 ? index : kSmtColumnCount - 1, 1);
    smt_put(entries, kind != 2 || index >= kSmtRecordColumns + kSmtPatternColumns ? 2 : 0, 1);
    smt_put(entries, 4, 2);
    smt_put(entries, raw_bytes, 4);
    smt_put(entries, raw_bytes, 8);
    smt_put(entries, 0, 16);
  }
  std::string head;
  smt_put(head, kSmtFrameMarker, 4);
  smt_put(head, kind, 1);
  smt_put(head, columns, 3);
  smt_put(head, 0, 8);
  smt_put(head, records, 4);
  smt_put(head, patterns, 4);
  smt_put(head, payload_bytes, 4);
  smt_put(head,
          smt_checksum(entries.data(), entries.size(), smt_checksum(head.data(), head.size())), 4);
  return bytes + head + entries;
}

std::size_t peak_memory_kib() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmPeak:")) return std::stoul(line.substr(7));
  }
  return 0;
}

TEST(Smt, AbsurdSizesAreRefusedBeforeTheyCostMemory) {
  const std::size_t before_kib = peak_memory_kib();
  ASSERT_NE(before_kib, 0u);
  constexpr std::uint64_t kMost = 0xffffffffu;
  EXPECT_NE(read_all(claiming(2, kMost, 1, 76, 4)).error.find("found 4294967295"),
            std::string::npos);
  for (const std::string& bytes :
       {claiming(2, kMost, kMost, kMost, kMost), claiming(2, 65536, 65536, kMost, 4 * 65536),
        claiming(2, 65537, 1, 76, 4), claiming(2, 1, 2, 76, 4), claiming(2, 1, 1, kMost, 4),
        claiming(1, 0, 0, kMost, kMost), claiming(1, 0, 0, 1u << 24, 1u << 24),
        claiming(3, 1, 0, 4, 4), claiming(9, 0, 0, 4, 4)}) {
    const ReadResult result = read_all(bytes);
    EXPECT_NE(result.error.find("trace.smt: byte 16: expected "), std::string::npos)
        << result.error;
    EXPECT_EQ(read_all(bytes, {.skip_damaged = true}).records.size(), 0u);
  }
  EXPECT_LT(peak_memory_kib(), before_kib + 64 * 1024);
}

TEST(Smt, ANameWithoutItsPredecessorsIsRefused) {
  std::string bytes;
  SmtWriter writer(sink_into(bytes));
  for (int kernel = 0; kernel < 3; ++kernel) writer.add_kernel({});
  writer.flush();
  const std::size_t first_end = bytes.size();
  writer.add_kernel({});
  writer.finish();
  const ReadResult result =
      read_all(bytes.substr(0, kSmtFileHeaderBytes) + bytes.substr(first_end));
  EXPECT_NE(result.error.find("expected kernel or array 0, found number 3"), std::string::npos)
      << result.error;
}

TEST(Smt, UnrelatedGathersTakeAtMost80BytesEach) {
  for (const unsigned bytes_per_lane : {1u, 4u, 8u, 16u}) {
    RandomRecords random(21);
    std::string bytes;
    SmtWriter writer(sink_into(bytes));
    constexpr std::size_t kCount = 100'000;
    for (std::size_t index = 0; index < kCount; ++index) {
      TraceRecord record;
      record.access.bytes_per_lane = static_cast<std::uint8_t>(bytes_per_lane);
      for (std::uint32_t& offset : record.access.offsets_bytes) {
        offset = random.below(233472 / bytes_per_lane) * bytes_per_lane;
      }
      record.block = static_cast<std::uint32_t>(index / 512);
      record.warp = random.below(16);
      record.pc = 16 * random.below(64);
      writer.write(record);
    }
    writer.finish();
    const double each = static_cast<double>(bytes.size()) / kCount;
    RecordProperty("bytes_per_gather_" + std::to_string(bytes_per_lane), std::to_string(each));
    EXPECT_LE(each, 80.0) << bytes_per_lane << " bytes a lane";
  }
}

}  // namespace
}  // namespace smem
