// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <traces/trace_error.hpp>
#include <traces/trace_record.hpp>

namespace smem {

/// What a reader does with damage.
struct ReadOptions {
  bool skip_damaged = false;  ///< go on behind it, and count what was lost
};

/// What a reader left out so far.
struct SkippedParts {
  std::uint64_t places = 0;   ///< damaged lines, records or frames
  std::uint64_t records = 0;  ///< records known to be lost in them
  /// Bulk copies that a descriptor describes (TMA): no lane addresses, so no records.
  std::uint64_t descriptor_copies = 0;
  /// LDGSTS of which the trace has the global addresses alone: their wavefronts are not counted.
  std::uint64_t copies_without_offsets = 0;
  /// 1: the last line has no line break, so its last number may have been cut.
  std::uint64_t lines_without_end = 0;

  friend bool operator==(const SkippedParts&, const SkippedParts&) = default;
};

/// The one way records come in: files and generators alike.
class TraceReader {
 public:
  virtual ~TraceReader() = default;

  /// Fills `records` from its start and returns how many; fewer than asked only at the end, 0 when
  /// nothing is left. Throws TraceError; the records before the damage have been returned by then.
  virtual std::size_t read(std::span<TraceRecord> records) = 0;

  /// Kernels, arrays and origin; `kernels` may still grow while records are read.
  [[nodiscard]] virtual const TraceInfo& info() const = 0;

  /// Where record `index` of the last `read` stands, as messages name it: "FILE:LINE", or
  /// "FILE: record N" in a binary file; empty when the reader cannot say.
  [[nodiscard]] virtual std::string place(std::size_t /*index*/) const { return {}; }

  /// Damage is skipped only when the reader was told to.
  [[nodiscard]] virtual SkippedParts skipped() const { return {}; }

 protected:
  TraceReader() = default;
  TraceReader(const TraceReader&) = default;
  TraceReader& operator=(const TraceReader&) = default;
};

}  // namespace smem
