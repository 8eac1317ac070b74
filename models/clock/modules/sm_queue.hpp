// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include <clock/in_flight.hpp>
#include <clock/kernel/pipe.hpp>

namespace smem::clock {

struct TimingSpec;  // clock/timing.hpp

/// The SM's queue, where accesses whose registers have arrived wait in order for the data stage. A
/// channel, as sc_fifo is one: it has no process; what one side does in a cycle the other sees in
/// the next. Its functions are not virtual: they are called for every access.
///
///   operand path ──enter──▶ [places] ──take──▶ data stage
class SmQueue : public sc_core::sc_module, public virtual sc_core::sc_interface {
 public:
  explicit SmQueue(const sc_core::sc_module_name& name) : sc_module(name) {}

  void reset(const TimingSpec& timing);

  // To the module that fills it.

  /// Says whom to wake when a place becomes free. Once, at elaboration.
  void set_filler(ClockedModule& filler) { freed_.set_receiver(filler); }
  /// Places that are free in cycle `now`, the calling step's.
  std::uint32_t room(Cycle now) {
    for (; freed_.has_arrived(now); ++room_) freed_.receive();
    return room_;
  }
  /// `access` takes a place now, and can be served from the next cycle on.
  void enter(InFlight& access, Cycle now) {
    assert(room_ != 0);
    --room_;
    access.stamps.queue_cycle = now;
    access.age = entered_count_++;
    entered_.send(&access, now + 1);
  }
  /// When the next place becomes free as far as it is known; kNever otherwise. `wakes`: places that
  /// become free from now on wake the filler.
  Cycle next_room_cycle(bool wakes) {
    freed_.wake_not_before(wakes ? 0 : kNever);
    return freed_.next_arrival_cycle();
  }

  // To the module that serves it.

  /// Says whom to wake when an access can be served. Once, at elaboration.
  void set_server(ClockedModule& server) { entered_.set_receiver(server); }
  /// The accesses that can be served in cycle `now`, the calling step's, in the order in which they
  /// entered. The list stays where it is.
  const std::vector<InFlight*>& waiting(Cycle now) {
    while (entered_.has_arrived(now)) waiting_.push_back(entered_.receive());
    return waiting_;
  }
  /// The access at `place` of that list leaves it; its place is free from the next cycle on.
  InFlight& take(std::size_t place, Cycle now) {
    InFlight& access = *waiting_[place];
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(place));
    freed_.send(true, now + 1);
    return access;
  }
  /// When the next access comes to the list as far as it is known; kNever otherwise. Accesses that
  /// enter from now on wake the server not before `wake_cycle`; kNever = not at all.
  Cycle next_arrival_cycle(Cycle wake_cycle) {
    entered_.wake_not_before(wake_cycle);
    return entered_.next_arrival_cycle();
  }

 private:
  Pipe<InFlight*> entered_;  ///< on their way into `waiting_`
  Pipe<bool> freed_;         ///< places that become free
  std::vector<InFlight*> waiting_;
  std::uint32_t room_ = 0;
  std::uint64_t entered_count_ = 0;
};

}  // namespace smem::clock
