// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <cycle/crossbar.hpp>

namespace smem::cycle {

Crossbar::Crossbar(const sc_core::sc_module_name& name, CycleScheduler& scheduler,
                   Writeback& writeback)
    : ClockedModule(name, scheduler), writeback_(writeback) {
  for (auto& pipe : in_queue) pipe.bind(*this);
}

void Crossbar::reset(const TimingSpec& timing, WavefrontObserver* observer) {
  timing_ = timing;
  observer_ = observer;
  for (auto& queue : waiting_) queue.clear();
  slots_ = {};
  service_end_of_warp_.clear();
  next_sub_partition_ = 0;
  served_until_cycle_ = 0;
  wavefronts_ = 0;
  slots_changed_ = false;
  end_cycle_ = kNever;
}

void Crossbar::step(Cycle now) {
  serve_until(now);
  for (std::size_t index = 0; index < timing_.sub_partitions; ++index) {
    while (in_queue[index].has_arrived(now)) waiting_[index].push_back(in_queue[index].receive());
  }
  admit(now);
  ask_for_next_step(now);
}

void Crossbar::serve_until(Cycle now) {
  // Between two steps nobody enters, so the wavefronts of that time follow from the slots alone.
  ServiceClock clock{served_until_cycle_ + 1, 0};
  while (Slot* const slot = next_to_serve(slots_, clock, now)) {
    serve(*slot, clock.cycle);
    advance(clock);
  }
  served_until_cycle_ = now;
}

Crossbar::Slot* Crossbar::next_to_serve(Slots& slots, ServiceClock& clock, Cycle last) const {
  while (true) {
    Cycle earliest = kNever;
    Slot* oldest = nullptr;
    for (std::size_t index = 0; index < timing_.accesses_in_service; ++index) {
      Slot& slot = slots[index];
      if (slot.access == nullptr) continue;
      earliest = std::min(earliest, slot.next_wavefront_cycle);
      if (slot.next_wavefront_cycle <= clock.cycle && (oldest == nullptr || slot.age < oldest->age)) {
        oldest = &slot;
      }
    }
    if (clock.cycle > last) return nullptr;
    if (oldest != nullptr) return oldest;
    if (earliest > last) return nullptr;
    clock = {earliest, 0};
  }
}

void Crossbar::advance(ServiceClock& clock) const {
  if (++clock.served_in_cycle == timing_.wavefronts_per_cycle) clock = {clock.cycle + 1, 0};
}

/// The cycle of the next last wavefront, if nobody enters before.
Cycle Crossbar::next_end_cycle(Cycle now) const {
  Slots slots = slots_;
  ServiceClock clock{now + 1, 0};
  while (Slot* const slot = next_to_serve(slots, clock, kNever - 1)) {
    if (--slot->wavefronts_left == 0) return clock.cycle;
    slot->next_wavefront_cycle = clock.cycle + timing_.wavefront_interval_cycles;
    advance(clock);
  }
  return kNever;
}

void Crossbar::serve(Slot& slot, Cycle cycle) {
  InFlight& access = *slot.access;
  const std::uint32_t total = access.instruction->wavefronts;
  if (slot.wavefronts_left == total) access.stamps.first_wavefront_cycle = cycle;
  if (observer_ != nullptr) observer_->wavefront(access, total - slot.wavefronts_left, cycle);
  ++wavefronts_;
  slot.next_wavefront_cycle = cycle + timing_.wavefront_interval_cycles;
  if (--slot.wavefronts_left != 0) return;
  access.stamps.last_wavefront_cycle = cycle;
  slot.free_cycle = cycle + timing_.wavefront_interval_cycles - 1;
  service_end_of_warp_[slot.warp_slot] = slot.free_cycle;
  slot.access = nullptr;
  slots_changed_ = true;
  writeback_.accept(access, cycle);
}

void Crossbar::admit(Cycle now) {
  for (std::size_t index = 0; index < timing_.accesses_in_service; ++index) {
    Slot& slot = slots_[index];
    if (slot.access != nullptr || slot.free_cycle > now) continue;
    int best = -1;
    std::size_t best_sub_partition = 0;
    for (std::size_t offset = 0; offset < timing_.sub_partitions; ++offset) {
      const std::size_t sub_partition =
          timing_.access_order == AccessOrder::round_robin
              ? (next_sub_partition_ + offset) % timing_.sub_partitions
              : offset;
      const int found = candidate(sub_partition, now);
      if (found < 0) continue;
      const auto age_of = [&](std::size_t of, int at) {
        return waiting_[of][static_cast<std::size_t>(at)]->age;
      };
      if (best < 0 || (timing_.access_order == AccessOrder::oldest_issued &&
                       age_of(sub_partition, found) < age_of(best_sub_partition, best))) {
        best = found;
        best_sub_partition = sub_partition;
      }
    }
    if (best < 0) return;
    enter(slot, best_sub_partition, best, now);
  }
}

bool Crossbar::warp_in_service(std::uint16_t warp_slot, Cycle now) const {
  for (std::size_t index = 0; index < timing_.accesses_in_service; ++index) {
    const Slot& slot = slots_[index];
    if (slot.warp_slot == warp_slot && (slot.access != nullptr || slot.free_cycle > now)) {
      return true;
    }
  }
  return false;
}

int Crossbar::candidate(std::size_t sub_partition, Cycle now) const {
  const std::vector<InFlight*>& queue = waiting_[sub_partition];
  for (std::size_t index = 0; index < queue.size(); ++index) {
    if (!warp_in_service(queue[index]->warp_slot, now)) return static_cast<int>(index);
  }
  return -1;
}

void Crossbar::enter(Slot& slot, std::size_t sub_partition, int index, Cycle now) {
  std::vector<InFlight*>& queue = waiting_[sub_partition];
  InFlight* access = queue[static_cast<std::size_t>(index)];
  queue.erase(queue.begin() + index);
  slot.access = access;
  slot.age = access->age;
  slots_changed_ = true;
  slot.warp_slot = access->warp_slot;
  slot.wavefronts_left = access->instruction->wavefronts;
  slot.next_wavefront_cycle = now + 1;
  if (service_end_of_warp_.size() <= access->warp_slot) {
    service_end_of_warp_.resize(access->warp_slot + 1u);
  }
  access->stamps.service_cycle = now;
  access->stamps.own_service_end_cycle = service_end_of_warp_[access->warp_slot];
  next_sub_partition_ = (sub_partition + 1) % timing_.sub_partitions;
  out_taken[sub_partition]->send(!access->instruction->returns_value, now + 1);
}

void Crossbar::ask_for_next_step(Cycle now) {
  if (std::exchange(slots_changed_, false)) end_cycle_ = next_end_cycle(now);
  Cycle next = end_cycle_;
  bool any_waiting = false;
  for (std::size_t index = 0; index < timing_.sub_partitions; ++index) {
    next = std::min(next, in_queue[index].next_arrival_cycle());
    any_waiting |= !waiting_[index].empty();
  }
  for (std::size_t index = 0; any_waiting && index < timing_.accesses_in_service; ++index) {
    const Slot& slot = slots_[index];
    if (slot.access == nullptr && slot.free_cycle > now) next = std::min(next, slot.free_cycle);
  }
  if (next != kNever) wake_at(next);
}

}  // namespace smem::cycle
