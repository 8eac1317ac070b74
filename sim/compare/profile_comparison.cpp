// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <map>
#include <memory>
#include <string_view>

#include <sim/compare/profile_comparison.hpp>
#include <sim/count/counted_batches.hpp>
#include <smem/profiler_view.hpp>
#include <smem/tally.hpp>

namespace smem {
namespace {

/// What a counter adds up.
enum class Quantity : std::uint8_t {
  wavefronts,
  profiler_wavefronts,  ///< as the profiler's software counts them
  ideal,
  bank_conflicts
};

constexpr std::uint8_t bit(OperationClass operation_class) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(operation_class));
}
constexpr std::uint8_t kAllClasses = (1u << kOperationClassCount) - 1u;
constexpr std::uint8_t kLoads = bit(OperationClass::ld) | bit(OperationClass::ldsm);
constexpr std::uint8_t kStores = bit(OperationClass::st) | bit(OperationClass::stsm);
constexpr std::uint8_t kAtomics = bit(OperationClass::atom);
constexpr std::uint8_t kCopies = bit(OperationClass::ldgsts);

struct Counter {
  std::string_view metric;
  std::uint8_t classes;
  Quantity quantity;
};

#define SMEMSIM_SASS_COUNTERS(unit)                                                          \
  Counter{unit "__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared.sum", kAllClasses,          \
          Quantity::profiler_wavefronts},                                                    \
      Counter{unit "__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",             \
              bit(OperationClass::ld), Quantity::profiler_wavefronts},                       \
      Counter{unit "__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",             \
              bit(OperationClass::st), Quantity::profiler_wavefronts},                       \
      Counter{unit "__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum",           \
              bit(OperationClass::ldsm), Quantity::profiler_wavefronts},                     \
      Counter{unit "__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm.sum",           \
              bit(OperationClass::stsm), Quantity::profiler_wavefronts},                     \
      Counter{unit "__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", kAtomics, \
              Quantity::profiler_wavefronts},                                                \
      Counter {                                                                              \
    unit "__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum", kCopies,          \
        Quantity::profiler_wavefronts                                                        \
  }

