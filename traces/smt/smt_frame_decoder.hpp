// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <smem/gpu_spec.hpp>
#include <traces/smt/pattern_table.hpp>
#include <traces/smt/smt_column_decoder.hpp>

namespace smem {

/// Which columns are decoded; what is left out reads as 0 (and is not checked for damage).
enum class SmtDetail : std::uint8_t {
  costs,   ///< the access, kernel, count
  places,  ///< and block, warp, pc
  all,     ///< and what the clock needs, and stored values
};

/// The records of one frame, a vector per column.
struct SmtRecordColumns {
  std::vector<std::uint32_t> pattern, base_bytes, kernel, block, warp;
  std::vector<std::uint32_t> issue_gap_instructions, depends_on, dependent_instructions;
  std::vector<std::uint64_t> pc, count;
  std::vector<std::uint8_t> has_stored;
  std::vector<std::uint32_t> stored_offset;

  template <class Visit>
  void for_each_column(Visit visit) {
    visit(pattern), visit(base_bytes), visit(kernel), visit(block), visit(warp);
    visit(issue_gap_instructions), visit(depends_on), visit(dependent_instructions);
    visit(pc), visit(count), visit(has_stored), visit(stored_offset);
  }
};

/// Decodes frames of records, one at a time, each by itself: any decoder may take any frame. Only
/// the numbers of patterns depend on which frames a decoder has seen.
class SmtFrameDecoder {
 public:
  /// Beyond `remembered_patterns` the numbering starts anew; one frame can add as many again.
  SmtFrameDecoder(std::string name, const GpuSpec& spec, std::size_t remembered_patterns);

  /// Decodes a frame of records into `columns`. Throws TraceError, `columns` is empty then.
  void decode(const SmtFrame& frame, SmtDetail detail);
  void clear();

  /// The index of the first record from `first` on that the GPU does not allow, or whose kernel is
  /// not below `kernel_count`; the number of records when there is none.
  [[nodiscard]] std::size_t find_refused(std::size_t first, std::size_t kernel_count) const;
  /// What is wrong with a refused record of `frame`.
  [[nodiscard]] std::string record_error(const SmtFrame& frame, std::size_t index,
                                         std::size_t kernel_count) const;

  [[nodiscard]] std::size_t record_count() const { return columns.pattern.size(); }
  const std::vector<AccessPattern>& patterns() const { return table_.patterns(); }
  /// The numbers of the frame's patterns.
  [[nodiscard]] const std::vector<std::uint32_t>& frame_patterns() const { return table_number_; }
  /// Grows when the numbering starts anew.
  [[nodiscard]] std::uint64_t pattern_generation() const { return generation_; }
  const char* stored_bytes(std::size_t index) const {
    return stored_.data() + columns.stored_offset[index];
  }

  SmtRecordColumns columns;  ///< `pattern` holds indexes into `patterns()`

 private:
  /// What a base must satisfy for every lane of its pattern to be aligned and inside the window.
  struct BaseLimits {
    std::uint32_t bias = 0;  ///< base - lowest offset
    std::uint32_t misaligned_bits = 0;
    std::int64_t most_lowest = std::numeric_limits<std::int64_t>::max();  ///< -1: no base is right

    bool allow(std::uint32_t base_bytes) const {
      return (base_bytes & misaligned_bits) == 0 && std::int64_t{base_bytes - bias} <= most_lowest;
    }
  };

  void take_records(const SmtFrame& frame, SmtDetail detail);
  void take_patterns(const SmtFrame& frame);
  void take_stored(const SmtFrame& frame);
  [[nodiscard]] BaseLimits limits_of(const AccessPattern& pattern) const;
  [[noreturn]] void fail(const SmtFrame& frame, const std::string& message) const {
    column_decoder_.fail_at(frame.byte_offset, message);
  }

  std::string name_;
  GpuSpec spec_;
  std::size_t remembered_patterns_;
  SmtColumnDecoder column_decoder_;
  PatternTable table_;
  std::vector<BaseLimits> limits_;           ///< per pattern of the table
  std::vector<std::uint32_t> table_number_;  ///< of the frame's patterns
  std::vector<char> stored_;
  std::uint64_t generation_ = 0;
};

}  // namespace smem
