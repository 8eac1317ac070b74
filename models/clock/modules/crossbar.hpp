// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <clock/in_flight.hpp>
#include <clock/kernel/pipe.hpp>
#include <clock/modules/writeback.hpp>

#include <smem/timing.hpp>

namespace smem::clock {

/// Hears of every wavefront, in order of cycles.
class WavefrontObserver {
 public:
  virtual ~WavefrontObserver() = default;
  /// Wavefront `index` (from 0) of `access` passes the banks in `cycle`.
  virtual void wavefront(const InFlight& access, std::uint32_t index, Cycle cycle) = 0;
};

/// The data stage: takes accesses out of the SM's queue into a few service slots and sends their
/// wavefronts through the banks, the first in the queue first; one access's own wavefronts keep
/// their interval, so that others fill the cycles between. A warp has one access in service; where
/// the first accesses of the queue must wait for that, it takes a later one, as far as its window
/// reaches.
///
///   in_accesses (the SM's queue) ──▶ [service slots] ──▶ banks, writeback
class Crossbar : public ClockedModule {
 public:
  Pipe<InFlight*> in_accesses;
  Pipe<bool>* out_taken = nullptr;
  Pipe<std::uint32_t>* out_data_released = nullptr;

  Crossbar(const sc_core::sc_module_name& name, CycleScheduler& scheduler, Writeback& writeback);

  void reset(const TimingSpec& timing, WavefrontObserver* observer);

  /// Wavefronts served since the reset.
  std::uint64_t wavefronts() const { return wavefronts_; }

 private:
  static constexpr unsigned kMaxSlots = TimingSpec::kMaxAccessesInService;

  /// One place in service.
  struct Slot {
    InFlight* access = nullptr;
    Cycle free_cycle = 0;  ///< may take another access from here on, once `access` is null
    std::uint16_t warp_slot = 0;
  };
  /// How far the accesses in service are; small, so that it can be worked out ahead on a copy.
  struct Service {
    std::array<Cycle, kMaxSlots> next_wavefront_cycle{};
    std::array<Cycle, kMaxSlots> first_wavefront_cycle{};
    std::array<std::uint32_t, kMaxSlots> wavefronts_left{};
    std::array<std::uint8_t, kMaxSlots> by_age{};  ///< slots in use, first of the queue first
    std::uint32_t in_use = 0;
    Cycle cycle = 0;                    ///< the cycle that is served next,
    std::uint32_t served_in_cycle = 0;  ///< and its wavefronts that are taken
  };

  void step(Cycle now) override;
  /// Passes all wavefronts up to and including `now`, and ends the accesses they complete.
  void serve_until(Cycle now);
  /// Passes at once all wavefronts before cycle `end`, but an access's last, where they cannot be
  /// in each other's way: of one access, or of two at every second cycle that take turns.
  void pass_evenly(Service& service, Cycle end) const;
  /// Passes one wavefront, the next not after `last`, and returns its slot; -1 when there is none.
  int pass_wavefront(Service& service, Cycle last) const;
  void end_access(std::size_t index, Cycle cycle);
  /// Works `service_` on to the next end of an access, as if nobody entered before.
  void look_ahead();
  void admit(Cycle now);
  bool warp_in_service(std::uint16_t warp_slot, Cycle now) const;
  /// Place in `waiting_` of the access that may enter; -1 for none.
  int candidate(Cycle now) const;
  void enter(std::size_t slot_index, int place_in_queue, Cycle now);
  void ask_for_next_step(Cycle now);

  Writeback& writeback_;
  TimingSpec timing_;
  WavefrontObserver* observer_ = nullptr;
  std::vector<InFlight*> waiting_;  ///< the SM's queue, in order
  std::array<Slot, kMaxSlots> slots_;
  Service service_;
  Service ahead_;                           ///< `service_` at the next end of an access,
  Cycle ahead_end_cycle_ = kNever;          ///< which is in this cycle,
  int ahead_slot_ = -1;                     ///< in this slot,
  bool ahead_holds_ = false;                ///< unless somebody entered since
  std::vector<Cycle> service_end_of_warp_;  ///< by warp slot
  std::uint64_t wavefronts_ = 0;
};

}  // namespace smem::clock
