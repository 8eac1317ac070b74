// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <clock/banks/bank_array.hpp>
#include <clock/banks/lane_grouper.hpp>
#include <clock/kernel/access_pool.hpp>
#include <clock/modules/data_stage.hpp>
#include <clock/modules/instruction_entry.hpp>
#include <clock/modules/operand_path.hpp>
#include <clock/modules/sm_queue.hpp>
#include <clock/modules/writeback.hpp>

namespace smem::clock {

/// What of the banks a simulation is to show. Everything it points to must outlive the simulation.
struct BankView {
  BankMode mode = BankMode::skipped;
  const GpuSpec* spec = nullptr;            ///< null: only `wavefronts` hears anything
  BankObserver* observer = nullptr;         ///< may be null
  StoredMemory* memory = nullptr;           ///< what stores leave; may be null
  WavefrontObserver* wavefronts = nullptr;  ///< may be null
};

/// The shared-memory path of one SM, from the accesses its warps issue to the values that come back
/// (drawing: models/clock/README.md). Whoever issues holds it: StreamingMultiprocessor here, or a
/// SystemC model of somebody else's (examples/own_issuer.cpp).
///
///   in_accesses, ──▶ operand path ──▶ SM's queue ──▶ data stage ──▶ writeback ──▶ out_values
///   in_instructions   │                                  └──▶ lane grouper ──▶ banks
///   out_departures ◀──┘
class SharedMemory : public sc_core::sc_module {
 public:
  /// Accesses a sub-partition issues, each taken from `pool()`. It may have `queue_entries` of them
  /// there: one more for every departure.
  sc_core::sc_vector<sc_core::sc_export<PipeInput<InFlight*>>> in_accesses;
  /// The same for issuers of somebody else's, which know instructions only.
  InstructionEntries in_instructions;
  OutPorts<Departure> out_departures;      ///< an access left its sub-partition's queue
  OutPorts<std::uint16_t> out_values;      ///< warp slots, in the order of their accesses
  OutPorts<std::uint16_t> out_store_ends;  ///< warp slots: a store marked last_of_warp is done

  /// Modules that act at cycles: what a permutation of steps counts.
  static constexpr std::size_t kClockedModules = 2;

  /// Within a model that has a scheduler. At most kMaxSubPartitions sub-partitions.
  SharedMemory(const sc_core::sc_module_name& name, CycleScheduler& scheduler,
               std::size_t sub_partitions);
  /// With a scheduler of its own, for modules that live by SystemC's time: cycle n is the time n
  /// cycle times after the start, and nothing runs ahead of it. Inboxes can take what it sends.
  SharedMemory(const sc_core::sc_module_name& name, sc_core::sc_time cycle_time,
               std::size_t sub_partitions);

  /// Sets everything to an empty path with these numbers; needed before the first access. `timing`
  /// has as many sub-partitions as the constructor was told, or fewer. The observer may be null.
  void reset(const TimingSpec& timing, Observer* observer, const BankView& banks = {});
  /// After a reset: goes on where earlier blocks have left the path.
  void resume(const IdleState& left);

  /// Where issuers take accesses from. They come back by themselves.
  AccessPool& pool() { return pool_; }
  [[nodiscard]] const BankArray& banks() const { return banks_; }
  [[nodiscard]] const DataStage& data_stage() const { return data_stage_; }
  [[nodiscard]] const Writeback& writeback() const { return writeback_; }

 private:
  void connect(const CycleScheduler& scheduler);

  std::unique_ptr<CycleScheduler> own_scheduler_;  ///< null within a model that has one
  AccessPool pool_;
  OperandPath operand_path_;
  SmQueue queue_{"sm_queue"};
  DataStage data_stage_;
  LaneGrouper lane_grouper_{"lane_grouper"};
  BankArray banks_{"bank_array"};
  Writeback writeback_;
};

}  // namespace smem::clock
