// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <cycle/in_flight.hpp>
#include <cycle/pipe.hpp>
#include <cycle/writeback.hpp>
#include <smem/timing.hpp>

namespace smem::cycle {

/// Hears of every wavefront, in order of cycles.
class WavefrontObserver {
 public:
  virtual ~WavefrontObserver() = default;
  /// Wavefront `index` (from 0) of `access` passes the banks in `cycle`.
  virtual void wavefront(const InFlight& access, std::uint32_t index, Cycle cycle) = 0;
};

/// The data stage: takes accesses out of the sub-partitions' queues into a few service slots and
/// sends their wavefronts through the banks, the oldest access first; one access's own wavefronts
/// keep their interval, so that others fill the cycles between. A warp has one access in service.
///
///   in_queue (per sub-partition) ──▶ [service slots] ──▶ banks, writeback
class Crossbar : public ClockedModule {
 public:
  std::array<Pipe<InFlight*>, TimingSpec::kMaxSubPartitions> in_queue;
  std::array<Pipe<bool>*, TimingSpec::kMaxSubPartitions> out_taken{};

  Crossbar(const sc_core::sc_module_name& name, CycleScheduler& scheduler, Writeback& writeback);

  void reset(const TimingSpec& timing, WavefrontObserver* observer);

  /// Wavefronts served since the reset.
  std::uint64_t wavefronts() const { return wavefronts_; }

 private:
  struct Slot {
    InFlight* access = nullptr;
    std::uint32_t wavefronts_left = 0;
    Cycle next_wavefront_cycle = 0;
    Cycle free_cycle = 0;  ///< may take another access from here on, once `access` is null
    std::uint64_t age = 0;  ///< of its access
    std::uint16_t warp_slot = 0;
  };
  using Slots = std::array<Slot, TimingSpec::kMaxAccessesInService>;
  /// A cycle of the data stage, and how many of its wavefronts are taken.
  struct ServiceClock {
    Cycle cycle = 0;
    std::uint32_t served_in_cycle = 0;
  };

  void step(Cycle now) override;
  void serve_until(Cycle now);
  /// The slot whose wavefront passes next, at or after `clock` and not after `last`, and when.
  Slot* next_to_serve(Slots& slots, ServiceClock& clock, Cycle last) const;
  void advance(ServiceClock& clock) const;
  Cycle next_end_cycle(Cycle now) const;
  void serve(Slot& slot, Cycle cycle);
  void admit(Cycle now);
  bool warp_in_service(std::uint16_t warp_slot, Cycle now) const;
  /// Index of the next access of a sub-partition that may enter; -1 for none.
  int candidate(std::size_t sub_partition, Cycle now) const;
  void enter(Slot& slot, std::size_t sub_partition, int index, Cycle now);
  void ask_for_next_step(Cycle now);

  Writeback& writeback_;
  TimingSpec timing_;
  WavefrontObserver* observer_ = nullptr;
  std::array<std::vector<InFlight*>, TimingSpec::kMaxSubPartitions> waiting_;
  Slots slots_;
  bool slots_changed_ = false;
  Cycle end_cycle_ = kNever;  ///< when the next access in service ends, as the slots stand
  std::vector<Cycle> service_end_of_warp_;  ///< by warp slot
  std::size_t next_sub_partition_ = 0;
  Cycle served_until_cycle_ = 0;
  std::uint64_t wavefronts_ = 0;
};

}  // namespace smem::cycle
