// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

#include <clock/kernel/access_pool.hpp>
#include <clock/kernel/cycle_scheduler.hpp>
#include <clock/kernel/ports.hpp>

namespace smem::clock {

/// What an issuer says of an instruction besides what it costs.
struct Issuer {
  std::uint16_t warp_slot = 0;   ///< of the SM; comes back with the value
  bool wants_store_end = false;  ///< to hear at out_store_ends when a store is done
  BlockKey block = {};           ///< whose memory it reads and writes, for who looks into banks
};

/// Where a sub-partition's issuer hands in instructions.
class InstructionInput : public virtual sc_core::sc_interface {
 public:
  /// Issues an access in the current cycle. The instruction must live until the access is done; it
  /// counts for its registers, wavefronts and transfer (make_instruction), and when to issue it is
  /// the caller's choice: not more than TimingSpec::queue_entries that have not departed.
  virtual void issue(const Instruction& instruction, const Issuer& issuer) = 0;
};

/// The export of one sub-partition that takes instructions, and puts them on their way as accesses.
class InstructionEntry : public sc_core::sc_export<InstructionInput>, public InstructionInput {
 public:
  InstructionEntry(const char* name, std::uint8_t sub_partition, const CycleScheduler& scheduler,
                   AccessPool& pool, PipeInput<InFlight*>& accesses)
      : sc_core::sc_export<InstructionInput>(name),
        sub_partition_(sub_partition),
        scheduler_(scheduler),
        pool_(pool),
        accesses_(accesses) {
    bind(static_cast<InstructionInput&>(*this));
  }

 private:
  void issue(const Instruction& instruction, const Issuer& issuer) override {
    assert(instruction.kind == InstructionKind::access);
    // A module of the scheduler calls in its step, any other at SystemC's time.
    const Cycle now = std::max(scheduler_.now(), scheduler_.kernel_cycle());
    InFlight* const access = pool_.take();
    *access = InFlight{};
    access->instruction = &instruction;
    access->warp_slot = issuer.warp_slot;
    access->sub_partition = sub_partition_;
    access->last_of_warp = issuer.wants_store_end;
    access->block = issuer.block;
    access->stamps.able_cycle = access->stamps.ready_cycle = access->stamps.issue_cycle = now;
    accesses_.send(access, now + 1);
  }

  const std::uint8_t sub_partition_;
  const CycleScheduler& scheduler_;
  AccessPool& pool_;
  PipeInput<InFlight*>& accesses_;
};

/// One for each sub-partition: name_0, name_1, …
using InstructionEntries = sc_core::sc_vector<InstructionEntry>;

}  // namespace smem::clock
