// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace smem {

/// The layout of .smt files; traces/FORMAT.md explains it. All numbers are little endian.
///
///   file header | frame | frame | … | info frames (again) | index frame | footer
///   frame = frame header | column entries | one zstd frame per column that has bytes
inline constexpr std::array<std::uint8_t, 8> kSmtMagic = {0x89, 'S',  'M',  'T',
                                                          '\r', '\n', 0x1a, '\n'};
inline constexpr std::array<std::uint8_t, 8> kSmtFooterMagic = {'S', 'M', 'T',  'E',
                                                                'N', 'D', '\r', '\n'};
inline constexpr std::uint32_t kSmtVersion = 1;
inline constexpr std::uint32_t kSmtFrameMarker = 0x46544d53;  // "SMTF"
inline constexpr std::size_t kSmtFileHeaderBytes = 16;
inline constexpr std::size_t kSmtFrameHeaderBytes = 32;
inline constexpr std::size_t kSmtColumnEntryBytes = 32;
inline constexpr std::size_t kSmtFooterBytes = 32;

/// Limits that bound a reader's memory; a writer stays below them.
inline constexpr std::uint32_t kSmtMaxRecordsPerFrame = 1u << 16;
inline constexpr std::uint32_t kSmtMaxColumnBytes = 1u << 24;
inline constexpr std::uint32_t kSmtMaxKernels = 1u << 22;
inline constexpr std::uint32_t kSmtMaxArrays = 1u << 16;
inline constexpr std::uint32_t kSmtMaxNameBytes = 1u << 16;
inline constexpr std::uint32_t kSmtMaxIndexEntries = 1u << 14;

enum class SmtFrameKind : std::uint8_t { info = 1, records = 2, index = 3 };

/// The columns of a record frame. The first group has a value per record, the second a value per
/// pattern; the last three are bytes.
enum class SmtColumn : std::uint8_t {
  pattern,
  base_bytes,
  kernel,
  block,
  warp,
  pc,
  count,
  issue_gap_instructions,
  depends_on,
  dependent_instructions,
  has_stored,
  pattern_operation,
  pattern_bytes_per_lane,
  pattern_active_mask,
  pattern_bias,
  pattern_shift,
  pattern_width_bits,
  packed_offsets,
  stored,
  text,  ///< the one column of an info or index frame
};
inline constexpr std::size_t kSmtColumnCount = 20;
inline constexpr std::size_t kSmtRecordColumns = 11;  ///< with a value per record
inline constexpr std::size_t kSmtPatternColumns = 6;  ///< with a value per pattern, behind them

/// How a column of whole numbers becomes bytes; s[i] are unsigned numbers of `width` bytes (0, 1,
/// 2, 4 or 8; 0 = all are zero and nothing is stored), sums are modulo 2^64:
enum class SmtEncoding : std::uint8_t {
  plain,  ///< value[i] = minimum + s[i]
  delta,  ///< value[0] = first, value[i] = value[i-1] + minimum + s[i]; s[0] = 0
  bytes,  ///< no numbers: the bytes themselves
};

struct SmtColumnEntry {
  SmtColumn column = SmtColumn::text;
  SmtEncoding encoding = SmtEncoding::plain;
  std::uint8_t width_bytes = 0;
  std::uint32_t raw_bytes = 0;     ///< after decompression
  std::uint32_t stored_bytes = 0;  ///< of the zstd frame; 0 when raw_bytes is 0
  std::uint64_t first = 0;
  std::uint64_t minimum = 0;
};

struct SmtFrameHeader {
  SmtFrameKind kind = SmtFrameKind::info;
  std::uint8_t column_count = 0;
  std::uint64_t first_record = 0;  ///< records in the frames before
  std::uint32_t record_count = 0;
  std::uint32_t pattern_count = 0;
  std::uint32_t payload_bytes = 0;  ///< behind the column entries
};

/// FNV-1a, 32 bits: guards what is not inside a zstd frame.
[[nodiscard]] constexpr std::uint32_t smt_checksum(const char* bytes, std::size_t size,
                                                   std::uint32_t value = 0x811c9dc5u) {
  for (std::size_t index = 0; index < size; ++index) {
    value = (value ^ static_cast<std::uint8_t>(bytes[index])) * 0x01000193u;
  }
  return value;
}

/// Appends the low `bytes` bytes of `value`, lowest first.
inline void smt_put(std::string& out, std::uint64_t value, unsigned bytes) {
  for (unsigned index = 0; index < bytes; ++index, value >>= 8) {
    out.push_back(static_cast<char>(static_cast<std::uint8_t>(value)));
  }
}

/// The unsigned number in `bytes` bytes at `from`, lowest first.
[[nodiscard]] inline std::uint64_t smt_get(const char* from, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned index = 0; index < bytes; ++index) {
    value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(from[index])) << (8 * index);
  }
  return value;
}

/// What an info frame (and the index frame, behind its entries) is made of: one letter, then
/// fields.
enum class SmtInfoTag : char {
  gpu = 'G',           ///< string
  capture_tool = 'T',  ///< string
  kernel = 'K',        ///< index u32, grid 3×u32, block 3×u32, shared u32, registers u32, string
  array = 'A',         ///< index u32, begin u32, end u32, string
};

}  // namespace smem
