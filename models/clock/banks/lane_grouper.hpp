// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <systemc>

#include <clock/banks/bank_array.hpp>
#include <clock/modules/crossbar.hpp>

#include <smem/analyzer.hpp>
#include <smem/bank_collisions.hpp>

namespace smem::clock {

/// Says of every wavefront which group of lanes it belongs to, which turn of that group it is, and
/// which words the banks serve in it; all of it as models/smem has it. Needs instructions that
/// point to their accesses and is silent about others. It has no process: the crossbar tells it.
///
///   crossbar ──wavefront i of an access──▶ (group, turn, words) ──▶ out_banks
class LaneGrouper : public sc_core::sc_module, public WavefrontObserver {
 public:
  BankArray* out_banks = nullptr;

  explicit LaneGrouper(const sc_core::sc_module_name& name) : sc_module(name) {}

  /// `spec` must outlive the simulation.
  void reset(const GpuSpec& spec) { spec_ = &spec; }

  void wavefront(const InFlight& access, std::uint32_t index, Cycle cycle) override;

 private:
  /// The group an access in a service slot is at.
  struct Service {
    GroupWavefronts groups;
    std::uint16_t group = 0;
    std::uint32_t first_wavefront = 0;                          ///< of the group
    std::array<ServedWord, BankCollisions::kMaxWords> words{};  ///< of the group, by turn
    std::array<std::uint16_t, BankCollisions::kMaxWords + 1> turn_begin{};
  };

  void begin_group(Service& service, const WarpAccess& access, std::uint16_t group) const;

  const GpuSpec* spec_ = nullptr;
  std::array<Service, TimingSpec::kMaxAccessesInService> services_;
};

}  // namespace smem::clock
