// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string_view>

#include <zstd.h>

#include <traces/smt/smt_frame_reader.hpp>
#include <traces/trace_error.hpp>

namespace smem {
namespace {

constexpr std::size_t kFirstBufferBytes = 1u << 16;
constexpr std::size_t kRecordFrameColumns = kSmtColumnCount - 1;  // all but `text`

bool is_number(SmtColumn column) {
  return static_cast<std::size_t>(column) < kSmtRecordColumns + kSmtPatternColumns;
}

}  // namespace

SmtFrameReader::SmtFrameReader(std::unique_ptr<ByteSource> bytes, std::string name,
                               std::uint64_t byte_offset)
    : bytes_(std::move(bytes)),
      name_(std::move(name)),
      buffer_(kFirstBufferBytes),
      buffer_offset_(byte_offset),
      columns_(name_) {}

void SmtFrameReader::fail_at(std::uint64_t byte_offset, const std::string& message) const {
  throw TraceError(name_ + ": byte " + std::to_string(byte_offset) + ": " + message);
}

bool SmtFrameReader::have(std::size_t bytes) {
  while (end_ - begin_ < bytes) {
    if (begin_ != 0 && begin_ + bytes > buffer_.size()) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      buffer_offset_ += begin_;
      end_ -= begin_;
      begin_ = 0;
    }
    // Grows as bytes arrive: a length that is not backed by bytes costs no memory.
    if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    const std::size_t size = bytes_->read(std::span(buffer_).subspan(end_));
    if (size == 0) return false;
    end_ += size;
  }
  return true;
}

void SmtFrameReader::drop(std::size_t bytes) {
  begin_ += bytes;
}

void SmtFrameReader::read_file_header() {
  if (!have(kSmtFileHeaderBytes)) fail("expected the header of an .smt file, found its end");
  const char* head = buffer_.data() + begin_;
  if (std::memcmp(head, kSmtMagic.data(), kSmtMagic.size()) != 0) {
    fail("expected the first bytes of an .smt file, found others");
  }
  const std::uint64_t version = smt_get(head + 8, 4);
  if (smt_get(head + 12, 4) != smt_checksum(head, 12)) {
    fail("expected the file header's checksum to agree, found damage");
  }
  if (version != kSmtVersion) {
    fail("expected version " + std::to_string(kSmtVersion) + ", found " + std::to_string(version));
  }
  drop(kSmtFileHeaderBytes);
}

void SmtFrameReader::read_frame(SmtFrame& frame) {
  drop(frame_bytes_);
  frame_bytes_ = 0;
  const std::size_t head_bytes = parse_head(frame);
  if (!have(head_bytes + frame.header.payload_bytes)) {
    fail("expected a frame of " + std::to_string(head_bytes + frame.header.payload_bytes) +
         " bytes, found the end of the file after " + std::to_string(end_ - begin_));
  }
  frame.head_bytes = head_bytes;
  frame.place_payloads(buffer_.data() + begin_ + head_bytes);
  frame_bytes_ = head_bytes + frame.header.payload_bytes;
}

/// The fixed part of a frame's head, whose checksum agrees.
void SmtFrameReader::parse_header(const char* head, SmtFrame& frame) const {
  frame = SmtFrame{};
  frame.byte_offset = byte_offset();
  const std::uint64_t kind = smt_get(head + 4, 1);
  if (kind < 1 || kind > 3) fail("expected a frame of kind 1 to 3, found " + std::to_string(kind));
  frame.header.kind = static_cast<SmtFrameKind>(kind);
  frame.header.column_count = static_cast<std::uint8_t>(smt_get(head + 5, 1));
  frame.header.first_record = smt_get(head + 8, 8);
  frame.header.record_count = static_cast<std::uint32_t>(smt_get(head + 16, 4));
  frame.header.pattern_count = static_cast<std::uint32_t>(smt_get(head + 20, 4));
  frame.header.payload_bytes = static_cast<std::uint32_t>(smt_get(head + 24, 4));
}

std::size_t SmtFrameReader::parse_head(SmtFrame& frame) {
  if (!have(kSmtFrameHeaderBytes)) {
    fail(end_ == begin_ ? "expected a frame, found the end of the file"
                        : "expected a frame header, found the end of the file inside it");
  }
  if (smt_get(buffer_.data() + begin_, 4) != kSmtFrameMarker) {
    fail("expected a frame's marker, found other bytes");
  }
  const std::size_t column_count = static_cast<std::uint8_t>(buffer_[begin_ + 5]);
  const std::size_t head_bytes = kSmtFrameHeaderBytes + column_count * kSmtColumnEntryBytes;
  if (!have(head_bytes)) fail("expected a frame header, found the end of the file inside it");
  const char* head = buffer_.data() + begin_;
  const char* entries = head + kSmtFrameHeaderBytes;
  const std::uint32_t checksum = smt_checksum(entries, head_bytes - kSmtFrameHeaderBytes,
                                              smt_checksum(head, kSmtFrameHeaderBytes - 4));
  if (smt_get(head + 28, 4) != checksum) {
    fail("expected the frame header's checksum to agree, found damage");
  }
  parse_header(head, frame);
  check_counts(frame);
  const bool is_records = frame.header.kind == SmtFrameKind::records;
  const std::size_t wanted_columns = is_records ? kRecordFrameColumns : 1;
  if (column_count != wanted_columns) {
    fail("expected " + std::to_string(wanted_columns) + " columns in the frame, found " +
         std::to_string(column_count));
  }
  for (std::size_t index = 0; index < column_count; ++index) {
    parse_entry(entries + index * kSmtColumnEntryBytes, is_records ? index : kSmtColumnCount - 1,
                frame);
  }
  std::uint64_t payload_bytes = 0;
  for (const SmtColumnEntry& entry : frame.entries) payload_bytes += entry.stored_bytes;
  if (payload_bytes != frame.header.payload_bytes) {
    fail("expected " + std::to_string(payload_bytes) + " bytes in the frame, found " +
         std::to_string(frame.header.payload_bytes));
  }
  return head_bytes;
}

