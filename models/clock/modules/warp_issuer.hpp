// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <clock/idle_state.hpp>
#include <clock/kernel/access_pool.hpp>
#include <clock/kernel/pipe.hpp>
#include <clock/modules/operand_path.hpp>
#include <clock/observer.hpp>
#include <clock/timing.hpp>

namespace smem::clock {

/// A warp that starts to run.
struct WarpStart {
  std::span<const Instruction> instructions;
  std::uint16_t warp_slot = 0;   ///< of the SM
  std::uint16_t block_slot = 0;  ///< of the SM
  std::uint32_t warp = 0;        ///< of the block
  BlockKey block;
};

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
  /// What a warp would issue next; nothing while it waits for a message.
  enum class Want : std::uint8_t { nothing, run, alu, barrier, access };

  struct Warp {
    Want want = Want::nothing;
    Cycle own_cycle = 0;  ///< from when on the warp itself could issue it
    std::uint16_t warp_slot = 0;
    std::uint16_t block_slot = 0;
    BlockKey block;
    bool running = false;
    bool at_barrier = false;
    const Instruction* next = nullptr;
    const Instruction* end = nullptr;
    const Instruction* last_access = nullptr;
    std::uint32_t repeats_left = 0;
    std::uint32_t run_left = 0;  ///< of the next instruction's run
    std::uint32_t independent_left = 0;
    std::uint32_t chain_left = 0;
    std::uint32_t values_returned = 0;
    std::uint32_t ends_expected = 0;  ///< accesses whose end the warp will still hear of
    Cycle passed_cycle = 0;           ///< when it started, or passed its last barrier
    std::uint32_t in_queue = 0;       ///< its accesses in the sub-partition's queue
    bool asleep = false;       ///< refused by the full queue, until an access of its own leaves
    bool was_refused = false;  ///< since its last access; looks every cycle when not asleep
    Cycle able_cycle = 0;      ///< from here on nothing earlier is left to issue
    Cycle next_issue_cycle = 0;
    Cycle next_access_cycle = 0;
    Cycle chain_ready_cycle = 0;
    Cycle value_cycle = 0;  ///< when the value came that the next instruction had to wait for
  };

  /// Independent instructions that warps issue while nothing else can, an ALU interval apart.
  /// There is no step for each; the next step, whatever asks for it, counts those before it.
  struct AluRun {
    struct Member {
      std::size_t warp = 0;
      Cycle next_issue_cycle = 0;  ///< of the warp when the run began
    };
    std::vector<Member> members;  ///< the warps that could issue, in the order in which they would
    std::size_t turns = 1;        ///< so many of them issue, one after the other, again and again
    Cycle first_cycle = 0;
    std::uint64_t most = 0;  ///< instructions, so that every warp keeps one; 0: there is no run
  };

  void step(Cycle now) override;
  void ask_for_next_step(Cycle now);
  void receive(Cycle now);
  void receive_ends(Pipe<std::uint16_t>& ends, bool are_values, Cycle now);
  void start(const WarpStart& start, Cycle now);
  void begin_instruction(Warp& warp, Cycle able_cycle);
  void end_instruction(Warp& warp, Cycle able_cycle);
  /// Works out `want` and `own_cycle` of a warp of which something has changed.
  static void look_again(Warp& warp);
  /// The first cycle in which `warp` could issue its next instruction; kNever while it waits for a
  /// message.
  Cycle issue_cycle(const Warp& warp) const {
    switch (warp.want) {
      case Want::nothing:
        return kNever;
      case Want::run:
        return warp.own_cycle;
      case Want::alu:
        return std::max(warp.own_cycle, next_alu_cycle_);
      case Want::barrier:
        return std::max(warp.own_cycle, next_barrier_cycle_);
      case Want::access:
        break;
    }
    return room_ == 0 || warp.asleep ? kNever : std::max(warp.own_cycle, next_access_cycle_);
  }
  /// Whether the warp that issued last is in a run, or at the access behind it, and can go on.
  bool keeps_slot(Cycle now) const;
  int choose(Cycle now) const;
  void receive_departures(Cycle now);
  /// The queue that was full has room from `room_cycle` on: which warps it refused until then.
  void note_refusals(Cycle room_cycle);
  void issue(Warp& warp, Cycle now);
  void issue_alu(Warp& warp, Cycle now);
  std::size_t first_of_run() const;
  void begin_alu_run();
  /// Counts what the run issued before `now`.
  void end_alu_run(Cycle now);
  void issue_access(Warp& warp, Cycle now);
  void finish_if_done(Warp& warp, Cycle now);
  Warp& warp_of_slot(std::uint16_t warp_slot) { return warps_[index_of_slot_[warp_slot]]; }

  const std::uint8_t sub_partition_;
  AccessPool& pool_;
  TimingSpec timing_;
  Observer* observer_ = nullptr;
  std::vector<Warp> warps_;
  std::vector<std::uint16_t> index_of_slot_;
  std::size_t last_issued_ = 0;
  AluRun alu_run_;
  std::uint32_t room_ = 0;
  Cycle room_cycle_ = 0;  ///< when the full queue last got room
  Cycle full_cycle_ = 0;  ///< when it last became full
  Cycle next_access_cycle_ = 0;
  Cycle next_alu_cycle_ = 0;
  Cycle next_barrier_cycle_ = 0;
};

}  // namespace smem::clock
