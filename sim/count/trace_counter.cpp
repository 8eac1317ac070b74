// SPDX-License-Identifier: Apache-2.0
#include <sim/count/counted_batches.hpp>
#include <sim/count/pattern_costs.hpp>
#include <sim/count/smt_replay.hpp>
#include <sim/count/trace_counter.hpp>
#include <smem/profiler_view.hpp>

namespace smem {

AccessCost cost_in_view(CounterView view, const GpuSpec& spec, const WarpAccess& access,
                        const AccessCost& cost) {
  switch (view) {
    case CounterView::hardware:
      return cost;
    case CounterView::profiler:
      return profiler_cost(spec, access, cost);
  }
  return cost;
}

void TraceCounter::count(TraceReader& trace, const std::string& name, ReportBy by,
                         TallyReport& report) const {
  auto* const packed = dynamic_cast<SmtReader*>(&trace);
  // The memo of patterns holds what the hardware counts.
  if (packed == nullptr || view_ != CounterView::hardware) return count_records(trace, report, {});
  SmtFrameReader* const frames = packed->frames();
  if (frames == nullptr) return count_references(*packed, by, report);
  SmtReplay(*frames, name, spec_, by, threads_).run(report);
}

/// By references: every pattern's cost is computed once.
void TraceCounter::count_references(SmtReader& trace, ReportBy by, TallyReport& report) const {
  std::vector<SmtReference> references(4 * RecordBatches::kRecords);
  PatternCosts costs(spec_);
  trace.set_detail(FrameTally::detail(by));
  while (const std::size_t count = trace.read_references(references)) {
    costs.learn(trace.patterns(), trace.pattern_generation());
    for (const SmtReference& reference : std::span(references).first(count)) {
      const AccessPattern& pattern = trace.patterns()[reference.pattern];
      report.add(trace.info(),
                 {pattern.operation, pattern.bytes_per_lane, reference.kernel, reference.block,
                  reference.warp, reference.pc, reference.base_bytes, reference.count},
                 costs.cost(trace.patterns(), reference.pattern, reference.base_bytes));
    }
  }
}

void TraceCounter::count_records(TraceReader& trace, TallyReport& report,
                                 const CostSink& cost_sink) const {
  for_each_counted(trace, analyzer_, [&](const TraceRecord& record, const AccessCost& cost) {
    const AccessCost shown = cost_in_view(view_, spec_, record.access, cost);
    report.add(trace.info(), place_of(record), shown);
    if (cost_sink) cost_sink(shown);
  });
}

}  // namespace smem