/// The counters that shared memory decides. In the l1tex counters op_ld contains LDSM, and op_st
/// STSM; the sass counters keep them apart. The l1tex ones of a busy SM count lost arbitration too.
constexpr std::array kCounters = {
    SMEMSIM_SASS_COUNTERS("sm"),
    SMEMSIM_SASS_COUNTERS("smsp"),
    Counter{"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", kAllClasses, Quantity::wavefronts},
    Counter{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", kLoads, Quantity::wavefronts},
    Counter{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", kStores, Quantity::wavefronts},
    Counter{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", kAtomics,
            Quantity::wavefronts},
    Counter{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", kAllClasses,
            Quantity::bank_conflicts},
    Counter{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", kLoads,
            Quantity::bank_conflicts},
    Counter{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", kStores,
            Quantity::bank_conflicts},
    Counter{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", kAtomics,
            Quantity::bank_conflicts},
    Counter{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum", kCopies,
            Quantity::bank_conflicts},
    Counter{"memory_l1_wavefronts_shared", kAllClasses, Quantity::profiler_wavefronts},
    Counter{"memory_l1_wavefronts_shared_ideal", kAllClasses, Quantity::ideal},
};
#undef SMEMSIM_SASS_COUNTERS

/// The same for the columns of the source page.
constexpr std::array kSourceCounters = {
    Counter{"L1 Wavefronts Shared", kAllClasses, Quantity::profiler_wavefronts},
    Counter{"L1 Wavefronts Shared Ideal", kAllClasses, Quantity::ideal},
};

/// Sums in both of the profiler's countings.
struct BothTallies {
  Tally hardware;
  std::uint64_t profiler_wavefronts = 0;
};

std::uint64_t value_of(const BothTallies& tallies, Quantity quantity) {
  switch (quantity) {
    case Quantity::wavefronts:
      return tallies.hardware.wavefronts;
    case Quantity::profiler_wavefronts:
      return tallies.profiler_wavefronts;
    case Quantity::ideal:
      return tallies.hardware.ideal;
    case Quantity::bank_conflicts:
      return tallies.hardware.bank_conflicts;
  }
  return 0;
}

using ClassTallies = std::array<BothTallies, kOperationClassCount>;

std::uint64_t value_of(const ClassTallies& tallies, const Counter& counter) {
  std::uint64_t sum = 0;
  for (std::size_t index = 0; index < tallies.size(); ++index) {
    if (((counter.classes >> index) & 1u) != 0) sum += value_of(tallies[index], counter.quantity);
  }
  return sum;
}

/// "_Z4convPf", "void conv<3>(float*)" and "conv" are all "conv".
std::string base_name(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  std::string_view base = readable != nullptr ? readable.get() : name.c_str();
  base = base.substr(0, base.find_first_of("<("));
  return std::string(base.substr(base.find_last_of(' ') + 1));
}

/// What the trace costs, by launch and class, and by kernel and pc.
struct Replay {
  std::vector<ClassTallies> launches;
  std::map<std::pair<std::string, std::uint64_t>, ClassTallies> instructions;
  std::vector<std::string> names;  ///< of the launches, without arguments
};

Replay replay(TraceReader& trace, const GpuSpec& spec) {
  Replay result;
  const BatchAnalyzer analyzer(spec);
  for_each_counted(trace, analyzer, [&](const TraceRecord& record, const AccessCost& cost) {
    while (result.launches.size() <= record.kernel) {
      const std::size_t next = result.launches.size();
      const auto& kernels = trace.info().kernels;
      result.names.push_back(next < kernels.size() ? base_name(kernels[next].name) : "");
      result.launches.emplace_back();
    }
    const OperationClass operation_class = traits(record.access.operation).operation_class;
    if (operation_class == OperationClass::none) return;
    const auto column = static_cast<std::size_t>(operation_class);
    const std::uint64_t profiler = record.count * profiler_wavefronts(spec, record.access);
    for (ClassTallies* tallies : {&result.launches[record.kernel],
                                  &result.instructions[{result.names[record.kernel], record.pc}]}) {
      (*tallies)[column].hardware.add(cost, record.count);
      (*tallies)[column].profiler_wavefronts += profiler;
    }
  });
  for (std::size_t next = result.launches.size(); next < trace.info().kernels.size(); ++next) {
    result.names.push_back(base_name(trace.info().kernels[next].name));
    result.launches.emplace_back();
  }
  return result;
}

void compare_launches(const Replay& replayed, const NsightReport& report,
                      std::vector<ProfileRow>& rows) {
  const bool in_order = replayed.launches.size() == report.launches.size();
  std::vector<bool> taken(replayed.launches.size(), false);
  for (std::size_t index = 0; index < report.launches.size(); ++index) {
    const NsightLaunch& launch = report.launches[index];
    std::size_t match = index;
    if (!in_order) {
      const std::string name = base_name(launch.kernel);
      match = 0;
      while (match < taken.size() && (taken[match] || replayed.names[match] != name)) ++match;
      if (match == taken.size()) continue;
      taken[match] = true;
    }
    for (const Counter& counter : kCounters) {
      const auto measured = launch.value(std::string(counter.metric));
      if (!measured) continue;
      rows.push_back({launch.kernel, launch.id, std::nullopt, std::string(counter.metric),
                      *measured, value_of(replayed.launches[match], counter)});
    }
  }
}

void compare_source_rows(const Replay& replayed, const NsightReport& report,
                         std::vector<ProfileRow>& rows) {
  std::map<std::string, std::uint64_t> first_address;
  for (const NsightSourceRow& row : report.source_rows) {
    if (!row.address) continue;
    const std::uint64_t first = first_address.try_emplace(row.kernel, *row.address).first->second;
    // A page that names no kernel belongs to the trace's only one.
    const std::string name = row.kernel.empty() && !replayed.names.empty() ? replayed.names.front()
                                                                           : base_name(row.kernel);
    const std::uint64_t pc = *row.address - first;
    const auto found = replayed.instructions.find({name, pc});
    const ClassTallies tallies =
        found == replayed.instructions.end() ? ClassTallies{} : found->second;
    for (const Counter& counter : kSourceCounters) {
      const auto measured = row.values.find(std::string(counter.metric));
      const std::uint64_t predicted = value_of(tallies, counter);
      if (measured == row.values.end() || (measured->second == 0 && predicted == 0)) continue;
      rows.push_back(
          {row.kernel, std::nullopt, pc, std::string(counter.metric), measured->second, predicted});
    }
  }
}

}  // namespace

std::vector<ProfileRow> compare_profile(TraceReader& trace, const NsightReport& report,
                                        const GpuSpec& spec) {
  const Replay replayed = replay(trace, spec);
  std::vector<ProfileRow> rows;
  compare_launches(replayed, report, rows);
  compare_source_rows(replayed, report, rows);
  if (rows.empty()) {
    throw TraceError(
        "expected counters of shared memory for kernels of the trace, found none in "
        "the report (" +
        std::to_string(report.launches.size()) + " launches, " +
        std::to_string(report.source_rows.size()) + " source rows)");
  }
  return rows;
}

}  // namespace smem
