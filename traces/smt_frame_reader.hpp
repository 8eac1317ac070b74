// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <traces/byte_source.hpp>
#include <traces/smt_format.hpp>

struct ZSTD_DCtx_s;

namespace smem {

/// A frame whose header is sound; its columns are still compressed and live until the next frame.
struct SmtFrame {
  SmtFrameHeader header;
  std::uint64_t byte_offset = 0;
  std::array<SmtColumnEntry, kSmtColumnCount> entries{};
  std::array<std::span<const char>, kSmtColumnCount> payloads{};

  const SmtColumnEntry& entry(SmtColumn column) const {
    return entries[static_cast<std::size_t>(column)];
  }
};

/// Cuts a stream of bytes into frames. Memory is bounded by the format's limits, whatever the bytes
/// claim. Every failure is a TraceError "NAME: byte N: expected …, found …".
class SmtFrameReader {
 public:
  /// `byte_offset`: where in the file `bytes` starts.
  SmtFrameReader(std::unique_ptr<ByteSource> bytes, std::string name,
                 std::uint64_t byte_offset = 0);
  ~SmtFrameReader();

  void read_file_header();
  /// The next frame; the last one is the index frame, then comes the footer.
  void read_frame(SmtFrame& frame);
  /// Checks the footer and that nothing follows; the number of records it tells.
  std::uint64_t read_footer();
  /// After a failure: goes to the next place behind the bad frame's start that looks like a frame;
  /// false when there is none.
  bool resynchronize();

  /// Where the frame (or what should be one) started that was read last.
  std::uint64_t byte_offset() const { return buffer_offset_ + begin_; }

  /// Decompresses a column and checks its checksum. The view lives until the next call.
  std::span<const char> decompress(const SmtFrame& frame, SmtColumn column);

  [[noreturn]] void fail(const std::string& message) const { fail_at(byte_offset(), message); }
  [[noreturn]] void fail_at(std::uint64_t byte_offset, const std::string& message) const;

 private:
  bool have(std::size_t bytes);
  void drop(std::size_t bytes);
  void parse_header(const char* head, SmtFrame& frame) const;
  std::size_t parse_head(SmtFrame& frame);
  void parse_entry(const char* from, std::size_t index, SmtFrame& frame) const;
  void check_counts(const SmtFrame& frame) const;
  std::uint64_t number_of_values(const SmtFrame& frame, SmtColumn column) const;

  std::unique_ptr<ByteSource> bytes_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t buffer_offset_;  ///< in the file, of buffer_[0]
  std::size_t frame_bytes_ = 0;  ///< of the frame at begin_ that was handed out
  std::vector<char> scratch_;
  std::unique_ptr<ZSTD_DCtx_s, std::size_t (*)(ZSTD_DCtx_s*)> context_;
};

/// Decodes a column of numbers; a value that does not fit `Value` is a TraceError.
template <class Value>
void decode_numbers(SmtFrameReader& reader, const SmtFrame& frame, SmtColumn column,
                    std::size_t count, std::vector<Value>& values);

extern template void decode_numbers(SmtFrameReader&, const SmtFrame&, SmtColumn, std::size_t,
                                    std::vector<std::uint8_t>&);
extern template void decode_numbers(SmtFrameReader&, const SmtFrame&, SmtColumn, std::size_t,
                                    std::vector<std::uint32_t>&);
extern template void decode_numbers(SmtFrameReader&, const SmtFrame&, SmtColumn, std::size_t,
                                    std::vector<std::uint64_t>&);

}  // namespace smem
