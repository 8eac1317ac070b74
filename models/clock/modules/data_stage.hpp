// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <clock/banks/wavefront_sink.hpp>
#include <clock/idle_state.hpp>
#include <clock/in_flight.hpp>
#include <clock/kernel/pipe.hpp>
#include <clock/modules/sm_queue.hpp>
#include <clock/modules/wavefront_service.hpp>
#include <clock/modules/writeback.hpp>
#include <clock/timing.hpp>

namespace smem::clock {

/// The data stage: takes accesses out of the SM's queue into a few service slots and sends their
/// wavefronts through the banks, the first in the queue first; one access's own wavefronts keep
/// their interval, so that others fill the cycles between. A warp has one access in service; where
/// the first accesses of the queue must wait for that, it takes a later one, as far as its window
/// reaches.
///
///   in_queue ──▶ [service slots] ──▶ out_ended (the return path), out_data_released
///                      └──▶ out_wavefronts (the banks, where they are simulated)
class DataStage : public ClockedModule {
 public:
  sc_core::sc_port<SmQueue> in_queue{"in_queue"};
  sc_core::sc_port<WavefrontSink> out_wavefronts{"out_wavefronts"};
  sc_core::sc_port<EndedAccesses> out_ended{"out_ended"};
  OutPort<std::uint32_t> out_data_released{"out_data_released"};  ///< registers of store data

  DataStage(const sc_core::sc_module_name& name, CycleScheduler& scheduler)
      : ClockedModule(name, scheduler) {}

  void reset(const TimingSpec& timing, BankMode banks);
  /// After a reset: goes on where earlier blocks have left the stage.
  void resume(const IdleState& left);

  /// Wavefronts served since the reset.
  [[nodiscard]] std::uint64_t wavefronts() const { return wavefronts_; }

 private:
  static constexpr unsigned kMaxSlots = kMaxAccessesInService;

  /// One place in service.
  struct Slot {
    InFlight* access = nullptr;
    Cycle free_cycle = 0;  ///< may take another access from here on, once `access` is null
    std::uint16_t warp_slot = 0;
  };

  void end_of_elaboration() override { in_queue->set_server(*this); }
  void step(Cycle now) override;
  /// Passes all wavefronts up to and including `now`, and ends the accesses they complete.
  void serve_until(Cycle now);
  void end_access(std::size_t index, Cycle cycle);
  /// Works `service_` on to the next end of an access, as if nobody entered before.
  void look_ahead();
  void admit(Cycle now);
  [[nodiscard]] bool warp_in_service(std::uint16_t warp_slot, Cycle now) const;
  /// Place in the queue of the first access that can enter; -1 for none.
  [[nodiscard]] int first_to_admit(Cycle now) const;
  /// Place in the queue of the access that the order of admission picks; -1 for none.
  int pick_to_admit(Cycle now);
  void enter(std::size_t slot_index, InFlight& access, Cycle now);
  void ask_for_next_step(Cycle now);

  TimingSpec timing_;
  BankMode banks_ = BankMode::skipped;
  const std::vector<InFlight*>* waiting_ = nullptr;  ///< the SM's queue, while a slot is free
  bool queue_wakes_ = true;                          ///< an access that enters the SM's queue
  std::array<Slot, kMaxSlots> slots_;
  std::array<const InFlight*, kMaxSlots> in_service_{};  ///< by slot
  WavefrontService service_;
  WavefrontService ahead_;          ///< `service_` at the next end of an access,
  Cycle ahead_end_cycle_ = kNever;  ///< which is in this cycle,
  int ahead_slot_ = -1;             ///< in this slot,
  bool ahead_holds_ = false;        ///< unless somebody entered since
  bool takes_first_ = false;        ///< the order of admission does
  std::vector<AdmissionCandidate> candidates_;
  std::vector<Cycle> service_end_of_warp_;  ///< by warp slot
  std::uint64_t wavefronts_ = 0;
};

}  // namespace smem::clock
