// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <batch/batch_analyzer.hpp>

#include <sim/count/tally_report.hpp>
#include <traces/smt/smt_reader.hpp>

namespace smem {

/// Counts wavefronts and conflicts of whole traces into a report, without the clock.
class TraceCounter {
 public:
  /// Takes the cost of every record, in order.
  using CostSink = std::function<void(const AccessCost&)>;

  /// `threads` is at least 1. Throws Error when the environment asks for an
  /// instruction set there is not.
  explicit TraceCounter(const GpuSpec& spec, unsigned threads = 1)
      : spec_(spec), analyzer_(spec), threads_(threads) {}

  /// Reads `trace`, called `name` in messages, to its end; an .smt file with all threads, unless
  /// damage is to be skipped. The report does not depend on their number. Throws TraceError.
  void count(TraceReader& trace, const std::string& name, ReportBy by, TallyReport& report) const;
  /// The same, record by record. Throws TraceError.
  void count_records(TraceReader& trace, TallyReport& report, const CostSink& cost_sink) const;

 private:
  void count_references(SmtReader& trace, ReportBy by, TallyReport& report) const;

  GpuSpec spec_;
  BatchAnalyzer analyzer_;
  unsigned threads_;
};

}  // namespace smem
