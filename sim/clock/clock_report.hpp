// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <clock/observer.hpp>
#include <clock/simulate.hpp>

#include <sim/clock/trace_blocks.hpp>
#include <sim/output/result_table.hpp>

namespace smem {

/// Why an access was not further on, cycle by cycle from the moment its warp could have issued it.
enum class StallReason : std::uint8_t {
  barrier,                  ///< its warp waited at a barrier before
  waiting_for_data,         ///< the address came from a load, or through dependent instructions
  issue,                    ///< other warps issued, or the warp's own issue interval
  queue_full,               ///< no room in a queue, or for store data
  operand_transfer,         ///< registers before it, and its own, moved to the queue
  own_previous_wavefronts,  ///< the warp's access before it was in the data stage
  other_warps,              ///< accesses of other warps were in the data stage
};
inline constexpr std::size_t kStallReasonCount = 7;
inline constexpr std::array<std::string_view, kStallReasonCount> kStallReasonNames = {
    "barrier_cycles",    "waiting_for_data_cycles", "issue_cycles",
    "queue_full_cycles", "operand_transfer_cycles", "own_previous_wavefronts_cycles",
    "other_warps_cycles"};

/// A stretch of an access's way, from `begin_cycle` to before `end_cycle`; may be empty.
struct StallPart {
  StallReason reason;
  clock::Cycle begin_cycle;
  clock::Cycle end_cycle;
};

/// The way from `able_cycle` into the data stage, one part after the other.
std::array<StallPart, 9> stall_parts(const clock::AccessStamps& at);

/// Splits an access's way by reason; the parts add up to the cycles from `able_cycle` to the first
/// wavefront, plus what others took between its own wavefronts.
std::array<std::uint64_t, kStallReasonCount> stall_cycles(const clock::InFlight& access,
                                                          const clock::TimingSpec& timing);

/// When a record's accesses passed the stages, from the start of the simulation: the first issue,
/// the last of everything else.
struct RecordStamps {
  std::uint64_t issue_cycle = 0;
  std::uint64_t queue_cycle = 0;
  std::uint64_t service_cycle = 0;
  std::uint64_t first_wavefront_cycle = 0;
  std::uint64_t last_wavefront_cycle = 0;
  std::uint64_t finish_cycle = 0;
};

/// Adds up what a simulation did: per kernel, per warp, per place in the code and per record.
class ClockReport : public clock::Observer {
 public:
  /// `keep_stamps`: one RecordStamps per record; `keep_warps`: one row per warp.
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
  const std::vector<RecordStamps>& stamps() const { return stamps_; }

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
    std::array<std::uint64_t, kStallReasonCount> stalls{};
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

  const clock::TimingSpec timing_;
  bool keep_stamps_;
  bool keep_warps_;
  std::vector<KernelTotals> kernels_;
  std::vector<SiteTotals> sites_;
  std::vector<WarpRow> warps_;
  std::vector<RecordStamps> stamps_;
  std::vector<BlockSlot> block_slots_;
  std::vector<WarpSlot> warp_slots_;
};

}  // namespace smem
