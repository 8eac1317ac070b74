// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <systemc>

#include <clock/banks/bank_array.hpp>
#include <clock/banks/wavefront_sink.hpp>
#include <clock/limits.hpp>

#include <smem/analyzer.hpp>
#include <smem/bank_collisions.hpp>

namespace smem::clock {

/// Says of every wavefront which group of lanes it belongs to, which turn of that group it is, and
/// which words the banks serve in it; all of it as models/smem has it. Needs instructions that
/// point to their accesses and hands on nothing of others. It has no process: the data stage
/// sends.
///
///   in_wavefronts ──wavefront i of an access──▶ (group, turn, words) ──▶ out_served
class LaneGrouper : public sc_core::sc_module, public WavefrontSink {
 public:
  sc_core::sc_export<WavefrontSink> in_wavefronts{"in_wavefronts"};
  sc_core::sc_port<ServedWavefronts> out_served{"out_served"};

  explicit LaneGrouper(const sc_core::sc_module_name& name) : sc_module(name) {
    in_wavefronts.bind(*this);
  }

  /// `spec` must outlive the simulation; null: nothing is handed on. `observer` hears of every
  /// wavefront and may be null.
  void reset(const GpuSpec* spec, WavefrontObserver* observer) {
    spec_ = spec;
    observer_ = observer;
  }

 private:
  /// The group an access in a service slot is at.
  struct Service {
    GroupWavefronts groups;
    std::uint16_t group = 0;
    std::uint32_t first_wavefront = 0;                          ///< of the group
    std::array<ServedWord, BankCollisions::kMaxWords> words{};  ///< of the group, by turn
    std::array<std::uint16_t, BankCollisions::kMaxWords + 1> turn_begin{};
  };

  void pass(const InFlight& access, std::uint32_t index, Cycle cycle) override;
  void begin_group(Service& service, const WarpAccess& access, std::uint16_t group) const;

  const GpuSpec* spec_ = nullptr;
  WavefrontObserver* observer_ = nullptr;
  std::array<Service, kMaxAccessesInService> services_;
};

}  // namespace smem::clock
