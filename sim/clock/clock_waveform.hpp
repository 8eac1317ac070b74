// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <vector>

#include <clock/banks/bank_array.hpp>
#include <clock/observer.hpp>

#include <sim/clock/vcd_writer.hpp>
#include <smem/gpu_spec.hpp>

namespace smem {

namespace clock {
struct TimingSpec;  // clock/timing.hpp
}

/// Writes a simulation as a value change dump, one cycle = 1 ns, from the simulation's start:
///
///   sm.sub_partition_P.queue            accesses issued, not yet in the SM's queue
///   sm.sub_partition_P.in_sm_queue      its accesses in the SM's queue
///   sm.data_stage.slot_S_warp           warp slot of the access in service slot S
///   sm.data_stage.slot_S_record         that access's record, counted in the trace from 0
///   sm.data_stage.slot_S_wavefront      its wavefront that passes the banks in this cycle
///   sm.data_stage.busy_banks            bit b: bank b serves a word
///   sm.return_path.warp                 warp slot whose value moves
///
/// What is not there is z. Modules tell late, so changes are held back until none earlier can come:
/// all that is still to be told happens after the issue of the oldest access under way. Memory is
/// bounded by the accesses the SM has under way and the longest of their stays, not by the trace.
class ClockWaveform : public clock::Observer, public clock::BankObserver {
 public:
  ClockWaveform(std::ostream& out, const GpuSpec& spec, const clock::TimingSpec& timing);

  void simulation_started(clock::Cycle cycle) override { start_cycle_ = cycle; }
  void access_issued(const clock::InFlight& access) override;
  void access_finished(const clock::InFlight& access) override;
  void served(const clock::InFlight& access, const clock::ServedWavefront& wavefront,
              const clock::BankSet& busy, clock::Cycle cycle) override;

  /// Call when the simulation is over.
  void finish();

 private:
  struct SubPartition {
    VcdWriter::Signal queue = 0;
    VcdWriter::Signal in_sm_queue = 0;
  };
  struct ServiceSlot {
    VcdWriter::Signal warp = 0;
    VcdWriter::Signal record = 0;
    VcdWriter::Signal wavefront = 0;
  };

  void declare_sub_partitions(const clock::TimingSpec& timing);
  void declare_data_stage(const GpuSpec& spec, const clock::TimingSpec& timing);
  std::uint64_t time_of(clock::Cycle cycle) const { return cycle - start_cycle_; }
  /// The signal carries `value` in [begin, end) and nothing afterwards, if nobody sets it.
  void pulse(VcdWriter::Signal signal, clock::Cycle begin, clock::Cycle end, std::uint64_t value);
  void write_settled();

  VcdWriter writer_;
  std::vector<SubPartition> sub_partitions_;
  std::vector<ServiceSlot> slots_;
  VcdWriter::Signal busy_banks_ = 0;
  VcdWriter::Signal return_warp_ = 0;
  clock::Cycle start_cycle_ = 0;
  clock::Cycle last_cycle_ = 0;
  clock::Cycle last_issue_cycle_ = 0;
  std::multiset<clock::Cycle> issue_cycles_;  ///< of the accesses under way
};

}  // namespace smem
