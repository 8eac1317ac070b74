// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <batch/batch_analyzer.hpp>

#include <sim/count/tally_report.hpp>
#include <traces/smt/smt_reader.hpp>

namespace smem {

/// Whose counting of wavefronts: the hardware counters', or that of the profiler's software.
enum class CounterView : std::uint8_t { hardware, profiler };

/// A name of --counters.
struct CounterViewName {
  CounterView view;
  std::string_view name;
};
inline constexpr std::array kCounterViews = {CounterViewName{CounterView::hardware, "hardware"},
                                             CounterViewName{CounterView::profiler, "profiler"}};

/// `cost` of `access` as `view` shows it.
[[nodiscard]] AccessCost cost_in_view(CounterView view, const GpuSpec& spec,
                                      const WarpAccess& access, const AccessCost& cost);

/// Counts wavefronts and conflicts of whole traces into a report, without the clock.
class TraceCounter {
 public:
  /// Takes the cost of every record, in order.
  using CostSink = std::function<void(const AccessCost&)>;

  /// `threads` is at least 1. Throws Error when the environment asks for an
  /// instruction set there is not.
  explicit TraceCounter(const GpuSpec& spec, unsigned threads = 1,
                        CounterView view = CounterView::hardware)
      : spec_(spec), analyzer_(spec), threads_(threads), view_(view) {}

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
  CounterView view_;
};

}  // namespace smem
