// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <traces/text/text_reader.hpp>

namespace smem {

/// A format of lines, each at most one record, whose place is its line. A format supplies
/// `take_line`.
class LineReader : public TextReader {
 public:
  [[nodiscard]] std::string place(std::size_t index) const final {
    assert(index < lines_.size());
    return source_.place(lines_[index]);
  }
  [[nodiscard]] SkippedParts skipped() const final;

 protected:
  using TextReader::TextReader;

  /// Takes one line; true when `record` is what it says. Calls `fail` for damage.
  virtual bool take_line(std::string_view line, TraceRecord& record) = 0;
  /// At the end of the file; calls `fail` when something is missing.
  virtual void finish() {}
  /// How many records are lost with a damaged line, when that is known.
  [[nodiscard]] virtual std::uint64_t records_of_damaged(std::string_view /*line*/) const {
    return 0;
  }
  void begin_read() override { lines_.clear(); }

  /// LDGSTS is written with its global or its shared addresses, or with both.
  void count_global_copy() { ++global_copies_; }
  void count_shared_copy() { ++shared_copies_; }
  /// Records that were read, so far.
  [[nodiscard]] std::uint64_t good_records() const { return good_records_; }

 private:
  std::size_t read_some(std::span<TraceRecord> records) final;
  bool skip_damage() final;

  std::string_view line_;
  bool has_line_ = false;  ///< whether `line_` is what `read_some` is busy with
  std::uint64_t global_copies_ = 0;
  std::uint64_t shared_copies_ = 0;
  std::vector<std::uint64_t> lines_;  ///< of the records of the last read
};

}  // namespace smem