void SmtFrameReader::parse_entry(const char* from, std::size_t index, SmtFrame& frame) const {
  const std::string where = "column " + std::to_string(index) + " of the frame";
  const SmtColumn column = static_cast<SmtColumn>(index);
  const std::uint64_t encoding = smt_get(from + 1, 1);
  if (smt_get(from, 1) != index || encoding > 2 ||
      (encoding == static_cast<std::uint64_t>(SmtEncoding::bytes)) == is_number(column)) {
    fail("expected " + where + " in its place and encoding, found column " +
         std::to_string(smt_get(from, 1)) + " in encoding " + std::to_string(encoding));
  }
  SmtColumnEntry& entry = frame.entries[index];
  entry.column = column;
  entry.encoding = static_cast<SmtEncoding>(encoding);
  entry.width_bytes = static_cast<std::uint8_t>(smt_get(from + 2, 1));
  entry.raw_bytes = static_cast<std::uint32_t>(smt_get(from + 4, 4));
  entry.stored_bytes = static_cast<std::uint32_t>(smt_get(from + 8, 4));
  entry.first = smt_get(from + 16, 8);
  entry.minimum = smt_get(from + 24, 8);
  constexpr std::string_view kWidths("\0\1\2\4\x08", 5);
  if (kWidths.find(static_cast<char>(entry.width_bytes)) == std::string_view::npos) {
    fail("expected a width of 0, 1, 2, 4 or 8 bytes in " + where + ", found " +
         std::to_string(entry.width_bytes));
  }
  const std::uint64_t wanted_bytes =
      is_number(column) ? number_of_values(frame, column) * entry.width_bytes : entry.raw_bytes;
  if (entry.raw_bytes != wanted_bytes || entry.raw_bytes > kSmtMaxColumnBytes) {
    fail("expected " + std::to_string(std::min<std::uint64_t>(wanted_bytes, kSmtMaxColumnBytes)) +
         " bytes in " + where + ", found " + std::to_string(entry.raw_bytes));
  }
  if ((entry.raw_bytes == 0) != (entry.stored_bytes == 0) ||
      entry.stored_bytes > ZSTD_COMPRESSBOUND(std::size_t{entry.raw_bytes})) {
    fail("expected a compressed size that fits " + std::to_string(entry.raw_bytes) + " bytes of " +
         where + ", found " + std::to_string(entry.stored_bytes));
  }
}

std::uint64_t SmtFrameReader::number_of_values(const SmtFrame& frame, SmtColumn column) const {
  return static_cast<std::size_t>(column) < kSmtRecordColumns ? frame.header.record_count
                                                              : frame.header.pattern_count;
}

void SmtFrameReader::check_counts(const SmtFrame& frame) const {
  const SmtFrameHeader& header = frame.header;
  const bool is_records = header.kind == SmtFrameKind::records;
  const std::uint32_t least = is_records ? 1 : 0;
  const std::uint32_t most = is_records ? kSmtMaxRecordsPerFrame : 0;
  if (header.record_count < least || header.record_count > most) {
    fail("expected " + std::to_string(least) + " to " + std::to_string(most) +
         " records in the frame, found " + std::to_string(header.record_count));
  }
  if (header.pattern_count < least || header.pattern_count > header.record_count) {
    fail("expected " + std::to_string(least) + " to " + std::to_string(header.record_count) +
         " patterns in the frame, found " + std::to_string(header.pattern_count));
  }
}

std::uint64_t SmtFrameReader::read_footer() {
  drop(frame_bytes_);
  frame_bytes_ = 0;
  if (!have(kSmtFooterBytes)) fail("expected the footer, found the end of the file");
  const char* footer = buffer_.data() + begin_;
  if (std::memcmp(footer + 24, kSmtFooterMagic.data(), kSmtFooterMagic.size()) != 0 ||
      smt_get(footer + 20, 4) != smt_checksum(footer, 20)) {
    fail("expected a footer whose checksum agrees, found damage");
  }
  const std::uint64_t record_count = smt_get(footer + 8, 8);
  if (have(kSmtFooterBytes + 1)) {
    fail_at(byte_offset() + kSmtFooterBytes, "expected the end of the file, found more bytes");
  }
  return record_count;
}

bool SmtFrameReader::resynchronize() {
  frame_bytes_ = 0;
  std::string marker;
  smt_put(marker, kSmtFrameMarker, 4);
  drop(end_ == begin_ ? 0 : 1);
  while (have(marker.size())) {
    const std::string_view rest(buffer_.data() + begin_, end_ - begin_);
    const std::size_t found = rest.find(marker);
    if (found != std::string_view::npos) {
      drop(found);
      return true;
    }
    drop(rest.size() - (marker.size() - 1));
  }
  return false;
}

}  // namespace smem
