// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <span>
#include <vector>

#include <batch/batch_analyzer.hpp>

#include <traces/record_batches.hpp>

namespace smem {

/// A trace read to its end, some records at a time, with what each costs.
///
///   for (CountedBatches batches(trace, analyzer); batches.next();) {
///     use(batches.records()[i], batches.costs()[i]);
///   }
class CountedBatches {
 public:
  /// Keeps references to both.
  CountedBatches(TraceReader& trace, const BatchAnalyzer& analyzer)
      : batches_(trace), analyzer_(analyzer), costs_(RecordBatches::kRecords) {}

  /// Reads on; false when nothing is left. Throws TraceError.
  bool next() {
    if (!batches_.next()) return false;
    const std::span<const TraceRecord> read = records();
    assert(read.size() <= costs_.size());
    analyzer_.analyze(AccessArray{&read[0].access, read.size(), sizeof(TraceRecord)}, costs_);
    return true;
  }

  [[nodiscard]] std::span<const TraceRecord> records() const { return batches_.records(); }
  /// One a record of `records()`.
  [[nodiscard]] std::span<const AccessCost> costs() const {
    return std::span(costs_).first(records().size());
  }
  /// As RecordBatches has them.
  [[nodiscard]] std::uint64_t number(std::size_t index) const { return batches_.number(index); }
  [[nodiscard]] std::string place(std::size_t index) const { return batches_.place(index); }
  [[nodiscard]] const TraceInfo& info() const { return batches_.info(); }

 private:
  RecordBatches batches_;
  const BatchAnalyzer& analyzer_;
  std::vector<AccessCost> costs_;
};

/// Calls `use(record, cost)` for every record of the trace. Throws TraceError.
template <class Use>
void for_each_counted(TraceReader& trace, const BatchAnalyzer& analyzer, Use&& use) {
  for (CountedBatches batches(trace, analyzer); batches.next();) {
    for (std::size_t index = 0; index < batches.records().size(); ++index) {
      use(batches.records()[index], batches.costs()[index]);
    }
  }
}

}  // namespace smem
