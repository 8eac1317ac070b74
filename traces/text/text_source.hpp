// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <traces/bytes/byte_source.hpp>

namespace smem {

/// A text file line by line. Constant memory: one buffer and one line of at most `kMaxLineBytes`.
class TextSource {
 public:
  static constexpr std::size_t kMaxLineBytes = 1u << 20;

  /// `name` stands in messages.
  TextSource(std::unique_ptr<ByteSource> bytes, std::string name);
  /// Opens a plain, .gz, .zst or .xz file (told apart by content). Throws TraceError.
  explicit TextSource(const std::string& file);

  /// The next line without its line break; false at the end. The view lives until the next call.
  bool next_line(std::string_view& line);

  /// Looks at the first bytes without consuming them: at most `bytes` of them.
  std::string_view peek(std::size_t bytes);

  /// Whether a line break ended the line last returned; the last one of a file may have none.
  [[nodiscard]] bool line_was_ended() const { return line_was_ended_; }
  std::uint64_t line_number() const { return line_number_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// "NAME:LINE", as messages name a line.
  [[nodiscard]] std::string place(std::uint64_t line) const {
    return name_ + ":" + std::to_string(line);
  }
  /// Throws TraceError "NAME:LINE: MESSAGE" for the line last returned.
  [[noreturn]] void fail(const std::string& message, std::uint64_t good_records) const;

 private:
  bool refill();

  std::unique_ptr<ByteSource> bytes_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t line_number_ = 0;
  bool at_end_ = false;
  bool line_was_ended_ = true;
};

}  // namespace smem
