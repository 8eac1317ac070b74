// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <clock/modules/data_stage.hpp>

namespace smem::clock {

void DataStage::reset(const TimingSpec& timing, BankMode banks) {
  timing_ = timing;
  banks_ = banks;
  slots_ = {};
  service_end_of_warp_.clear();
  in_service_ = {};
  service_.reset(timing, in_service_.data());
  takes_first_ = timing.admission_order->takes_first();
  ahead_holds_ = false;
  queue_wakes_ = true;
  wavefronts_ = 0;
}

void DataStage::resume(const IdleState& left) {
  slots_[0].free_cycle = left.service_end_cycle;
  service_end_of_warp_.assign(1, left.service_end_cycle);
  wavefronts_ = left.wavefronts;
}

void DataStage::step(Cycle now) {
  serve_until(now);
  if (service_.in_use() != timing_.accesses_in_service) {
    waiting_ = &in_queue->waiting(now);
    admit(now);
  }
  ask_for_next_step(now);
}

void DataStage::serve_until(Cycle now) {
  const bool one_by_one = banks_ == BankMode::simulated;
  while (true) {
    if (ahead_holds_ && !one_by_one && ahead_end_cycle_ <= now) {
      // Nobody entered since it was worked out.
      service_ = ahead_;
      ahead_holds_ = false;
      end_access(static_cast<std::size_t>(ahead_slot_), ahead_end_cycle_);
      continue;
    }
    if (!one_by_one) service_.pass_evenly(now + 1);
    const int index = service_.pass_wavefront(now);
    if (index < 0) break;
    const auto slot = static_cast<std::size_t>(index);
    const Cycle cycle = service_.passed_cycle();
    const std::uint32_t left = service_.wavefronts_left(slot);
    if (one_by_one) {
      const InFlight& access = *slots_[slot].access;
      out_wavefronts->pass(access, access.instruction->wavefronts - left - 1u, cycle);
    }
    if (left == 0) end_access(slot, cycle);
  }
}

void DataStage::end_access(std::size_t index, Cycle cycle) {
  Slot& slot = slots_[index];
  InFlight& access = *slot.access;
  access.stamps.first_wavefront_cycle = service_.first_wavefront_cycle(index);
  access.stamps.last_wavefront_cycle = cycle;
  wavefronts_ += access.instruction->wavefronts;
  slot.access = nullptr;
  slot.free_cycle = cycle + timing_.wavefront_interval_cycles - 1;
  service_end_of_warp_[slot.warp_slot] = slot.free_cycle;
  service_.leave(index);
  ahead_holds_ = false;
  const std::uint32_t stored = timing_.stored_registers(access.instruction->operand_registers);
  if (stored != 0) out_data_released->send(stored, cycle + timing_.store_data_release_cycles);
  out_ended->accept(access, cycle);
}

void DataStage::look_ahead() {
  ahead_ = service_;
  ahead_holds_ = true;
  ahead_end_cycle_ = kNever;
  while (true) {
    ahead_.pass_evenly(kNever);
    ahead_slot_ = ahead_.pass_wavefront(kNever - 1);
    if (ahead_slot_ < 0) return;
    if (ahead_.wavefronts_left(static_cast<std::size_t>(ahead_slot_)) != 0) continue;
    ahead_end_cycle_ = ahead_.passed_cycle();
    return;
  }
}

void DataStage::admit(Cycle now) {
  for (std::size_t index = 0; index < timing_.accesses_in_service; ++index) {
    const Slot& slot = slots_[index];
    if (slot.access != nullptr || slot.free_cycle > now) continue;
    const int place = takes_first_ ? first_to_admit(now) : pick_to_admit(now);
    if (place < 0) return;
    enter(index, in_queue->take(static_cast<std::size_t>(place), now), now);
  }
}

bool DataStage::warp_in_service(std::uint16_t warp_slot, Cycle now) const {
  for (std::size_t index = 0; index < timing_.accesses_in_service; ++index) {
    const Slot& slot = slots_[index];
    if (slot.warp_slot == warp_slot && (slot.access != nullptr || slot.free_cycle > now)) {
      return true;
    }
  }
  return false;
}

int DataStage::first_to_admit(Cycle now) const {
  const std::size_t count = std::min<std::size_t>(waiting_->size(), timing_.window_entries);
  for (std::size_t place = 0; place < count; ++place) {
    if (!warp_in_service((*waiting_)[place]->warp_slot, now)) return static_cast<int>(place);
  }
  return -1;
}

int DataStage::pick_to_admit(Cycle now) {
  candidates_.clear();
  const std::size_t count = std::min<std::size_t>(waiting_->size(), timing_.window_entries);
  for (std::size_t place = 0; place < count; ++place) {
    const InFlight& access = *(*waiting_)[place];
    if (warp_in_service(access.warp_slot, now)) continue;
    const bool is_behind_another = std::any_of(
        candidates_.begin(), candidates_.end(),
        [&](const AdmissionCandidate& other) { return other.warp_slot == access.warp_slot; });
    if (is_behind_another) continue;
    candidates_.push_back(
        {place, access.warp_slot, access.instruction->wavefronts, access.stamps.queue_cycle});
  }
  if (candidates_.empty()) return -1;
  const std::size_t picked =
      candidates_.size() == 1 ? 0 : timing_.admission_order->pick(candidates_);
  return static_cast<int>(candidates_[picked].place);
}

void DataStage::enter(std::size_t slot_index, InFlight& access, Cycle now) {
  Slot& slot = slots_[slot_index];
  slot.access = &access;
  slot.warp_slot = access.warp_slot;
  access.service_slot = static_cast<std::uint8_t>(slot_index);
  in_service_[slot_index] = &access;
  service_.enter(slot_index, now + 1);
  ahead_holds_ = false;
  if (service_end_of_warp_.size() <= access.warp_slot) {
    service_end_of_warp_.resize(access.warp_slot + 1u);
  }
  access.stamps.service_cycle = now;
  access.stamps.own_service_end_cycle = service_end_of_warp_[access.warp_slot];
}

void DataStage::ask_for_next_step(Cycle now) {
  if (!ahead_holds_) look_ahead();
  // An access that has ended is handed on when its slot takes the next, one cycle later at most.
  Cycle next = ahead_end_cycle_;
  if (next != kNever && timing_.wavefront_interval_cycles > 1) ++next;
  Cycle free_cycle = kNever;
  for (std::size_t index = 0; index < timing_.accesses_in_service; ++index) {
    const Slot& slot = slots_[index];
    if (slot.access != nullptr) continue;
    free_cycle = std::min(free_cycle, slot.free_cycle);
    if (!waiting_->empty() && slot.free_cycle > now) next = std::min(next, slot.free_cycle);
  }
  if (free_cycle != kNever || queue_wakes_) {
    queue_wakes_ = free_cycle != kNever;
    const Cycle arrival_cycle = in_queue->next_arrival_cycle(free_cycle);
    if (queue_wakes_ && arrival_cycle != kNever) {
      next = std::min(next, std::max(arrival_cycle, free_cycle));
    }
  }
  if (next != kNever) wake_at(std::max(next, now + 1));
}

}  // namespace smem::clock
