// SPDX-License-Identifier: Apache-2.0
// Accesses per second of counting a repetitive .smt trace, by kind of rows and number of threads.
// Counters: `M/s` by the clock on the wall and `cpu_ns` an access in all threads together, each of
// the fastest iteration; `times_one_thread` = how many times faster than one thread in this run;
// `times_records` = than counting the same trace record by record.
#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <sim/count/smt_replay.hpp>
#include <sim/count/trace_counter.hpp>
#include <smem/gpus.hpp>
#include <traces/generators/generator_spec.hpp>
#include <traces/smt/smt_writer.hpp>

namespace smem::bench {
namespace {

struct Rows {
  const char* name;
  ReportBy by;
};
constexpr std::array kRows = {Rows{"operation", ReportBy::operation}, Rows{"pc", ReportBy::pc},
                              Rows{"block", ReportBy::block}, Rows{"array", ReportBy::array}};
constexpr std::size_t kAccesses = std::size_t{1} << 22;

/// A convolution's stores and loads, block after block.
std::string make_trace() {
  std::string bytes;
  SmtWriter writer(
      [&bytes](std::span<const char> more) { bytes.append(more.begin(), more.end()); });
  std::vector<TraceRecord> records(4096);
  std::uint32_t first_block = 0;
  while (writer.record_count() < kAccesses) {
    const auto generator = make_generator("conv:kernel=5", kH200);
    writer.update(generator->info());
    std::uint32_t blocks = 0;
    while (const std::size_t count = generator->read(records)) {
      for (std::size_t index = 0; index < count; ++index) {
        blocks = std::max(blocks, records[index].block + 1);
        records[index].block += first_block;
      }
      writer.write(std::span(records).first(count));
    }
    first_block += blocks;
  }
  writer.finish();
  return bytes;
}

const std::string& trace() {
  static const std::string bytes = make_trace();
  return bytes;
}

/// Time for one pass over the trace, per access.
struct Cost {
  double wall_ns = std::numeric_limits<double>::infinity();
  double cpu_ns = std::numeric_limits<double>::infinity();
  std::uint64_t accesses = 0;

  void keep_best(const Cost& other) {
    wall_ns = std::min(wall_ns, other.wall_ns);
    cpu_ns = std::min(cpu_ns, other.cpu_ns);
    accesses = other.accesses;
  }
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Count>
Cost timed(ReportBy by, Count count) {
  SmtReader reader(open_bytes(trace(), "trace.smt"), "trace.smt", kH200);
  TallyReport report(by);
  report.begin_trace(reader.info());
  const double cpu = cpu_seconds();
  const auto wall = std::chrono::steady_clock::now();
  count(reader, report);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - wall;
  const double cpu_used = cpu_seconds() - cpu;
  Cost cost;
  const ResultTable table = report.table();
  const std::size_t column = table.columns().size() - 4;  // instructions
  for (const std::vector<Cell>& row : table.rows()) {
    cost.accesses += std::get<std::uint64_t>(row[column]);
  }
  cost.wall_ns = 1e9 * seconds.count() / static_cast<double>(cost.accesses);
  cost.cpu_ns = 1e9 * cpu_used / static_cast<double>(cost.accesses);
  return cost;
}

Cost replayed(ReportBy by, unsigned threads) {
  return timed(by, [&](SmtReader& reader, TallyReport& report) {
    SmtReplay(*reader.frames(), "trace.smt", kH200, by, threads).run(report);
  });
}

Cost by_records(ReportBy by) {
  const TraceCounter counter(kH200);
  return timed(by, [&](SmtReader& reader, TallyReport& report) {
    counter.count_records(reader, report, {});
  });
}

template <class Measure>
Cost best_of(unsigned tries, Measure measure) {
  Cost best;
  for (unsigned again = 0; again < tries; ++again) best.keep_best(measure());
  return best;
}

void run(benchmark::State& state, ReportBy by, unsigned threads) {
  static std::map<ReportBy, std::pair<Cost, Cost>> measured;  // one thread, records
  if (!measured.contains(by)) {
    measured[by] = {best_of(3, [&] { return replayed(by, 1); }),
                    best_of(2, [&] { return by_records(by); })};
  }
  Cost best;
  for (auto _ : state) best.keep_best(replayed(by, threads));
  const auto& [one_thread, records] = measured[by];
  if (best.accesses != records.accesses) state.SkipWithError("the counts differ");
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(best.accesses));
  state.counters["M/s"] = 1e3 / best.wall_ns;
  state.counters["cpu_ns"] = best.cpu_ns;
  state.counters["times_one_thread"] = one_thread.wall_ns / best.wall_ns;
  state.counters["times_records"] = records.wall_ns / best.wall_ns;
}

bool register_all() {
  for (const Rows& rows : kRows) {
    for (const unsigned threads : {1u, 2u, 4u, 8u}) {
      const std::string name =
          std::string("replay/") + rows.name + "/threads_" + std::to_string(threads);
      benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
        run(state, rows.by, threads);
      })->UseRealTime();
    }
  }
  return true;
}

const bool kRegistered = register_all();

}  // namespace
}  // namespace smem::bench
