// SPDX-License-Identifier: Apache-2.0
// Counting .smt files frame by frame with several threads, against their records one by one.
#include <array>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/support/command_run.hpp>
#include <tests/support/random_records.hpp>

#include <sim/count/smt_replay.hpp>
#include <sim/count/trace_counter.hpp>
#include <smem/gpus.hpp>
#include <traces/smt/smt_writer.hpp>

namespace smem {
namespace {

using test::permissive_spec;
using test::RandomRecords;

constexpr std::array kEveryBy = {ReportBy::operation, ReportBy::pc,     ReportBy::warp,
                                 ReportBy::block,     ReportBy::kernel, ReportBy::launch,
                                 ReportBy::array};
constexpr std::array kThreads = {1u, 2u, 3u, 8u};

/// What counting a file left behind.
struct Counted {
  std::string table;  ///< as CSV
  std::string error;
  std::uint64_t good_records = 0;
  SkippedParts skipped;

  friend bool operator==(const Counted&, const Counted&) = default;
};

std::ostream& operator<<(std::ostream& out, const Counted& counted) {
  return out << counted.table << counted.error << " after " << counted.good_records;
}

template <class Count>
Counted counted(const std::string& bytes, const GpuSpec& spec, ReportBy by, ReadOptions options,
                Count count) {
  Counted result;
  TallyReport report(by);
  try {
    SmtReader reader(open_bytes(bytes, "trace.smt"), "trace.smt", spec, options);
    report.begin_trace(reader.info());
    try {
      count(reader, report);
    } catch (const TraceError& error) {
      result.error = error.what();
      result.good_records = error.good_records();
    }
    result.skipped = reader.skipped();
  } catch (const TraceError& error) {
    result.error = error.what();
  }
  std::ostringstream text;
  const std::array tables = {report.table()};
  print_tables(text, tables, OutputFormat::csv);
  result.table = text.str();
  return result;
}

/// The oracle: every record analyzed by itself.
Counted one_by_one(const std::string& bytes, const GpuSpec& spec, ReportBy by,
                   ReadOptions options = {}) {
  return counted(bytes, spec, by, options, [&](SmtReader& reader, TallyReport& report) {
    reader.set_detail(FrameTally::detail(by));
    std::vector<TraceRecord> records(1);
    while (reader.read(records) != 0) {
      report.add(reader.info(), place_of(records[0]), analyze(spec, records[0].access));
    }
  });
}

Counted by_frames(const std::string& bytes, const GpuSpec& spec, ReportBy by, unsigned threads,
                  ReadOptions options = {}) {
  return counted(bytes, spec, by, options, [&](SmtReader& reader, TallyReport& report) {
    TraceCounter(spec, threads).count(reader, "trace.smt", by, report);
  });
}

void expect_agreement(const std::string& bytes, const GpuSpec& spec, ReadOptions options = {}) {
  for (const ReportBy by : kEveryBy) {
    const Counted wanted = one_by_one(bytes, spec, by, options);
    for (const unsigned threads : kThreads) {
      ASSERT_EQ(by_frames(bytes, spec, by, threads, options), wanted)
          << "by " << static_cast<int>(by) << ", " << threads << " threads";
    }
  }
}

/// Random records, each up to 20 times in a row or again later, of kernels that are named while
/// they are written; two of the three arrays overlap.
std::string random_trace(std::uint32_t seed, std::size_t count, std::uint32_t records_per_frame,
                         std::uint32_t window_bytes) {
  RandomRecords random(seed);
  std::string bytes;
  SmtWriter writer([&bytes](std::span<const char> more) { bytes.append(more.begin(), more.end()); },
                   {1, records_per_frame});
  writer.add_kernel({"first", {}, {}, 0, 0});
  writer.add_array({"tile", 0, 5000});
  writer.add_array({"halo", 4000, 20000});
  std::uint32_t kernels = 1;
  std::vector<TraceRecord> seen;
  for (std::size_t index = 0; index < count; ++index) {
    if (random.below(200) == 0) {
      writer.add_kernel({random.below(2) == 0 ? "first" : "other", {}, {}, 0, 0});
      ++kernels;
    }
    if (random.below(500) == 0)
      writer.replace_kernel(random.below(kernels), {"renamed", {}, {}, 0, 0});
    if (random.below(400) == 0) writer.add_array({"late", 30000, 60000});
    if (seen.size() < 40 || random.below(4) == 0)
      seen.push_back(random.record(kernels, window_bytes));
    TraceRecord record = seen[seen.size() - 1 - random.below(40) % seen.size()];
    for (std::uint32_t again = random.below(8) == 0 ? random.below(20) : 1; again != 0; --again) {
      writer.write(record);
    }
  }
  writer.finish();
  return bytes;
}

// Property: rows, their order and sums are those of the records, for every kind of rows and number
// of threads. Generator: random_trace, seeds 1 to 8, frames of 1 to 65536 records.
TEST(SmtReplay, RandomTracesGiveTheRowsOfTheirRecords) {
  constexpr std::array kFrames = {1u, 7u, 90u, 65536u};
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    expect_agreement(random_trace(seed, 800, kFrames[seed % 4], 1u << 16), permissive_spec());
  }
}

// Property: the same with XOR bank maps, whose alignment classes are many or never repeat.
TEST(SmtReplay, XorBankMapsGiveTheRowsOfTheRecords) {
  GpuSpec spec = permissive_spec();
  for (const std::uint32_t extra_bits : {0x20u, 0x3e0u, 0x80000000u}) {
    spec.bank_map.bank_bit_masks = {1 | extra_bits, 2, 4, 8, 16 | extra_bits, 0, 0};
    expect_agreement(random_trace(extra_bits, 500, 60, 1u << 16), spec);
  }
}

TEST(SmtReplay, MoreUnrelatedPatternsThanAreRememberedGiveTheRowsOfTheRecords) {
  RandomRecords random(5);
  std::string bytes;
  SmtWriter writer([&bytes](std::span<const char> more) { bytes.append(more.begin(), more.end()); },
                   {1, 3000});
  for (int index = 0; index < 20000; ++index) writer.write(random.record(1, 1u << 16));
  writer.finish();
  const Counted wanted = one_by_one(bytes, permissive_spec(), ReportBy::operation);
  for (const unsigned threads : kThreads) {
    EXPECT_EQ(by_frames(bytes, permissive_spec(), ReportBy::operation, threads), wanted);
  }
}

TEST(SmtReplay, ACapturedSampleGivesTheRowsOfItsRecords) {
  expect_agreement(test::read_file(test::source_file("traces/samples/conv3.smt")), kH200);
}

// Property: a damaged file gives the same rows, message and number of good records with any number
// of threads. Generator: a trace of frames of 40 records, cut off at, or with one bit flipped in,
// every 47th byte.
TEST(SmtReplay, DamageIsMetAtTheSameRecord) {
  const std::string whole = random_trace(3, 400, 40, 1u << 16);
  std::size_t damaged = 0;
  for (std::size_t position = 0; position < whole.size(); position += 47) {
    std::string flipped = whole;
    flipped[position] = static_cast<char>(flipped[position] ^ (1 << (position % 8)));
    for (const std::string& bytes : {whole.substr(0, position), flipped}) {
      const ReportBy by = kEveryBy[position % kEveryBy.size()];
      const Counted wanted = one_by_one(bytes, permissive_spec(), by);
      damaged += wanted.error.empty() ? 0 : 1;
      for (const unsigned threads : {1u, 3u}) {
        ASSERT_EQ(by_frames(bytes, permissive_spec(), by, threads), wanted) << "byte " << position;
      }
    }
  }
  EXPECT_GT(damaged, whole.size() / 47);
}

// Property: so does a file with records that the GPU does not allow.
TEST(SmtReplay, RefusedRecordsAreMetAtTheSameRecord) {
  GpuSpec small = permissive_spec();
  std::size_t refused = 0;
  for (std::uint32_t seed = 20; seed < 30; ++seed) {
    const std::string bytes = random_trace(seed, 300, 30, 1u << 16);
    small.shared_window_bytes = (1u << 16) - 64 * (seed - 19);
    expect_agreement(bytes, small);
    refused += one_by_one(bytes, small, ReportBy::pc).error.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 5u);
}

// Property: and so do files whose damage is skipped, which says how much that was. Generator: every
// 997th byte of a trace of frames of 50 records inverted.
TEST(SmtReplay, SkippedDamageIsTheSameWithAnyNumberOfThreads) {
  const std::string whole = random_trace(9, 600, 50, 1u << 16);
  ReadOptions options;
  options.skip_damaged = true;
  std::size_t damaged = 0;
  for (std::size_t position = 20; position < whole.size(); position += 997) {
    std::string bytes = whole;
    bytes[position] = static_cast<char>(~bytes[position]);
    for (const ReportBy by : {ReportBy::operation, ReportBy::pc}) {
      const Counted wanted = one_by_one(bytes, permissive_spec(), by, options);
      damaged += wanted.skipped.places != 0 ? 1 : 0;
      for (const unsigned threads : {1u, 3u}) {
        ASSERT_EQ(by_frames(bytes, permissive_spec(), by, threads, options), wanted);
      }
    }
  }
  EXPECT_GT(damaged, 10u);
}

TEST(SmtReplay, AFileWithoutRecordsHasNoRows) {
  std::string bytes;
  SmtWriter writer(
      [&bytes](std::span<const char> more) { bytes.append(more.begin(), more.end()); });
  writer.finish();
  expect_agreement(bytes, permissive_spec());
}

}  // namespace
}  // namespace smem
