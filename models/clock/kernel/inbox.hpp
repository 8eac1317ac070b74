// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <deque>

#include <clock/kernel/ports.hpp>

namespace smem::clock {

/// The end of a pipe in a module that lives by SystemC's time, not by a CycleScheduler: keeps what
/// arrives, and notifies an event when it does. For what a scheduler sends that runs nothing ahead
/// (see Timebase).
template <class Message>
class Inbox : public sc_core::sc_export<PipeInput<Message>>, public PipeInput<Message> {
 public:
  /// `cycle_time` as the sender's.
  Inbox(const char* name, sc_core::sc_time cycle_time)
      : sc_core::sc_export<PipeInput<Message>>(name), cycle_time_(cycle_time) {
    this->bind(static_cast<PipeInput<Message>&>(*this));
  }

  /// Notified when the first message arrives that has not been received.
  [[nodiscard]] const sc_core::sc_event& arrival_event() const { return arrival_; }
  [[nodiscard]] bool has_arrived() const {
    return !messages_.empty() && messages_.front().time <= sc_core::sc_time_stamp();
  }
  /// The first message; it must have arrived. The event is notified again for the one behind it,
  /// unless that one is received at once, too.
  Message receive() {
    assert(has_arrived());
    const Message message = messages_.front().message;
    messages_.pop_front();
    arrival_.cancel();
    if (!messages_.empty()) notify();
    return message;
  }

 private:
  struct Arrival {
    Message message;
    sc_core::sc_time time;
  };

  void send(const Message& message, Cycle arrival_cycle) override {
    messages_.push_back(
        {message, sc_core::sc_time::from_value(arrival_cycle * cycle_time_.value())});
    if (messages_.size() == 1) notify();
  }
  void notify() {
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    arrival_.notify(std::max(messages_.front().time, now) - now);
  }

  const sc_core::sc_time cycle_time_;
  std::deque<Arrival> messages_;
  sc_core::sc_event arrival_;
};

}  // namespace smem::clock
