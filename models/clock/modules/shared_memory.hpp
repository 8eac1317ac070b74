// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <span>

#include <clock/banks/bank_array.hpp>
#include <clock/banks/lane_grouper.hpp>
#include <clock/modules/block_scheduler.hpp>
#include <clock/modules/crossbar.hpp>
#include <clock/modules/operand_path.hpp>
#include <clock/modules/warp_issuer.hpp>
#include <clock/modules/writeback.hpp>

namespace smem::clock {

/// The shared-memory path of one SM (drawing: README.md beside this file), built once and used for
/// any number of simulations, one after the other.
class SharedMemory : public sc_core::sc_module {
 public:
  /// The modules that act at cycles, in any order of construction.
  static constexpr std::size_t kClockedModules = TimingSpec::kMaxSubPartitions + 3;

  /// `order`: a permutation of 0 … kClockedModules-1, the order of construction; empty = as listed.
  explicit SharedMemory(const sc_core::sc_module_name& name,
                        std::span<const std::size_t> order = {});

  /// Sets everything back to an empty SM at a cycle after all earlier simulations.
  void reset(const TimingSpec& timing, BlockSource& source, Observer* observer,
             WavefrontObserver* wavefronts);
  /// Makes the simulation to come look into the banks; `banks` and `memory` may be null.
  void look_into_banks(const GpuSpec& spec, BankObserver* banks, StoredMemory* memory);
  /// Simulates until the last block has retired and the last access has finished.
  void run();

  /// The cycle of the reset; results count from here.
  Cycle start_cycle() const { return start_cycle_; }
  const BankArray& banks() const { return banks_; }
  const Crossbar& crossbar() const { return *crossbar_; }
  const Writeback& writeback() const { return writeback_; }
  bool all_done() const { return blocks_->all_done(); }

 private:
  void construct(std::size_t which);
  void connect();

  CycleScheduler scheduler_{"scheduler"};
  AccessPool pool_;
  Writeback writeback_{"writeback", pool_};
  LaneGrouper grouper_{"lane_grouper"};
  BankArray banks_{"bank_array"};
  std::array<std::unique_ptr<WarpIssuer>, TimingSpec::kMaxSubPartitions> issuers_;
  std::unique_ptr<OperandPath> operands_;
  std::unique_ptr<Crossbar> crossbar_;
  std::unique_ptr<BlockScheduler> blocks_;
  Cycle start_cycle_ = 0;
};

}  // namespace smem::clock
