// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <clock/idle_state.hpp>
#include <clock/kernel/access_pool.hpp>
#include <clock/kernel/pipe.hpp>
#include <clock/modules/alu_run.hpp>
#include <clock/modules/operand_path.hpp>
#include <clock/modules/warp_scheduler.hpp>
#include <clock/modules/warp_state.hpp>
#include <clock/observer.hpp>
#include <clock/timing.hpp>

namespace smem::clock {

/// A warp reached a barrier, or is done.
struct WarpEvent {
  std::uint16_t warp_slot = 0;
  std::uint16_t block_slot = 0;
  bool is_done = false;
  Cycle cycle = 0;  ///< when it happened
};

/// The warps of one sub-partition and their scheduler: in order within a warp, one instruction a
/// cycle, an access only when the sub-partition's queue has room.
///
///   in_starts, in_releases ──▶ [warps] ──▶ out_accesses (to the operand path)
///   in_values, in_store_ends (from writeback), in_departures (from the operand path)
class WarpIssuer : public ClockedModule {
 public:
  InPipe<WarpStart> in_starts{"in_starts", *this};
  InPipe<std::uint16_t> in_releases{"in_releases", *this};      ///< warp slots whose barrier opened
  InPipe<std::uint16_t> in_values{"in_values", *this};          ///< warp slots of returned values
  InPipe<std::uint16_t> in_store_ends{"in_store_ends", *this};  ///< warp slots, last store done
  InPipe<Departure> in_departures{"in_departures", *this};      ///< from the sub-partition's queue
  OutPort<InFlight*> out_accesses{"out_accesses"};
  OutPort<WarpEvent> out_events{"out_events"};

  WarpIssuer(const sc_core::sc_module_name& name, CycleScheduler& scheduler,
             std::uint8_t sub_partition, AccessPool& pool);

  /// Forgets everything and starts over with these numbers.
  void reset(const TimingSpec& timing, Observer* observer);
  /// After a reset: goes on where earlier blocks have left the sub-partition.
  void resume(const IdleState::SubPartition& left);

 private:
  void step(Cycle now) override;
  void ask_for_next_step(Cycle now);
  void receive(Cycle now);
  void receive_departures(Cycle now);
  void receive_ends(Pipe<std::uint16_t>& ends, bool are_values, Cycle now);
  void start(const WarpStart& start, Cycle now);
  void issue(WarpState& warp, Cycle now);
  void issue_alu(WarpState& warp, Cycle now);
  void issue_access(WarpState& warp, Cycle now);
  void finish_if_done(WarpState& warp, Cycle now);
  WarpState& warp_of_slot(std::uint16_t warp_slot) { return warps_[index_of_slot_[warp_slot]]; }

  const std::uint8_t sub_partition_;
  AccessPool& pool_;
  TimingSpec timing_;
  Observer* observer_ = nullptr;
  std::vector<WarpState> warps_;
  std::vector<std::uint16_t> index_of_slot_;
  WarpScheduler turns_;
  AluRun alu_run_;
};

}  // namespace smem::clock
