// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include <clock/cycle.hpp>

namespace smem::clock {

/// What a module sends into: a pipe of another module, or whatever stands in its place.
template <class Message>
class PipeInput : public virtual sc_core::sc_interface {
 public:
  /// Sends a message that the receiver sees from `arrival_cycle` on: after the current cycle, and
  /// not before an earlier message.
  virtual void send(const Message& message, Cycle arrival_cycle) = 0;
};

/// Where a module's messages leave it. A port that is bound to nothing is an error at elaboration.
template <class Message>
using OutPort = sc_core::sc_port<PipeInput<Message>>;

/// One such port for each sub-partition: name_0, name_1, …
template <class Message>
using OutPorts = sc_core::sc_vector<OutPort<Message>>;

}  // namespace smem::clock
