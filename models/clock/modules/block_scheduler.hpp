// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <clock/block_source.hpp>
#include <clock/kernel/pipe.hpp>
#include <clock/modules/warp_issuer.hpp>
#include <clock/timing.hpp>

namespace smem::clock {

/// Keeps the SM filled with blocks and opens their barriers. Arrivals at a barrier are taken one
/// per arrival interval; the last one opens it after the barrier latency.
class BlockScheduler : public ClockedModule {
 public:
  InPipes<WarpEvent> in_events{"in_events", kMaxSubPartitions, *this};
  OutPorts<WarpStart> out_starts{"out_starts", kMaxSubPartitions};
  OutPorts<std::uint16_t> out_releases{"out_releases", kMaxSubPartitions};

  BlockScheduler(const sc_core::sc_module_name& name, CycleScheduler& scheduler)
      : ClockedModule(name, scheduler) {}

  void reset(const TimingSpec& timing, BlockSource& source, Observer* observer);

  /// Whether every block has come and gone.
  [[nodiscard]] bool all_done() const { return pending_ == nullptr && resident_ == 0; }

 private:
  struct Slot {
    const Block* block = nullptr;
    std::vector<std::uint16_t> warp_slots;  ///< of its warps, in order
    std::vector<bool> is_live;              ///< by warp, in order
    std::uint32_t live_warps = 0;
    std::uint32_t arrived_warps = 0;
    Cycle barrier_free_cycle = 0;  ///< when the next arrival can be taken
    Cycle open_cycle = kNever;     ///< when the barrier that all have reached opens
  };

  void step(Cycle now) override;
  void take_event(const WarpEvent& event, Cycle now);
  void close_barrier_if_complete(std::uint16_t block_slot, Cycle now);
  /// Sends the releases of barriers that open in the next cycle, and asks for a step for the
  /// others.
  void open_barriers(Cycle now);
  void retire(std::uint16_t block_slot, Cycle now);
  void launch(Cycle now);
  std::uint16_t take_warp_slot();
  std::size_t sub_partition_of(const WarpProgram& warp) const {
    return warp.warp % timing_.sub_partitions;
  }

  TimingSpec timing_;
  BlockSource* source_ = nullptr;
  Observer* observer_ = nullptr;
  const Block* pending_ = nullptr;  ///< the next block that waits for room
  std::vector<Slot> slots_;
  std::uint32_t resident_ = 0;
  std::uint32_t resident_kernel_ = 0;
  std::vector<std::uint16_t> free_warp_slots_;
  std::uint16_t warp_slot_count_ = 0;
};

}  // namespace smem::clock
