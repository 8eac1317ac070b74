// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <clock/observer.hpp>
#include <clock/stalls.hpp>

#include <sim/clock/trace_blocks.hpp>
#include <sim/output/result_table.hpp>

namespace smem {

/// Adds up what a simulation did: per kernel, per warp, per place in the code and per record.
class ClockReport : public clock::Observer {
 public:
  /// `timing` must outlive it. `keep_stamps`: the merged stamps of every
  /// record; `keep_warps`: one row per warp.
  ClockReport(const clock::TimingSpec& timing, bool keep_stamps, bool keep_warps)
      : timing_(timing), keep_stamps_(keep_stamps), keep_warps_(keep_warps) {}

  void block_started(std::uint16_t block_slot, const clock::Block& block,
                     clock::Cycle cycle) override;
  void block_finished(std::uint16_t block_slot, clock::Cycle cycle) override;
  void warp_started(std::uint16_t warp_slot, std::uint16_t block_slot, std::uint32_t warp,
                    clock::Cycle cycle) override;
  void warp_finished(std::uint16_t warp_slot, clock::Cycle cycle) override;
  void barrier_arrived(std::uint16_t warp_slot, const clock::Instruction& barrier,
                       clock::Cycle cycle) override;
  void barrier_opened(std::uint16_t block_slot, clock::Cycle cycle) override;
  void access_finished(const clock::InFlight& access) override;

  ResultTable kernel_table(const TraceInfo& info) const;
  ResultTable stall_table(const TraceInfo& info, const std::vector<Site>& sites) const;
  ResultTable warp_table(const TraceInfo& info, clock::Cycle start_cycle) const;
  /// By record; empty entries (all zero) for records that never reached the memory.
  const std::vector<clock::AccessStamps>& stamps() const { return stamps_; }

 private:
  struct KernelTotals {
    std::uint32_t kernel = 0;
    std::uint64_t blocks = 0;
    std::uint32_t resident_blocks = 0;
    clock::Cycle start_cycle = clock::kNever;
    clock::Cycle end_cycle = 0;
    std::uint64_t accesses = 0;
    std::uint64_t wavefronts = 0;
    std::uint64_t return_cycles = 0;
  };
  struct SiteTotals {
    std::uint64_t accesses = 0;
    std::uint64_t wavefronts = 0;
    std::uint64_t latency_cycles = 0;  ///< issue to finish
    std::array<std::uint64_t, clock::kStallReasonCount> stalls{};
  };
  struct WarpRow {
    std::uint32_t kernel = 0;
    std::uint32_t block = 0;
    std::uint32_t warp = 0;
    clock::Cycle start_cycle = 0;
    clock::Cycle finish_cycle = 0;
  };
  struct BlockSlot {
    std::size_t kernel_row = 0;
    WarpRow identity;
    std::vector<std::pair<std::uint32_t, clock::Cycle>> at_barrier;  ///< site, arrival
  };
  struct WarpSlot {
    std::uint16_t block_slot = 0;
    std::size_t row = 0;
    WarpRow warp;
  };

  SiteTotals& site(std::uint32_t index);

  const clock::TimingSpec& timing_;
  bool keep_stamps_;
  bool keep_warps_;
  std::vector<KernelTotals> kernels_;
  std::vector<SiteTotals> sites_;
  std::vector<WarpRow> warps_;
  std::vector<clock::AccessStamps> stamps_;
  std::vector<BlockSlot> block_slots_;
  std::vector<WarpSlot> warp_slots_;
};

}  // namespace smem
