// SPDX-License-Identifier: Apache-2.0
#include <sim/count/smt_replay.hpp>
#include <sim/count/trace_counter.hpp>
#include <traces/smt/pattern_costs.hpp>

namespace smem {
namespace {

/// Small enough for the second-level cache, many blocks of the batch kernels.
constexpr std::size_t kBatchRecords = 1024;

}  // namespace

void TraceCounter::count(TraceReader& trace, const std::string& name, ReportBy by,
                         TallyReport& report) const {
  auto* const packed = dynamic_cast<SmtReader*>(&trace);
  if (packed == nullptr) return count_records(trace, report, {});
  SmtFrameReader* const frames = packed->frames();
  if (frames == nullptr) return count_references(*packed, by, report);
  SmtReplay(*frames, name, spec_, by, threads_).run(report);
}

/// By references: every pattern's cost is computed once.
void TraceCounter::count_references(SmtReader& trace, ReportBy by, TallyReport& report) const {
  std::vector<SmtReference> references(4 * kBatchRecords);
  PatternCosts costs(spec_);
  trace.set_detail(FrameTally::detail(by));
  while (const std::size_t count = trace.read_references(references)) {
    for (std::size_t at = 0; at < count; ++at) {
      const SmtReference& reference = references[at];
      const AccessPattern& pattern = trace.patterns()[reference.pattern];
      report.add(trace.info(),
                 {pattern.operation, pattern.bytes_per_lane, reference.kernel, reference.block,
                  reference.warp, reference.pc, reference.base_bytes, reference.count},
                 costs.cost(trace, reference));
    }
  }
}

void TraceCounter::count_records(TraceReader& trace, TallyReport& report,
                                 const CostSink& cost_sink) const {
  std::vector<TraceRecord> records(kBatchRecords);
  std::vector<AccessCost> costs(kBatchRecords);
  while (const std::size_t count = trace.read(records)) {
    analyzer_.analyze(AccessArray{&records[0].access, count, sizeof(TraceRecord)}, costs);
    for (std::size_t at = 0; at < count; ++at) {
      report.add(trace.info(), place_of(records[at]), costs[at]);
      if (cost_sink) cost_sink(costs[at]);
    }
  }
}

}  // namespace smem
