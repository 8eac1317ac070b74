// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <vector>

#include <cycle/cycle_scheduler.hpp>

namespace smem::cycle {

/// The registers between two modules: what is sent in one cycle is seen in a later one, in order.
/// Because a receiver never sees what was sent in its own cycle, the order in which modules step
/// within a cycle changes nothing.
template <class Message>
class Pipe {
 public:
  /// Names the module that `send` wakes.
  void bind(ClockedModule& receiver) { receiver_ = &receiver; }

  /// Sends a message that the receiver sees from `arrival_cycle` on: after the current cycle, and
  /// not before an earlier message. Wakes the receiver then, unless it wakes earlier: a receiver
  /// whose messages are more than a cycle under way asks for `next_arrival_cycle` itself.
  void send(const Message& message, Cycle arrival_cycle) {
    assert(size_ == 0 || slots_[(first_ + size_ - 1) & mask()].arrival_cycle <= arrival_cycle);
    if (size_ == slots_.size()) grow();
    slots_[(first_ + size_) & mask()] = {message, arrival_cycle};
    ++size_;
    receiver_->wake_at(arrival_cycle);
  }

  bool has_arrived(Cycle now) const { return size_ != 0 && front().arrival_cycle <= now; }

  /// When the next message arrives; kNever when none is under way.
  Cycle next_arrival_cycle() const { return size_ == 0 ? kNever : front().arrival_cycle; }

  Message receive() {
    const Message message = front().message;
    first_ = (first_ + 1) & mask();
    --size_;
    return message;
  }

 private:
  struct Slot {
    Message message{};
    Cycle arrival_cycle = 0;
  };

  std::size_t mask() const { return slots_.size() - 1; }
  const Slot& front() const { return slots_[first_]; }

  /// Doubles the ring; happens a few times at the start of a simulation at most.
  void grow() {
    std::vector<Slot> larger(2 * slots_.size());
    for (std::size_t index = 0; index < size_; ++index) {
      larger[index] = slots_[(first_ + index) & mask()];
    }
    slots_.swap(larger);
    first_ = 0;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(16);
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  ClockedModule* receiver_ = nullptr;
};

}  // namespace smem::cycle
