// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <clock/banks/bank_array.hpp>
#include <clock/observer.hpp>

namespace smem::clock {

/// Lets several observers hear one simulation, in the order they were added.
class ObserverList : public Observer, public BankObserver {
 public:
  void add(Observer& observer) { observers_.push_back(&observer); }
  void add_banks(BankObserver& observer) { bank_observers_.push_back(&observer); }

  void simulation_started(Cycle cycle) override {
    for (Observer* observer : observers_) observer->simulation_started(cycle);
  }
  void block_started(std::uint16_t block_slot, const Block& block, Cycle cycle) override {
    for (Observer* observer : observers_) observer->block_started(block_slot, block, cycle);
  }
  void block_finished(std::uint16_t block_slot, Cycle cycle) override {
    for (Observer* observer : observers_) observer->block_finished(block_slot, cycle);
  }
  void warp_started(std::uint16_t warp_slot, std::uint16_t block_slot, std::uint32_t warp,
                    Cycle cycle) override {
    for (Observer* observer : observers_)
      observer->warp_started(warp_slot, block_slot, warp, cycle);
  }
  void warp_finished(std::uint16_t warp_slot, Cycle cycle) override {
    for (Observer* observer : observers_) observer->warp_finished(warp_slot, cycle);
  }
  void barrier_arrived(std::uint16_t warp_slot, const Instruction& barrier, Cycle cycle) override {
    for (Observer* observer : observers_) observer->barrier_arrived(warp_slot, barrier, cycle);
  }
  void barrier_opened(std::uint16_t block_slot, Cycle cycle) override {
    for (Observer* observer : observers_) observer->barrier_opened(block_slot, cycle);
  }
  void barrier_passed(std::uint16_t warp_slot, Cycle cycle) override {
    for (Observer* observer : observers_) observer->barrier_passed(warp_slot, cycle);
  }
  void access_issued(const InFlight& access) override {
    for (Observer* observer : observers_) observer->access_issued(access);
  }
  void access_finished(const InFlight& access) override {
    for (Observer* observer : observers_) observer->access_finished(access);
  }
  void served(const InFlight& access, const ServedWavefront& wavefront, const BankSet& busy,
              Cycle cycle) override {
    for (BankObserver* observer : bank_observers_) observer->served(access, wavefront, busy, cycle);
  }
  void lanes_lost(const InFlight& access, const StoreOutcome& outcome, Cycle cycle) override {
    for (BankObserver* observer : bank_observers_) observer->lanes_lost(access, outcome, cycle);
  }

 private:
  std::vector<Observer*> observers_;
  std::vector<BankObserver*> bank_observers_;
};

}  // namespace smem::clock
