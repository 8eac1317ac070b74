// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <traces/bytes/byte_source.hpp>
#include <traces/smt/smt_column_decoder.hpp>
#include <traces/smt/smt_frame.hpp>

namespace smem {

/// Cuts a stream of bytes into frames. Memory is bounded by the format's limits, whatever the bytes
/// claim. Every failure is a TraceError "NAME: byte N: expected …, found …".
class SmtFrameReader {
 public:
  /// `byte_offset`: where in the file `bytes` starts.
  SmtFrameReader(std::unique_ptr<ByteSource> bytes, std::string name,
                 std::uint64_t byte_offset = 0);

  void read_file_header();
  /// The next frame; the last one is the index frame, then comes the footer. Its columns live until
  /// the next call.
  void read_frame(SmtFrame& frame);
  /// Checks the footer and that nothing follows; the number of records it tells.
  std::uint64_t read_footer();
  /// After a failure: goes to the next place behind the bad frame's start that looks like a frame;
  /// false when there is none.
  bool resynchronize();

  /// Where the frame (or what should be one) started that was read last.
  [[nodiscard]] std::uint64_t byte_offset() const { return buffer_offset_ + begin_; }

  /// Decompresses a column and checks its checksum. The view lives until the next call.
  std::span<const char> decompress(const SmtFrame& frame, SmtColumn column) {
    return columns_.decompress(frame, column);
  }

  [[noreturn]] void fail(const std::string& message) const { fail_at(byte_offset(), message); }
  [[noreturn]] void fail_at(std::uint64_t byte_offset, const std::string& message) const;

 private:
  bool have(std::size_t bytes);
  void drop(std::size_t bytes);
  void parse_header(const char* head, SmtFrame& frame) const;
  std::size_t parse_head(SmtFrame& frame);
  void parse_entry(const char* from, std::size_t index, SmtFrame& frame) const;
  void check_counts(const SmtFrame& frame) const;
  [[nodiscard]] std::uint64_t number_of_values(const SmtFrame& frame, SmtColumn column) const;

  std::unique_ptr<ByteSource> bytes_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t buffer_offset_;  ///< in the file, of buffer_[0]
  std::size_t frame_bytes_ = 0;  ///< of the frame at begin_ that was handed out
  SmtColumnDecoder columns_;
};

}  // namespace smem
