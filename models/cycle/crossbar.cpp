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
  for (auto& pipe : in_queue) pipe.clear();
  for (auto& queue : waiting_) queue.clear();
  slots_ = {};
  service_end_of_warp_.clear();
  next_sub_partition_ = 0;
  service_ = {};
  ahead_holds_ = false;
  wavefronts_ = 0;
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
  while (true) {
    if (ahead_holds_ && observer_ == nullptr && ahead_end_cycle_ <= now) {
      // Nobody entered since it was worked out.
      service_ = ahead_;
      ahead_holds_ = false;
      end_access(static_cast<std::size_t>(ahead_slot_), ahead_end_cycle_);
      continue;
    }
    const int index = pass_wavefront(service_, now);
    if (index < 0) break;
    const auto slot = static_cast<std::size_t>(index);
    const Cycle cycle = service_.served_in_cycle == 0 ? service_.cycle - 1 : service_.cycle;
    if (observer_ != nullptr) {
      const InFlight& access = *slots_[slot].access;
      observer_->wavefront(
          access, access.instruction->wavefronts - service_.wavefronts_left[slot] - 1u, cycle);
    }
    if (service_.wavefronts_left[slot] == 0) end_access(slot, cycle);
  }
}

int Crossbar::pass_wavefront(Service& service, Cycle last) const {
  while (true) {
    Cycle earliest = kNever;
    for (std::uint32_t place = 0; place < service.in_use; ++place) {
      const std::size_t index = service.by_age[place];
      const Cycle next = service.next_wavefront_cycle[index];
      earliest = std::min(earliest, next);
      if (next > service.cycle) continue;
      if (service.cycle > last) return -1;
      if (service.first_wavefront_cycle[index] == 0) {
        service.first_wavefront_cycle[index] = service.cycle;
      }
      service.next_wavefront_cycle[index] = service.cycle + timing_.wavefront_interval_cycles;
      --service.wavefronts_left[index];
      if (++service.served_in_cycle == timing_.wavefronts_per_cycle) {
        ++service.cycle;
        service.served_in_cycle = 0;
      }
      return static_cast<int>(index);
    }
    if (earliest > last) return -1;
    service.cycle = earliest;
    service.served_in_cycle = 0;
  }
}

void Crossbar::end_access(std::size_t index, Cycle cycle) {
  Slot& slot = slots_[index];
  InFlight& access = *slot.access;
  access.stamps.first_wavefront_cycle = service_.first_wavefront_cycle[index];
  access.stamps.last_wavefront_cycle = cycle;
  wavefronts_ += access.instruction->wavefronts;
  slot.access = nullptr;
  slot.free_cycle = cycle + timing_.wavefront_interval_cycles - 1;
  service_end_of_warp_[slot.warp_slot] = slot.free_cycle;
  auto* const begin = service_.by_age.data();
  std::remove(begin, begin + service_.in_use, static_cast<std::uint8_t>(index));
  --service_.in_use;
  ahead_holds_ = false;
  out_service_ends[access.sub_partition]->send({access.warp_slot, access.stamps.issue_cycle},
                                               cycle + timing_.refused_wake_cycles);
  writeback_.accept(access, cycle);
}

void Crossbar::look_ahead() {
  ahead_ = service_;
  ahead_holds_ = true;
  ahead_end_cycle_ = kNever;
  while (true) {
    ahead_slot_ = pass_wavefront(ahead_, kNever - 1);
    if (ahead_slot_ < 0) return;
    if (ahead_.wavefronts_left[static_cast<std::size_t>(ahead_slot_)] != 0) continue;
    ahead_end_cycle_ = ahead_.served_in_cycle == 0 ? ahead_.cycle - 1 : ahead_.cycle;
    return;
  }
}

void Crossbar::admit(Cycle now) {
  for (std::size_t index = 0; index < timing_.accesses_in_service; ++index) {
    const Slot& slot = slots_[index];
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
      if (best < 0 || (timing_.access_order != AccessOrder::round_robin &&
                       age_of(sub_partition, found) < age_of(best_sub_partition, best))) {
        best = found;
        best_sub_partition = sub_partition;
      }
    }
    if (best < 0) return;
    enter(index, best_sub_partition, best, now);
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

void Crossbar::enter(std::size_t slot_index, std::size_t sub_partition, int index, Cycle now) {
  std::vector<InFlight*>& queue = waiting_[sub_partition];
  InFlight* access = queue[static_cast<std::size_t>(index)];
  queue.erase(queue.begin() + index);
  Slot& slot = slots_[slot_index];
  slot.access = access;
  access->service_slot = static_cast<std::uint8_t>(&slot - slots_.data());
  slot.warp_slot = access->warp_slot;
  service_.next_wavefront_cycle[slot_index] = now + 1;
  service_.first_wavefront_cycle[slot_index] = 0;
  service_.wavefronts_left[slot_index] = access->instruction->wavefronts;
  std::uint32_t place = service_.in_use++;
  for (; place > 0 && slots_[service_.by_age[place - 1]].access->age > access->age; --place) {
    service_.by_age[place] = service_.by_age[place - 1];
  }
  service_.by_age[place] = static_cast<std::uint8_t>(slot_index);
  ahead_holds_ = false;
  if (service_end_of_warp_.size() <= access->warp_slot) {
    service_end_of_warp_.resize(access->warp_slot + 1u);
  }
  access->stamps.service_cycle = now;
  access->stamps.own_service_end_cycle = service_end_of_warp_[access->warp_slot];
  next_sub_partition_ = (sub_partition + 1) % timing_.sub_partitions;
  out_room[sub_partition]->send(true, now + 1);
}

void Crossbar::ask_for_next_step(Cycle now) {
  if (!ahead_holds_) look_ahead();
  // An access that has ended is handed on when its slot takes the next, one cycle later at most.
  Cycle next = ahead_end_cycle_;
  if (next != kNever && timing_.wavefront_interval_cycles > 1) ++next;
  Cycle free_cycle = kNever;
  for (std::size_t index = 0; index < timing_.accesses_in_service; ++index) {
    if (slots_[index].access == nullptr) {
      free_cycle = std::min(free_cycle, slots_[index].free_cycle);
    }
  }
  bool any_waiting = false;
  for (std::size_t index = 0; index < timing_.sub_partitions; ++index) {
    in_queue[index].wake_not_before(free_cycle);
    any_waiting |= !waiting_[index].empty();
    const Cycle arrival_cycle = in_queue[index].next_arrival_cycle();
    if (free_cycle != kNever && arrival_cycle != kNever) {
      next = std::min(next, std::max(arrival_cycle, free_cycle));
    }
  }
  for (std::size_t index = 0; any_waiting && index < timing_.accesses_in_service; ++index) {
    const Slot& slot = slots_[index];
    if (slot.access == nullptr && slot.free_cycle > now) next = std::min(next, slot.free_cycle);
  }
  if (next != kNever) wake_at(std::max(next, now + 1));
}

}  // namespace smem::cycle
