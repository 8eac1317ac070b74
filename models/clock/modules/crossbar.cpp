// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <clock/modules/crossbar.hpp>

namespace smem::clock {

Crossbar::Crossbar(const sc_core::sc_module_name& name, CycleScheduler& scheduler,
                   Writeback& writeback)
    : ClockedModule(name, scheduler), writeback_(writeback) {
  in_accesses.bind(*this);
}

void Crossbar::reset(const TimingSpec& timing, WavefrontObserver* observer) {
  timing_ = timing;
  observer_ = observer;
  in_accesses.clear();
  waiting_.clear();
  slots_ = {};
  service_end_of_warp_.clear();
  service_ = {};
  ahead_holds_ = false;
  wavefronts_ = 0;
}

void Crossbar::step(Cycle now) {
  serve_until(now);
  while (in_accesses.has_arrived(now)) waiting_.push_back(in_accesses.receive());
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
    if (observer_ == nullptr) pass_evenly(service_, now + 1);
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

void Crossbar::pass_evenly(Service& service, Cycle end) const {
  if (timing_.wavefronts_per_cycle != 1 || service.in_use == 0 || service.in_use > 2) return;
  const Cycle interval = timing_.wavefront_interval_cycles;
  std::array<Cycle, 2> first{};
  for (std::uint32_t place = 0; place < service.in_use; ++place) {
    const std::size_t index = service.by_age[place];
    first[place] = std::max(service.next_wavefront_cycle[index], service.cycle);
    end = std::min(end, first[place] + (service.wavefronts_left[index] - 1u) * interval);
  }
  if (service.in_use == 2 && (interval != 2 || (first[0] + first[1]) % 2 == 0)) return;
  for (std::uint32_t place = 0; place < service.in_use; ++place) {
    if (first[place] >= end) continue;
    const std::size_t index = service.by_age[place];
    const Cycle count = (end - first[place] + interval - 1) / interval;
    if (service.first_wavefront_cycle[index] == 0) {
      service.first_wavefront_cycle[index] = first[place];
    }
    service.next_wavefront_cycle[index] = first[place] + count * interval;
    service.wavefronts_left[index] -= static_cast<std::uint32_t>(count);
  }
  service.cycle = std::max(service.cycle, end);
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
  static_cast<void>(std::remove(begin, begin + service_.in_use, static_cast<std::uint8_t>(index)));
  --service_.in_use;
  ahead_holds_ = false;
  const std::uint32_t stored = timing_.stored_registers(access.instruction->operand_registers);
  if (stored != 0) out_data_released->send(stored, cycle + timing_.store_data_release_cycles);
  writeback_.accept(access, cycle);
}

void Crossbar::look_ahead() {
  ahead_ = service_;
  ahead_holds_ = true;
  ahead_end_cycle_ = kNever;
  while (true) {
    pass_evenly(ahead_, kNever);
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
    const int place = candidate(now);
    if (place < 0) return;
    enter(index, place, now);
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

int Crossbar::candidate(Cycle now) const {
  const std::size_t count = std::min<std::size_t>(waiting_.size(), timing_.window_entries);
  for (std::size_t place = 0; place < count; ++place) {
    if (!warp_in_service(waiting_[place]->warp_slot, now)) return static_cast<int>(place);
  }
  return -1;
}

void Crossbar::enter(std::size_t slot_index, int place_in_queue, Cycle now) {
  InFlight* access = waiting_[static_cast<std::size_t>(place_in_queue)];
  waiting_.erase(waiting_.begin() + place_in_queue);
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
  out_taken->send(true, now + 1);
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
  in_accesses.wake_not_before(free_cycle);
  const Cycle arrival_cycle = in_accesses.next_arrival_cycle();
  if (free_cycle != kNever && arrival_cycle != kNever) {
    next = std::min(next, std::max(arrival_cycle, free_cycle));
  }
  for (std::size_t index = 0; !waiting_.empty() && index < timing_.accesses_in_service; ++index) {
    const Slot& slot = slots_[index];
    if (slot.access == nullptr && slot.free_cycle > now) next = std::min(next, slot.free_cycle);
  }
  if (next != kNever) wake_at(std::max(next, now + 1));
}

}  // namespace smem::clock
