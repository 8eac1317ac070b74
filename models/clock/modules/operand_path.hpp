// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <clock/idle_state.hpp>
#include <clock/in_flight.hpp>
#include <clock/kernel/pipe.hpp>
#include <clock/modules/sm_queue.hpp>
#include <clock/modules/sub_partition_turns.hpp>
#include <clock/timing.hpp>

namespace smem::clock {

/// An access left its sub-partition's queue.
struct Departure {
  std::uint16_t warp_slot = 0;
};

/// The queue of every sub-partition and the way from there into the SM's queue. The registers of a
/// sub-partition's first access move: the address on its own path, then store data over a bus that
/// all sub-partitions share, once there is storage for them. When all have arrived and the SM's
/// queue has room, the access enters it; the next one of the sub-partition can begin to move.
///
///   in_accesses ──▶ [queue] ──▶ registers move ──▶ out_queue (the SM's queue)
///   out_departures (issuers) ◀──                   in_data_released (data stage) ◀──
class OperandPath : public ClockedModule {
 public:
  InPipes<InFlight*> in_accesses;
  /// So many registers of store data are no longer stored.
  InPipe<std::uint32_t> in_data_released{"in_data_released", *this};
  sc_core::sc_port<SmQueue> out_queue{"out_queue"};
  OutPorts<Departure> out_departures;

  OperandPath(const sc_core::sc_module_name& name, CycleScheduler& scheduler,
              std::size_t sub_partitions)
      : ClockedModule(name, scheduler),
        in_accesses("in_accesses", sub_partitions, *this),
        out_departures("out_departures", sub_partitions) {}

  void reset(const TimingSpec& timing);
  /// After a reset: goes on where earlier blocks have left the path.
  void resume(const IdleState& left);

 private:
  struct SubPartition {
    InFlight* first = nullptr;    ///< of its queue; those behind it wait in the pipe
    bool moving = false;          ///< the first one's registers
    std::uint32_t data_left = 0;  ///< data registers of the first that have not moved
    Cycle next_cycle = 0;         ///< the next data register may move, or all have arrived
    Cycle path_free_cycle = 0;    ///< when the access before entered the SM's queue
  };

  void end_of_elaboration() override { out_queue->set_filler(*this); }
  void step(Cycle now) override;
  void receive(Cycle now);
  /// The next access that has arrived becomes its sub-partition's first.
  void receive_first(std::size_t index, Cycle now);
  [[nodiscard]] Cycle issue_cycle_of_first(std::size_t index) const {
    return sub_partitions_[index].first->stamps.issue_cycle;
  }
  /// Lets accesses whose registers have arrived enter the SM's queue, as far as it has room.
  void enter_queue(Cycle now);
  /// Starts the transfers that can start.
  void start_transfers(Cycle now);
  void start_transfer(SubPartition& sub_partition, Cycle now);
  [[nodiscard]] std::uint32_t stored_registers(const InFlight& access) const {
    return timing_.stored_registers(access.instruction->operand_registers);
  }
  void move_data(Cycle from_cycle, Cycle to_cycle);
  void move_data_once(Cycle cycle);
  void ask_for_next_step(Cycle now);

  TimingSpec timing_;
  std::array<SubPartition, kMaxSubPartitions> sub_partitions_;
  SubPartitionTurns into_queue_;
  SubPartitionTurns to_start_;
  std::size_t next_on_bus_ = 0;
  std::uint32_t data_room_ = 0;  ///< registers of store data that can still be stored
  std::uint32_t data_left_ = 0;  ///< to move, of all sub-partitions together
  bool room_wakes_ = true;       ///< a place of the SM's queue that becomes free
  Cycle moved_until_cycle_ = 0;  ///< the data bus has been simulated up to here
};

}  // namespace smem::clock
