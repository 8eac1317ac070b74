// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <vector>

#include <clock/kernel/cycle_scheduler.hpp>
#include <clock/kernel/ports.hpp>

namespace smem::clock {

/// The registers between two modules: what is sent in one cycle is seen in a later one, in order.
/// Because a receiver never sees what was sent in its own cycle, the order in which modules step
/// within a cycle changes nothing.
template <class Message>
class Pipe : public PipeInput<Message> {
 public:
  Pipe() = default;
  explicit Pipe(ClockedModule& receiver) : receiver_(&receiver) {}

  /// Names the module that `send` wakes as far as it wants to be woken.
  void set_receiver(ClockedModule& receiver) { receiver_ = &receiver; }

  /// Empties the pipe, as it was at the start.
  void clear() {
    first_ = 0;
    size_ = 0;
    next_arrival_cycle_ = kNever;
    wake_floor_cycle_ = 0;
  }

  void send(const Message& message, Cycle arrival_cycle) final {
    assert(size_ == 0 || slots_[(first_ + size_ - 1) & mask_].arrival_cycle <= arrival_cycle);
    if (size_ > mask_) grow();
    slots_[(first_ + size_) & mask_] = {message, arrival_cycle};
    if (size_++ == 0) next_arrival_cycle_ = arrival_cycle;
    if (wake_floor_cycle_ != kNever) {
      receiver_->wake_at(std::max(arrival_cycle, wake_floor_cycle_));
    }
  }

  /// For the receiver, in its step: messages sent from now on wake it not before `cycle`; kNever =
  /// not at all. A message sent in the same cycle may or may not follow this, so a receiver that
  /// wants to be woken asks for `next_arrival_cycle` in the same step, too.
  void wake_not_before(Cycle cycle) { wake_floor_cycle_ = cycle; }

  [[nodiscard]] bool has_arrived(Cycle now) const { return next_arrival_cycle_ <= now; }

  /// When the next message arrives; kNever when none is under way.
  [[nodiscard]] Cycle next_arrival_cycle() const { return next_arrival_cycle_; }

  Message receive() {
    const Message message = slots_[first_].message;
    first_ = (first_ + 1) & mask_;
    next_arrival_cycle_ = --size_ == 0 ? kNever : slots_[first_].arrival_cycle;
    return message;
  }

 private:
  struct Slot {
    Message message{};
    Cycle arrival_cycle = 0;
  };

  /// Doubles the ring; happens a few times at the start of a simulation at most.
  void grow() {
    std::vector<Slot> larger(2 * slots_.size());
    for (std::size_t index = 0; index < size_; ++index) {
      larger[index] = slots_[(first_ + index) & mask_];
    }
    slots_.swap(larger);
    mask_ = slots_.size() - 1;
    first_ = 0;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(16);
  std::size_t mask_ = slots_.size() - 1;  ///< a place of the ring
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  Cycle next_arrival_cycle_ = kNever;
  Cycle wake_floor_cycle_ = 0;
  ClockedModule* receiver_ = nullptr;
};

/// A module's incoming pipe: the export that others bind their ports to, and what they sent.
template <class Message>
class InPipe : public sc_core::sc_export<PipeInput<Message>>, public Pipe<Message> {
 public:
  InPipe(const char* name, ClockedModule& receiver)
      : sc_core::sc_export<PipeInput<Message>>(name), Pipe<Message>(receiver) {
    this->bind(static_cast<PipeInput<Message>&>(*this));
  }
};

/// One for each sub-partition: name_0, name_1, …
template <class Message>
class InPipes : public sc_core::sc_vector<InPipe<Message>> {
 public:
  InPipes(const char* name, std::size_t count, ClockedModule& receiver)
      : sc_core::sc_vector<InPipe<Message>>(name, count,
                                            [&receiver](const char* own_name, std::size_t) {
                                              return new InPipe<Message>(own_name, receiver);
                                            }) {}
};

}  // namespace smem::clock
