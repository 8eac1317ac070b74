// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <systemc>

#include <clock/banks/bank_totals.hpp>
#include <clock/banks/stored_memory.hpp>
#include <clock/in_flight.hpp>

#include <smem/bank_collisions.hpp>
#include <smem/gpu_spec.hpp>
#include <smem/store_outcome.hpp>

namespace smem::clock {

/// One pass of an access through the banks.
struct ServedWavefront {
  std::uint32_t index = 0;            ///< of the access, from 0
  std::uint16_t group = 0;            ///< of the access's lane groups
  std::uint16_t turn = 0;             ///< of the group
  std::uint16_t pass = 0;             ///< of the turn: 0 … wavefront_factor - 1
  bool ends_turn = false;             ///< the turn's last pass, in which a store reaches its words
  std::uint32_t lanes = 0;            ///< of the group
  std::span<const ServedWord> words;  ///< what the banks serve, at most one word a bank
};

using BankSet = std::bitset<BankCollisions::kMaxBanks>;

/// Hears what the banks do, in order of cycles.
class BankObserver {
 public:
  virtual ~BankObserver() = default;
  /// `busy` holds every bank busy in `cycle` so far: several wavefronts may share a cycle.
  virtual void served(const InFlight& access, const ServedWavefront& wavefront, const BankSet& busy,
                      Cycle cycle) = 0;
  /// `access` was served to its end, and some of its lanes' values were overwritten by others of
  /// its lanes.
  virtual void lanes_lost(const InFlight& /*access*/, const StoreOutcome& /*outcome*/,
                          Cycle /*cycle*/) {}
};

/// Where wavefronts go whose words are known.
class ServedWavefronts : public virtual sc_core::sc_interface {
 public:
  /// `wavefront` of `access` passes in `cycle`, never before one it was told of.
  virtual void serve(const InFlight& access, const ServedWavefront& wavefront, Cycle cycle) = 0;
};

/// The banks: busy or not, which word each serves to how many lanes, and what stores leave in the
/// words. Inside a group the rule's winner stays, later groups overwrite earlier ones, and other
/// accesses come between wavefronts as the clock has it. Additions and compare-and-swap leave
/// unknown values, as do stores whose instruction carries none.
///
/// It has no process: the lane grouper sends.
class BankArray : public sc_core::sc_module, public ServedWavefronts {
 public:
  sc_core::sc_export<ServedWavefronts> in_served{"in_served"};

  explicit BankArray(const sc_core::sc_module_name& name) : sc_module(name) {
    in_served.bind(*this);
  }

  /// `spec` must outlive the simulation; null where no wavefront will come. `observer` and `memory`
  /// may be null.
  void reset(const GpuSpec* spec, BankObserver* observer, StoredMemory* memory);

  [[nodiscard]] const BankTotals& totals() const { return totals_; }

 private:
  void serve(const InFlight& access, const ServedWavefront& wavefront, Cycle cycle) override;
  void store(const InFlight& in_flight, const ServedWavefront& wavefront);

  const GpuSpec* spec_ = nullptr;
  BankObserver* observer_ = nullptr;
  StoredMemory* memory_ = nullptr;
  BankSet busy_;
  Cycle busy_cycle_ = 0;
  BankTotals totals_;
};

}  // namespace smem::clock
