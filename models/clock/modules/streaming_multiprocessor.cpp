// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cassert>

#include <clock/modules/streaming_multiprocessor.hpp>

namespace smem::clock {
namespace {
/// Nobody else lives by SystemC's time while an SM runs a trace: an activation may step far ahead.
const Timebase kRunsAhead = {sc_core::sc_time(1, sc_core::SC_NS), 64};
/// Where the modules stand in a cycle, in the order of their construction: the operand path and the
/// data stage after the issuers, so that observers hear of an issue first.
constexpr std::array<std::size_t, StreamingMultiprocessor::kClockedModules> kStepOrder = {
    8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 10};
}  // namespace

StreamingMultiprocessor::StreamingMultiprocessor(const sc_core::sc_module_name& name,
                                                 std::span<const std::size_t> order)
    : sc_module(name),
      scheduler_("scheduler", kRunsAhead,
                 order.empty() ? std::span<const std::size_t>(kStepOrder) : order),
      issuers_("issuer", kSubPartitions, [this](const char* issuer_name, std::size_t index) {
        return new WarpIssuer(issuer_name, scheduler_, static_cast<std::uint8_t>(index),
                              shared_memory_.pool());
      }) {
  connect();
}

void StreamingMultiprocessor::connect() {
  for (std::size_t index = 0; index < kSubPartitions; ++index) {
    WarpIssuer& issuer = issuers_[index];
    issuer.out_accesses.bind(shared_memory_.in_accesses[index]);
    issuer.out_events.bind(blocks_.in_events[index]);
    shared_memory_.out_departures[index].bind(issuer.in_departures);
    shared_memory_.out_values[index].bind(issuer.in_values);
    shared_memory_.out_store_ends[index].bind(issuer.in_store_ends);
    blocks_.out_starts[index].bind(issuer.in_starts);
    blocks_.out_releases[index].bind(issuer.in_releases);
  }
}

void StreamingMultiprocessor::reset(const TimingSpec& timing, BlockSource& source,
                                    Observer* observer, const BankView& banks) {
  start_cycle_ = next_start_cycle();
  for (WarpIssuer& issuer : issuers_) issuer.reset(timing, observer);
  shared_memory_.reset(timing, observer, banks);
  if (observer != nullptr) observer->simulation_started(start_cycle_);
  blocks_.reset(timing, source, observer);
  blocks_.wake_at(start_cycle_);
}

void StreamingMultiprocessor::resume(const TimingSpec& timing, BlockSource& source,
                                     Observer* observer, const IdleState& left) {
  start_cycle_ = next_start_cycle();
  assert(start_cycle_ == left.start_cycle);
  for (std::size_t index = 0; index < kSubPartitions; ++index) {
    issuers_[index].reset(timing, observer);
    issuers_[index].resume(left.sub_partitions[index]);
  }
  shared_memory_.reset(timing, observer);
  shared_memory_.resume(left);
  blocks_.reset(timing, source, observer);
  blocks_.wake_at(left.launch_cycle);
}

void StreamingMultiprocessor::run() {
  sc_core::sc_start();
}

}  // namespace smem::clock
