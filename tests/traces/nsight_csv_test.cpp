// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include <traces/measurements/nsight_csv.hpp>

namespace smem {
namespace {

const std::string kWavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
const std::string kConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";

NsightReport read(const std::string& text, ReadOptions options = {}) {
  return read_nsight_csv(TextSource(open_bytes(text, "report"), "report"), options);
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "";
}

const std::string kRaw =
    "==PROF== Connected to process 4242 (/tmp/app)\n"
    "a line, of the \"program\" itself\n"
    "==PROF== Profiling \"conv\": 0%....50%....100% - 9 passes\n"
    "==WARNING== something, about clocks\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel "
    "Name\",\"Context\",\"Stream\",\"Block "
    "Size\",\"Grid Size\",\"Device\",\"CC\",\"" +
    kConflicts + "\",\"" + kWavefronts +
    "\",\"sm__throughput.avg.pct\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"%\"\n"
    "\"0\",\"4242\",\"app\",\"host\",\"conv(const float *, float *)\",\"1\",\"7\",\"(8, 8, "
    "8)\",\"(4, 4, "
    "16)\",\"0\",\"9.0\",\"307,200\",\"614,400\",\"12.5\"\n"
    "\"1\",\"4242\",\"app\",\"host\",\"other\",\"1\",\"7\",\"(256, 1, 1)\",\"(1, 1, "
    "1)\",\"0\",\"9.0\",\"n/a\",\"7\",\"1,234.75\"\n";

TEST(NsightCsv, RawPageIsOneRowALaunch) {
  const NsightReport report = read(kRaw);
  ASSERT_EQ(report.launches.size(), 2u);
  const NsightLaunch& first = report.launches[0];
  EXPECT_EQ(first.id, 0u);
  EXPECT_EQ(first.kernel, "conv(const float *, float *)");
  EXPECT_EQ(first.block, (std::array<std::uint32_t, 3>{8, 8, 8}));
  EXPECT_EQ(first.grid, (std::array<std::uint32_t, 3>{4, 4, 16}));
  EXPECT_EQ(first.value(kWavefronts), 614400);
  EXPECT_EQ(first.value(kConflicts), 307200);
  EXPECT_EQ(first.metrics.at("sm__throughput.avg.pct"), (NsightMetric{12.5, "%"}));
  EXPECT_EQ(report.launches[1].value(kConflicts), std::nullopt);
  EXPECT_EQ(report.launches[1].value("sm__throughput.avg.pct"), 1234.75);
  EXPECT_EQ(first.value("CC"), std::nullopt);
}

TEST(NsightCsv, SeparatorsMayBeSwapped) {
  std::string text = kRaw;
  for (const auto& [from, to] :
       {std::pair{"307,200", "307.200"}, std::pair{"614,400", "614.400"},
        std::pair{"\"12.5\"", "\"12,5\""}, std::pair{"1,234.75", "1.234,75"}}) {
    text.replace(text.find(from), std::string(from).size(), to);
  }
  const NsightReport report = read(text);
  EXPECT_EQ(report.launches[0].value(kWavefronts), 614400);
  EXPECT_EQ(report.launches[0].value("sm__throughput.avg.pct"), 12.5);
  EXPECT_EQ(report.launches[1].value("sm__throughput.avg.pct"), 1234.75);
}

TEST(NsightCsv, TwoNotationsInOneFileAreAnError) {
  std::string text = kRaw;
  text.replace(text.find("\"12.5\""), 6, "\"12,5\"");
  EXPECT_NE(error_of(text).find("one notation of numbers in the file, found '1,234.75'"),
            std::string::npos)
      << error_of(text);
}

TEST(NsightCsv, DetailsPageIsOneRowAMetric) {
  const std::string head =
      "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel "
      "Name\",\"Context\",\"Stream\",\"Block "
      "Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric "
      "Unit\",\"Metric "
      "Value\",\"Rule Name\"\n";
  const auto row = [](const std::string& id, const std::string& metric, const std::string& value) {
    return "\"" + id + "\",\"1\",\"app\",\"host\",\"k" + id +
           "\",\"1\",\"7\",\"(32, 1, 1)\",\"(2, 1, 1)\",\"0\",\"9.0\",\"Command line profiler "
           "metrics\",\"" +
           metric + "\",\"\",\"" + value + "\",\"\"\n";
  };
  const NsightReport report =
      read("==PROF== Disconnected\n" + head + row("0", kWavefronts, "1,000,000") +
           row("0", kConflicts, "12") + row("0", "", "") + row("1", kWavefronts, "3"));
  ASSERT_EQ(report.launches.size(), 2u);
  EXPECT_EQ(report.launches[0].value(kWavefronts), 1000000);
  EXPECT_EQ(report.launches[0].value(kConflicts), 12);
  EXPECT_EQ(report.launches[0].metrics.size(), 2u);
  EXPECT_EQ(report.launches[1].kernel, "k1");
  EXPECT_EQ(report.launches[1].value(kWavefronts), 3);
}

TEST(NsightCsv, SourcePageIsOneRowAnInstruction) {
  const NsightReport report = read(
      "\"Kernel Name\",\"conv(float *)\"\n"
      "\"#\",\"Address\",\"Source\",\"L1 Wavefronts Shared\",\"L1 Wavefronts Shared Ideal\",\"L1 "
      "Wavefronts Shared Excessive\",\"L1 Conflicts Shared N-Way\"\n"
      "\"0\",\"00007f4b9a000340\",\"      STS [R2], R4 \",\"6,912\",\"4,608\",\"2,304\",\"1.5\"\n"
      "\"1\",\"00007f4b9a000350\",\"@P0 LDS R4, [R2+0x10]\",\"0\",\"0\",\"0\",\"n/a\"\n");
  ASSERT_EQ(report.source_rows.size(), 2u);
  const NsightSourceRow& row = report.source_rows[0];
  EXPECT_EQ(row.kernel, "conv(float *)");
  EXPECT_EQ(row.address, 0x7f4b9a000340u);
  EXPECT_EQ(row.sass, "STS [R2], R4");
  EXPECT_EQ(row.values.at("L1 Wavefronts Shared"), 6912);
  EXPECT_EQ(row.values.at("L1 Wavefronts Shared Ideal"), 4608);
  EXPECT_EQ(row.values.at("L1 Conflicts Shared N-Way"), 1.5);
  EXPECT_EQ(report.source_rows[1].values.count("L1 Conflicts Shared N-Way"), 0u);
}

// As the profiler prints it: a kernel row with an empty third field, "-" for no value, addresses
// with 0x, columns that occur twice, and one such table per kernel.
TEST(NsightCsv, SourcePageOfSeveralKernels) {
  const auto table = [](const std::string& kernel, const std::string& address) {
    return "\"Kernel Name\",\"" + kernel +
           "\",\n\"Address\",\"Source\",\"Instructions Executed\",\"# Samples\",\"Instructions "
           "Executed\",\"Access Size\",\"L1 Wavefronts Shared\",\"L1 Wavefronts Shared "
           "Ideal\"\n\"" +
           address +
           "\",\"      LDS R4, [R2] \",\"3632\",\"42\",\"3632\",\"-\",\"7264\",\"3632\"\n";
  };
  const NsightReport report =
      read(table("void first<(int)32>(float *, int)", "0x7fc48541d900") + table("second", "0x10"));
  ASSERT_EQ(report.source_rows.size(), 2u);
  EXPECT_EQ(report.source_rows[0].kernel, "void first<(int)32>(float *, int)");
  EXPECT_EQ(report.source_rows[0].address, 0x7fc48541d900u);
  EXPECT_EQ(report.source_rows[0].values.at("L1 Wavefronts Shared"), 7264);
  EXPECT_EQ(report.source_rows[0].values.count("Access Size"), 0u);
  EXPECT_EQ(report.source_rows[1].kernel, "second");
}

TEST(NsightCsv, SourcePageWithCudaLinesCountsSassOnly) {
  const NsightReport report = read(
      "\"Line No\",\"Source\",\"Address\",\"Source\",\"L1 Wavefronts Shared\"\n"
      "\"12\",\"tile[i] = x;\",\"\",\"\",\"64\"\n"
      "\"\",\"\",\"0x340\",\"STS [R2], R4\",\"64\"\n");
  ASSERT_EQ(report.source_rows.size(), 1u);
  EXPECT_EQ(report.source_rows[0].sass, "STS [R2], R4");
  EXPECT_EQ(report.source_rows[0].values.at("L1 Wavefronts Shared"), 64);
}

TEST(NsightCsv, VersionNumbersSayNothingAboutTheNotation) {
  const NsightReport report = read(
      "\"ID\",\"Kernel Name\",\"driver\",\"m.sum\",\"p.pct\"\n"
      "\"0\",\"k\",\"580.95.05\",\"1,234\",\"65.77\"\n");
  EXPECT_EQ(report.launches.at(0).value("m.sum"), 1234);
  EXPECT_EQ(report.launches.at(0).value("driver"), std::nullopt);
}

TEST(NsightCsv, VersionNumbersAreNoValuesInTheOtherNotationEither) {
  const NsightReport report =
      read("\"ID\",\"Kernel Name\",\"driver\",\"p.pct\"\n\"0\",\"k\",\"580.95.05\",\"65,77\"\n");
  EXPECT_EQ(report.launches.at(0).value("p.pct"), 65.77);
  EXPECT_EQ(report.launches.at(0).value("driver"), std::nullopt);
}

TEST(NsightCsv, ErrorsGiveTheLine) {
  EXPECT_NE(error_of("").find("report:1: expected a header row of Nsight Compute"),
            std::string::npos);
  EXPECT_NE(error_of("no, table\n").find("report:2: expected a header row"), std::string::npos);
  EXPECT_NE(error_of(kRaw + "\"2\",\"short\"\n").find("report:9: expected 14 fields, found 2"),
            std::string::npos)
      << error_of(kRaw + "\"2\",\"short\"\n");
  EXPECT_NE(error_of(kRaw + "\"2\",\"open\n").find("expected closed quotes"), std::string::npos);
  EXPECT_EQ(read(kRaw + "\"2\",\"short\"\n", {.skip_damaged = true}).skipped.places, 1u);
}

TEST(NsightCsv, DamagedFilesDoNotCrash) {
  for (std::size_t at = 0; at < kRaw.size(); ++at) {
    error_of(kRaw.substr(0, at));
    for (const int bit : {0, 2, 5, 7}) {
      std::string damaged = kRaw;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      error_of(damaged);
    }
  }
  SUCCEED();
}

TEST(NsightCsv, IsRecognisedByItsHeaderRow) {
  EXPECT_TRUE(looks_like_nsight_csv(kRaw));
  EXPECT_FALSE(looks_like_nsight_csv("op,bytes,mask,addresses\nld,4,f,0 4 8 12\n"));
  EXPECT_FALSE(looks_like_nsight_csv(""));
}

}  // namespace
}  // namespace smem
