// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <clock/modules/writeback.hpp>

namespace smem::clock {

Writeback::Writeback(const sc_core::sc_module_name& name, AccessPool& pool,
                     std::size_t sub_partitions)
    : sc_module(name),
      out_values("out_values", sub_partitions),
      out_store_ends("out_store_ends", sub_partitions),
      pool_(pool) {
  in_ended.bind(*this);
}

void Writeback::reset(const TimingSpec& timing, Observer* observer) {
  timing_ = timing;
  observer_ = observer;
  free_cycle_ = 0;
  busy_cycles_ = 0;
  last_finish_cycle_ = 0;
}

void Writeback::resume(const IdleState& left) {
  busy_cycles_ = left.return_busy_cycles;
  last_finish_cycle_ = left.last_finish_cycle;
}

void Writeback::accept(InFlight& access, Cycle cycle) {
  Cycle finish = cycle + 2;  // the data stage hands an ended access on within a cycle
  if (access.instruction->returns_value) {
    access.stamps.return_cycle = std::max(free_cycle_, cycle);
    free_cycle_ = access.stamps.return_cycle + access.instruction->transfer_cycles;
    busy_cycles_ += access.instruction->transfer_cycles;
    finish = std::max(finish, free_cycle_ + timing_.load_latency_cycles);
    out_values[access.sub_partition]->send(access.warp_slot, finish);
  } else if (access.last_of_warp) {
    out_store_ends[access.sub_partition]->send(access.warp_slot, finish);
  }
  access.stamps.finish_cycle = finish;
  last_finish_cycle_ = std::max(last_finish_cycle_, finish);
  if (observer_ != nullptr) observer_->access_finished(access);
  pool_.give_back(&access);
}

}  // namespace smem::clock
