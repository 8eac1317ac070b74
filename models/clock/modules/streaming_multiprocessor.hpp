// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <clock/modules/block_scheduler.hpp>
#include <clock/modules/shared_memory.hpp>
#include <clock/modules/warp_issuer.hpp>

namespace smem::clock {

/// One SM as a trace sees it: blocks and the warps that issue, around the shared-memory path. Built
/// once and used for any number of simulations, one after the other.
class StreamingMultiprocessor : public sc_core::sc_module {
 public:
  static constexpr std::size_t kSubPartitions = kMaxSubPartitions;
  /// The modules that act at cycles.
  static constexpr std::size_t kClockedModules = kSubPartitions + SharedMemory::kClockedModules + 1;

  /// `order` of steps: see CycleScheduler.
  explicit StreamingMultiprocessor(const sc_core::sc_module_name& name,
                                   std::span<const std::size_t> order = {});

  /// Sets everything back to an empty SM at a cycle after all earlier simulations. The observer may
  /// be null.
  void reset(const TimingSpec& timing, BlockSource& source, Observer* observer,
             const BankView& banks = {});
  /// The cycle that a reset now would begin with.
  [[nodiscard]] Cycle next_start_cycle() const { return scheduler_.now() + 1; }
  /// Instead of `reset`: goes on behind blocks that ran without the modules, in a simulation that
  /// began in next_start_cycle(), which the observer has heard.
  void resume(const TimingSpec& timing, BlockSource& source, Observer* observer,
              const IdleState& left);
  /// Simulates until the last block has retired and the last access has finished.
  void run();

  /// The cycle of the reset; results count from here.
  [[nodiscard]] Cycle start_cycle() const { return start_cycle_; }
  [[nodiscard]] const SharedMemory& shared_memory() const { return shared_memory_; }
  [[nodiscard]] bool all_done() const { return blocks_.all_done(); }

 private:
  void connect();

  CycleScheduler scheduler_;
  SharedMemory shared_memory_{"shared_memory", scheduler_, kSubPartitions};
  sc_core::sc_vector<WarpIssuer> issuers_;
  BlockScheduler blocks_{"block_scheduler", scheduler_};
  Cycle start_cycle_ = 0;
};

}  // namespace smem::clock
