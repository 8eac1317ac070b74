// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <clock/modules/block_scheduler.hpp>

namespace smem::clock {

void BlockScheduler::reset(const TimingSpec& timing, BlockSource& source, Observer* observer) {
  timing_ = timing;
  source_ = &source;
  observer_ = observer;
  for (auto& pipe : in_events) pipe.clear();
  pending_ = source.next();
  slots_.clear();
  resident_ = 0;
  resident_kernel_ = 0;
  free_warp_slots_.clear();
  warp_slot_count_ = 0;
}

void BlockScheduler::step(Cycle now) {
  for (std::size_t index = 0; index < timing_.sub_partitions; ++index) {
    while (in_events[index].has_arrived(now)) take_event(in_events[index].receive(), now);
  }
  open_barriers(now);
  launch(now);
}

void BlockScheduler::take_event(const WarpEvent& event, Cycle now) {
  Slot& slot = slots_[event.block_slot];
  if (event.is_done) {
    free_warp_slots_.push_back(event.warp_slot);
    const auto warp = std::find(slot.warp_slots.begin(), slot.warp_slots.end(), event.warp_slot);
    slot.is_live[static_cast<std::size_t>(warp - slot.warp_slots.begin())] = false;
    if (--slot.live_warps == 0) {
      retire(event.block_slot, now);
      return;
    }
  } else {
    ++slot.arrived_warps;
    slot.barrier_free_cycle =
        std::max(slot.barrier_free_cycle, event.cycle) + timing_.barrier_arrival_interval_cycles;
  }
  close_barrier_if_complete(event.block_slot, now);
}

void BlockScheduler::close_barrier_if_complete(std::uint16_t block_slot, Cycle now) {
  Slot& slot = slots_[block_slot];
  if (slot.arrived_warps == 0 || slot.arrived_warps < slot.live_warps) return;
  const Cycle last_taken = slot.barrier_free_cycle - timing_.barrier_arrival_interval_cycles;
  slot.open_cycle = std::max(now + 1, last_taken + timing_.barrier_latency_cycles);
  slot.arrived_warps = 0;
  slot.barrier_free_cycle = 0;
  if (observer_ != nullptr) observer_->barrier_opened(block_slot, slot.open_cycle);
}

void BlockScheduler::open_barriers(Cycle now) {
  for (Slot& slot : slots_) {
    if (slot.open_cycle == kNever) continue;
    if (slot.open_cycle > now + 1) {
      wake_at(slot.open_cycle - 1);
      continue;
    }
    for (std::size_t index = 0; index < slot.warp_slots.size(); ++index) {
      if (!slot.is_live[index]) continue;
      out_releases[sub_partition_of(slot.block->warps[index])]->send(slot.warp_slots[index],
                                                                     slot.open_cycle);
    }
    slot.open_cycle = kNever;
  }
}

void BlockScheduler::retire(std::uint16_t block_slot, Cycle now) {
  Slot& slot = slots_[block_slot];
  if (observer_ != nullptr) observer_->block_finished(block_slot, now);
  source_->retire(*slot.block);
  slot.block = nullptr;
  --resident_;
}

std::uint16_t BlockScheduler::take_warp_slot() {
  if (free_warp_slots_.empty()) return warp_slot_count_++;
  // The lowest, so that slots do not depend on the order in which warps of one cycle ended.
  const auto lowest = std::min_element(free_warp_slots_.begin(), free_warp_slots_.end());
  const std::uint16_t slot = *lowest;
  free_warp_slots_.erase(lowest);
  return slot;
}

void BlockScheduler::launch(Cycle now) {
  while (pending_ != nullptr && (resident_ == 0 || (pending_->kernel == resident_kernel_ &&
                                                    resident_ < pending_->resident_blocks))) {
    const auto free = std::find_if(slots_.begin(), slots_.end(),
                                   [](const Slot& s) { return s.block == nullptr; });
    const auto block_slot = static_cast<std::uint16_t>(free - slots_.begin());
    if (free == slots_.end()) slots_.emplace_back();
    Slot& slot = slots_[block_slot];
    slot = Slot{};
    slot.block = pending_;
    slot.live_warps = static_cast<std::uint32_t>(pending_->warps.size());
    slot.is_live.assign(slot.live_warps, true);
    ++resident_;
    resident_kernel_ = pending_->kernel;
    if (observer_ != nullptr) observer_->block_started(block_slot, *pending_, now + 1);
    const BlockKey key = {pending_->kernel, pending_->block};
    for (const WarpProgram& warp : pending_->warps) {
      slot.warp_slots.push_back(take_warp_slot());
      out_starts[sub_partition_of(warp)]->send(
          {*warp.instructions, slot.warp_slots.back(), block_slot, warp.warp, key}, now + 1);
    }
    if (slot.live_warps == 0) retire(block_slot, now);
    pending_ = source_->next();
  }
}

}  // namespace smem::clock
