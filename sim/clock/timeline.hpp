// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <clock/banks/bank_array.hpp>
#include <clock/observer.hpp>

#include <sim/clock/trace_blocks.hpp>

namespace smem {

namespace clock {
struct TimingSpec;  // clock/timing.hpp
}

/// Writes a simulation as Chrome trace events (Perfetto, chrome://tracing), one cycle = 1 us, from
/// the simulation's start. It keeps nothing but the warps that run.
///
/// Process "SM": a lane for each service slot of the data stage, an event per access; a lane for
/// the return path. One process per block, a lane per warp: under the slice of the warp's life, the
/// waits and the service of the oldest access it has under way, so that slices never overlap; what
/// a younger access waited meanwhile is in the numbers of its service slice, and what stands
/// between slices is the way of its value back, or other instructions.
class Timeline : public clock::Observer, public clock::BankObserver {
 public:
  /// All must outlive it; `info` and `sites` may still grow while the simulation runs.
  Timeline(std::ostream& out, const clock::TimingSpec& timing, const TraceInfo& info,
           const std::vector<Site>& sites);

  void simulation_started(clock::Cycle cycle) override { start_cycle_ = cycle; }
  void block_started(std::uint16_t block_slot, const clock::Block& block,
                     clock::Cycle cycle) override;
  void warp_started(std::uint16_t warp_slot, std::uint16_t block_slot, std::uint32_t warp,
                    clock::Cycle cycle) override;
  void warp_finished(std::uint16_t warp_slot, clock::Cycle cycle) override;
  void barrier_arrived(std::uint16_t warp_slot, const clock::Instruction& barrier,
                       clock::Cycle cycle) override;
  void barrier_passed(std::uint16_t warp_slot, clock::Cycle cycle) override;
  void access_issued(const clock::InFlight& access) override;
  void access_finished(const clock::InFlight& access) override;
  void served(const clock::InFlight&, const clock::ServedWavefront&, const clock::BankSet&,
              clock::Cycle) override {}
  void lanes_lost(const clock::InFlight& access, const StoreOutcome& outcome,
                  clock::Cycle cycle) override;

  /// Call when the simulation is over.
  void finish();

 private:
  struct Lane {
    std::uint64_t process = 0;
    std::uint64_t thread = 0;
  };
  struct Wait {
    clock::Cycle begin_cycle = 0;
    clock::Cycle end_cycle = 0;
  };
  struct BlockSlot {
    std::uint64_t process = 0;
    std::string name;
  };
  struct WarpSlot {
    Lane lane;
    clock::Cycle start_cycle = 0;
    clock::Cycle drawn_until_cycle = 0;
    std::uint64_t under_way = 0;  ///< accesses issued and not finished
    std::vector<Wait> barriers;   ///< passed while accesses before them were under way
  };

  void begin_event(char phase, const Lane& lane, std::string_view name);
  void name_lane(const Lane& lane, std::string_view key, const std::string& name);
  /// Begins a slice; the caller writes further fields and ends it with "}".
  void begin_slice(const Lane& lane, std::string_view name, std::string_view category,
                   clock::Cycle begin, clock::Cycle end);
  void wait_slice(WarpSlot& warp, std::string_view name, clock::Cycle begin, clock::Cycle end);
  void draw_barriers(WarpSlot& warp, clock::Cycle before_cycle);
  void draw_waits(WarpSlot& warp, const clock::InFlight& access);
  void draw_service(WarpSlot& warp, const clock::InFlight& access);

  std::ostream& out_;
  const clock::TimingSpec& timing_;
  const TraceInfo& info_;
  const std::vector<Site>& sites_;
  clock::Cycle start_cycle_ = 0;
  std::uint64_t processes_ = 1;
  std::vector<BlockSlot> block_slots_;
  std::vector<WarpSlot> warp_slots_;
  std::uint32_t lost_lanes_ = 0;  ///< of the access that finishes next
};

}  // namespace smem
