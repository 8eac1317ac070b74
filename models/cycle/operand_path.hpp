// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <cycle/in_flight.hpp>
#include <cycle/pipe.hpp>
#include <smem/timing.hpp>

namespace smem::cycle {

/// Operand transfer and queue of every sub-partition. An issued access waits in the operand buffer
/// until its registers move: the address first, then store data over a bus that all sub-partitions
/// share; then it stands in the sub-partition's queue until the data stage takes it.
///
///   in_accesses ──▶ [operand buffer] ──▶ registers move ──▶ out_queue ──▶ data stage
///                   out_room ◀──                            in_taken ◀──
class OperandPath : public ClockedModule {
 public:
  std::array<Pipe<InFlight*>, TimingSpec::kMaxSubPartitions> in_accesses;
  std::array<Pipe<InFlight*>*, TimingSpec::kMaxSubPartitions> out_queue{};

  OperandPath(const sc_core::sc_module_name& name, CycleScheduler& scheduler);

  void reset(const TimingSpec& timing);

 private:
  struct SubPartition {
    std::vector<InFlight*> waiting;  ///< in order of issue; the first one's data may be moving
    std::uint32_t data_left = 0;     ///< data registers of the first that have not moved
    Cycle next_cycle = 0;            ///< the next data register may move, or all have arrived
    Cycle free_cycle = 0;            ///< when the last access's registers have all arrived
    Cycle due_cycle = kNever;        ///< when this sub-partition needs the next step
  };

  void step(Cycle now) override;
  void receive(std::size_t index, Cycle now);
  /// Starts the next transfer of a sub-partition, if it can in this cycle or could in the last.
  bool start_transfer(std::size_t index, Cycle now);
  void finish_transfer(std::size_t index);
  void move_data(Cycle from_cycle, Cycle to_cycle);
  void move_data_once(Cycle cycle);
  /// Works out a sub-partition's `due_cycle`, and what it wants to be woken for.
  void plan(std::size_t index, Cycle now);

  TimingSpec timing_;
  std::array<SubPartition, TimingSpec::kMaxSubPartitions> sub_partitions_;
  std::size_t next_on_bus_ = 0;
  std::uint32_t data_left_ = 0;  ///< of all sub-partitions together
  Cycle moved_until_cycle_ = 0;  ///< the data bus has been simulated up to here
};

}  // namespace smem::cycle
