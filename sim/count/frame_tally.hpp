// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <sim/count/pattern_costs.hpp>
#include <sim/count/tally_report.hpp>
#include <traces/smt/smt_frame_decoder.hpp>

namespace smem {

/// Adds up the records of one frame after the other by the rows of a report. Rows depend on the
/// frame alone, so frames may be given to any number of these.
class FrameTally {
 public:
  FrameTally(const GpuSpec& spec, ReportBy by);

  /// What must be decoded of a frame for rows by `by`.
  [[nodiscard]] static SmtDetail detail(ReportBy by);

  /// Appends the frame's rows in order of first appearance to `rows`. By array, a row is of one
  /// first offset; the report joins those of an array. The first `count` records are counted, which
  /// are allowed ones (`find_refused`).
  void add_up(const SmtFrameDecoder& frame, std::size_t count, std::vector<PlaceTally>& rows);

 private:
  static constexpr std::size_t kFirstSlots = 1024;

  /// What tells the rows of a pattern's accesses apart.
  struct PatternKind {
    OperationClass operation_class = OperationClass::none;
    std::uint16_t operation_and_bytes = 0;
  };
  struct RowKey {
    std::uint64_t where = 0;
    std::uint64_t what = 0;

    friend bool operator==(const RowKey&, const RowKey&) = default;
  };

  /// Takes in the patterns that are new; false when some have no cells.
  bool take_patterns(const SmtFrameDecoder& frame);
  std::array<Tally, kOperationClassCount> take_counts(const SmtFrameDecoder& frame);
  void add_by_class(const SmtFrameDecoder& frame, std::size_t count, std::vector<PlaceTally>& rows);
  template <class KeyOf>
  void add_by_key(const SmtFrameDecoder& frame, std::size_t count, std::vector<PlaceTally>& rows,
                  KeyOf key_of);
  /// The row of `key`, a new one if it is the number of rows so far.
  std::uint32_t find_row(const RowKey& key);
  void grow_slots();

  ReportBy by_;
  PatternCosts costs_;
  std::uint64_t generation_ = 0;          ///< of the decoder's patterns
  std::vector<PatternKind> kinds_;        ///< per pattern of the decoder
  std::vector<std::uint64_t> counts_;     ///< per cell of costs_, zero between frames
  std::vector<RowKey> keys_;              ///< per row of the frame
  std::vector<Tally> tallies_;            ///< per row of the frame
  std::vector<std::uint32_t> followers_;  ///< per row: the one that came after it last time
  std::vector<std::uint32_t> slots_;      ///< row + 1; 0 = free; at most half full
};

}  // namespace smem
