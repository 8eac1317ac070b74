// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <sim/count/tally_report.hpp>
#include <traces/smt/pattern_costs.hpp>
#include <traces/smt/smt_frame_decoder.hpp>

namespace smem {

/// Adds up the records of one frame after the other by the rows of a report. Rows depend on the
/// frame alone, so frames may be given to any number of these.
class FrameTally {
 public:
  FrameTally(const GpuSpec& spec, ReportBy by);

  /// What must be decoded of a frame for rows by `by`.
  static SmtDetail detail(ReportBy by);

  /// Appends the frame's rows in order of first appearance to `rows`. By array, a row is of one
  /// first offset; the report joins those of an array. The first `count` records are counted, which
  /// are allowed ones (`find_refused`).
  void add_up(const SmtFrameDecoder& frame, std::size_t count, std::vector<PlaceTally>& rows);

 private:
  /// Tallies by alignment class are kept while they fit the second-level cache.
  static constexpr std::size_t kMostCells = std::size_t{1} << 17;
  static constexpr std::size_t kFirstSlots = 1024;

  static constexpr std::uint32_t kNoCells = 0xffffffffu;

  /// Where the alignment classes of a pattern begin: cell = first + (base & class mask) >> shift.
  struct PatternCells {
    std::uint32_t first = kNoCells;
    std::uint8_t shift = 0;
    OperationClass operation_class = OperationClass::none;
    std::uint16_t operation_and_bytes = 0;
  };
  /// What one access costs, as it is added up.
  struct CellCost {
    std::uint16_t wavefronts = 0;
    std::uint16_t ideal = 0;
    std::uint16_t bank_conflicts = 0;
    bool known = false;
  };
  struct RowKey {
    std::uint64_t where = 0;
    std::uint64_t what = 0;

    friend bool operator==(const RowKey&, const RowKey&) = default;
  };

  /// Describes the patterns that are new; false when some have no cells.
  bool prepare_cells(const SmtFrameDecoder& frame);
  std::uint32_t cell_of(std::uint32_t pattern, std::uint32_t base_bytes) const {
    const PatternCells& cells = pattern_cells_[pattern];
    return cells.first + ((base_bytes & class_mask_) >> cells.shift);
  }
  CellCost analyzed(const AccessPattern& pattern, std::uint32_t base_bytes) const;
  CellCost cost_of(const SmtFrameDecoder& frame, std::size_t record);
  std::array<Tally, kOperationClassCount> take_counts(const SmtFrameDecoder& frame);
  void add_by_class(const SmtFrameDecoder& frame, std::size_t count, std::vector<PlaceTally>& rows);
  template <class KeyOf>
  void add_by_key(const SmtFrameDecoder& frame, std::size_t count, std::vector<PlaceTally>& rows,
                  KeyOf key_of);
  /// The row of `key`, a new one if it is the number of rows so far.
  std::uint32_t find_row(const RowKey& key);
  void grow_slots();

  GpuSpec spec_;
  ReportBy by_;
  std::uint32_t class_mask_;
  PatternCosts rare_costs_;  ///< of frames with too many patterns for cells
  std::uint64_t generation_ = 0;
  bool all_have_cells_ = true;
  std::vector<PatternCells> pattern_cells_;  ///< per pattern of the decoder
  std::vector<CellCost> costs_;              ///< per cell
  std::vector<std::uint64_t> counts_;        ///< per cell, zero between frames
  std::vector<RowKey> keys_;                 ///< per row of the frame
  std::vector<Tally> tallies_;               ///< per row of the frame
  std::vector<std::uint32_t> followers_;     ///< per row: the one that came after it last time
  std::vector<std::uint32_t> slots_;         ///< row + 1; 0 = free; at most half full
};

}  // namespace smem
