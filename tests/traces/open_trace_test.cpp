// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/support/command_run.hpp>
#include <tests/support/random_records.hpp>
#include <tests/support/trace_text.hpp>

#include <traces/formats/open_trace.hpp>
#include <traces/smt/smt_writer.hpp>
#include <traces/text/access_list_reader.hpp>
#include <traces/text/access_list_writer.hpp>

namespace smem {
namespace {

std::string access_list(Compression compression = Compression::none) {
  std::ostringstream out;
  const auto sink = sink_into(out, compression);
  AccessListWriter writer(*sink);
  writer.update({"", "", {{"k", {}, {}, 0, 0}}, {}});
  TraceRecord record;
  for (record.warp = 0; record.warp < 20; ++record.warp) writer.write(record);
  writer.finish();
  return out.str();
}

std::string smt() {
  std::string bytes;
  SmtWriter writer([&](std::span<const char> more) { bytes.append(more.begin(), more.end()); });
  TraceRecord record;
  for (record.warp = 0; record.warp < 20; ++record.warp) writer.write(record);
  writer.finish();
  return bytes;
}

TEST(RecogniseTrace, ByTheFirstBytes) {
  EXPECT_EQ(recognise_trace(smt()), ".smt");
  EXPECT_EQ(recognise_trace(access_list()), kAccessListFormat);
  EXPECT_EQ(recognise_trace(""), kAccessListFormat);
  EXPECT_EQ(recognise_trace("\n [{\"id\":0}]"), kProgramFormat);
  EXPECT_EQ(recognise_trace("-kernel name = k\n-kernel id = 1\n"), "Accel-Sim .traceg");
  EXPECT_EQ(recognise_trace("MemcpyHtoD,0x00007f0000000000,1024\r\nkernel-1.traceg\n"),
            "Accel-Sim kernelslist.g");
  EXPECT_EQ(recognise_trace("kernel-1.traceg.xz\n"), "Accel-Sim kernelslist.g");
  EXPECT_EQ(recognise_trace("------------- NVBit Loaded --------------\nhello\n"
                            "MEMTRACE: CTX 0x1 - LAUNCH - Kernel name k"),
            "NVBit mem_trace");
  EXPECT_EQ(recognise_trace("kernel,op,bytes,mask,addresses\n"), kAccessListFormat);
}

/// A table's line without what sets it: '`', the columns' '|' and spaces.
std::string plain(std::string text) {
  std::erase_if(text, [](char letter) { return letter == '`' || letter == '|' || letter == ' '; });
  return text;
}

TEST(FormatHelp, SaysWhatTheFormatsTextSays) {
  std::ifstream file(SMEMSIM_SOURCE_DIR "/traces/FORMAT.md");
  std::set<std::string> documented;
  bool in_table = false;
  for (std::string line; std::getline(file, line);) {
    in_table = in_table ? line.starts_with('|') : line.starts_with("| format | begins with");
    if (in_table && !line.starts_with("| format") && !line.starts_with("|---")) {
      documented.insert(plain(line));
    }
  }
  std::set<std::string> helped;
  std::istringstream help(format_help());
  std::string line;
  std::getline(help, line);  // the heading
  while (std::getline(help, line)) helped.insert(plain(line));
  EXPECT_EQ(helped, documented);
  EXPECT_EQ(helped.size(), 6u);
}

TEST(OpenTrace, AFileIsReadWhateverItsNameAndCompression) {
  const test::TemporaryFolder folder;
  for (const std::string& content :
       {smt(), access_list(), access_list(Compression::gzip), access_list(Compression::zstd)}) {
    const std::string file = folder.write("trace.bin", content);
    const auto reader = open_trace(file, test::permissive_spec());
    std::vector<TraceRecord> records(30);
    EXPECT_EQ(reader->read(records), 20u);
    EXPECT_EQ(records[19].warp, 19u);
  }
}

TEST(OpenTrace, DamageInTheFirstBytesIsToldByTheReader) {
  const test::TemporaryFolder folder;
  const std::string whole = access_list(Compression::gzip);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string file = folder.write("trace.gz", whole.substr(0, size));
    std::uint64_t delivered = 0;
    try {
      const auto reader = open_trace(file, test::permissive_spec());
      std::vector<TraceRecord> records(3);
      while (const std::size_t count = reader->read(records)) delivered += count;
      FAIL() << "cut at byte " << size;
    } catch (const TraceError& error) {
      EXPECT_EQ(std::string(error.what()).find(file + ":"), 0u) << error.what();
      EXPECT_EQ(error.good_records(), delivered);
    }
  }
}

TEST(AccessList, SkippingDamageLosesLinesOnly) {
  std::string text = access_list();
  const std::size_t fifth = text.find(",0,0,4,");
  ASSERT_NE(fifth, std::string::npos);
  text[fifth + 5] = 'x';
  const auto strict = test::read_text<AccessListReader>(text);
  EXPECT_EQ(strict.records.size(), 4u);
  EXPECT_EQ(strict.good_records, 4u);
  EXPECT_NE(strict.error, "");
  const auto skipping = test::read_text<AccessListReader>(text, {.skip_damaged = true});
  EXPECT_EQ(skipping.error, "");
  EXPECT_EQ(skipping.records.size(), 19u);
  EXPECT_EQ(skipping.skipped, (SkippedParts{1, 1, 0}));
}

TEST(AccessList, AnUnclosedQuoteDoesNotReachTheNextLine) {
  std::string addresses;
  for (int lane = 0; lane < 32; ++lane) addresses += " " + std::to_string(4 * lane);
  const std::string text =
      "op,bytes,mask,name,addresses\nld,4,f,\"a, b\",\"0 4\nld,4,f,c," + addresses + "\n";
  const auto skipping = test::read_text<AccessListReader>(text, {.skip_damaged = true});
  EXPECT_EQ(skipping.records.size(), 1u);
  EXPECT_EQ(skipping.skipped, (SkippedParts{1, 1, 0}));
}

TEST(AccessList, DamagedFilesNeitherCrashNorInventRecords) {
  std::string text = access_list();
  for (int lines = 0; lines < 15; ++lines) text.resize(text.rfind('\n', text.size() - 2) + 1);
  ASSERT_EQ(test::read_text<AccessListReader>(text).records.size(), 5u);
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      for (const bool skip : {false, true}) {
        EXPECT_LE(test::read_text<AccessListReader>(damaged, {.skip_damaged = skip}).records.size(),
                  5u);
      }
    }
  }
}

}  // namespace
}  // namespace smem
