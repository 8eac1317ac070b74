// SPDX-License-Identifier: Apache-2.0
// What checksums keep a fuzzer from reaching: the input describes the columns of one frame, and
// this target puts the checksums and the compression around them.
#include <array>
#include <fuzzer/FuzzedDataProvider.h>
#include <string>

#include <tests/fuzz/read_everything.hpp>
#include <zstd.h>

#include <traces/smt/smt_format.hpp>
#include <traces/smt/smt_reader.hpp>

namespace smem {
namespace {

std::string file_header() {
  std::string bytes(kSmtMagic.begin(), kSmtMagic.end());
  smt_put(bytes, kSmtVersion, 4);
  smt_put(bytes, smt_checksum(bytes.data(), bytes.size()), 4);
  return bytes;
}

/// One column entry and its compressed bytes, from the input.
void put_column(FuzzedDataProvider& input, std::size_t column, std::size_t values,
                std::string& entries, std::string& payload) {
  const bool is_number = column < kSmtRecordColumns + kSmtPatternColumns;
  constexpr std::array<std::uint8_t, 5> kWidths = {0, 1, 2, 4, 8};
  const unsigned width = is_number ? input.PickValueInArray(kWidths) : 0;
  const std::size_t size =
      is_number ? values * width : input.ConsumeIntegralInRange<std::size_t>(0, 600);
  std::string raw = input.ConsumeBytesAsString(size);
  if (is_number) raw.resize(size);
  std::string stored(ZSTD_compressBound(raw.size()), '\0');
  stored.resize(
      raw.empty() ? 0 : ZSTD_compress(stored.data(), stored.size(), raw.data(), raw.size(), 1));
  smt_put(entries, column, 1);
  smt_put(entries, is_number ? input.ConsumeIntegralInRange<std::uint64_t>(0, 1) : 2, 1);
  smt_put(entries, width, 2);
  smt_put(entries, raw.size(), 4);
  smt_put(entries, stored.size(), 8);
  const bool small = input.ConsumeBool();
  smt_put(entries,
          small ? input.ConsumeIntegral<std::uint8_t>() : input.ConsumeIntegral<std::uint64_t>(),
          8);
  smt_put(entries,
          small ? input.ConsumeIntegral<std::uint8_t>() : input.ConsumeIntegral<std::uint64_t>(),
          8);
  payload += stored;
}

std::string frame(FuzzedDataProvider& input, std::uint64_t& records) {
  const bool is_records = input.ConsumeIntegralInRange(0, 3) != 0;
  const std::size_t record_count =
      is_records ? input.ConsumeIntegralInRange<std::size_t>(1, 20) : 0;
  const std::size_t pattern_count =
      is_records ? input.ConsumeIntegralInRange<std::size_t>(1, record_count) : 0;
  std::string entries;
  std::string payload;
  for (std::size_t column = 0; column < kSmtColumnCount - 1 && is_records; ++column) {
    put_column(input, column, column < kSmtRecordColumns ? record_count : pattern_count, entries,
               payload);
  }
  if (!is_records) put_column(input, kSmtColumnCount - 1, 0, entries, payload);
  std::string bytes;
  smt_put(bytes, kSmtFrameMarker, 4);
  smt_put(bytes, is_records ? 2 : input.ConsumeIntegralInRange<std::uint64_t>(1, 3), 1);
  smt_put(bytes, entries.size() / kSmtColumnEntryBytes, 3);
  smt_put(bytes, records, 8);
  smt_put(bytes, record_count, 4);
  smt_put(bytes, pattern_count, 4);
  smt_put(bytes, payload.size(), 4);
  smt_put(bytes,
          smt_checksum(entries.data(), entries.size(), smt_checksum(bytes.data(), bytes.size())),
          4);
  records += record_count;
  return bytes + entries + payload;
}

}  // namespace
}  // namespace smem

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider input(data, size);
  std::string bytes = smem::file_header();
  std::uint64_t records = 0;
  for (int frames = 0; frames < 4 && input.remaining_bytes() != 0; ++frames) {
    bytes += smem::frame(input, records);
  }
  smem::test::read_everything([&](const smem::GpuSpec& spec, smem::ReadOptions options) {
    return std::make_unique<smem::SmtReader>(smem::open_bytes(bytes, "input"), "input", spec,
                                             options);
  });
  return 0;
}
