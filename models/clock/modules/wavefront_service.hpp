// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <clock/in_flight.hpp>
#include <clock/timing.hpp>

namespace smem::clock {

/// How far the accesses in service are, and whose wavefront passes in which cycle: so many a cycle,
/// in the order of service, each access's own no closer than their interval. A small value, so that
/// it can be worked out ahead on a copy.
class WavefrontService {
 public:
  /// `accesses`: by slot, those in service; stays where it is.
  void reset(const TimingSpec& timing, const InFlight* const* accesses);

  /// The access in `slot` begins, from `first_cycle` on.
  void enter(std::size_t slot, Cycle first_cycle);
  /// The access in `slot` has passed its last wavefront.
  void leave(std::size_t slot);

  /// Passes at once all wavefronts before cycle `end`, but an access's last, where they cannot be
  /// in each other's way: of one access, or of two at every second cycle that take turns.
  void pass_evenly(Cycle end);
  /// Passes one wavefront, the next not after `last`, and returns its slot; -1 when there is none.
  int pass_wavefront(Cycle last);

  /// Accesses in service.
  [[nodiscard]] std::uint32_t in_use() const { return in_use_; }
  /// When the wavefront passed last did so.
  [[nodiscard]] Cycle passed_cycle() const { return served_in_cycle_ == 0 ? cycle_ - 1 : cycle_; }
  [[nodiscard]] Cycle first_wavefront_cycle(std::size_t slot) const {
    return first_wavefront_cycle_[slot];
  }
  [[nodiscard]] std::uint32_t wavefronts_left(std::size_t slot) const {
    return wavefronts_left_[slot];
  }

 private:
  /// The slot whose wavefront passes in `cycle_`; -1 for none, and then when the next can.
  int choose(Cycle& earliest) const;
  /// The same by the order of service, where any can.
  int pick() const;
  void pass(std::size_t slot);

  static constexpr unsigned kMaxSlots = kMaxAccessesInService;

  const ServiceOrder* asked_order_ = nullptr;  ///< the order of service, unless it takes the first
  std::uint32_t interval_cycles_ = 0;
  std::uint32_t wavefronts_per_cycle_ = 0;
  std::uint32_t in_use_ = 0;
  std::uint32_t served_in_cycle_ = 0;             ///< wavefronts of `cycle_` that are taken
  Cycle cycle_ = 0;                               ///< the cycle that is served next
  std::array<std::uint8_t, kMaxSlots> by_age_{};  ///< slots in use, first of the queue first
  const InFlight* const* access_ = nullptr;       ///< by slot
  std::array<std::uint32_t, kMaxSlots> wavefronts_left_{};
  std::array<Cycle, kMaxSlots> next_wavefront_cycle_{};
  std::array<Cycle, kMaxSlots> first_wavefront_cycle_{};
};

inline void WavefrontService::reset(const TimingSpec& timing, const InFlight* const* accesses) {
  *this = {};
  access_ = accesses;
  asked_order_ = timing.service_order->takes_first() ? nullptr : timing.service_order;
  interval_cycles_ = timing.wavefront_interval_cycles;
  wavefronts_per_cycle_ = timing.wavefronts_per_cycle;
}

inline void WavefrontService::enter(std::size_t slot, Cycle first_cycle) {
  const InFlight& access = *access_[slot];
  wavefronts_left_[slot] = access.instruction->wavefronts;
  next_wavefront_cycle_[slot] = first_cycle;
  first_wavefront_cycle_[slot] = 0;
  std::uint32_t place = in_use_++;
  for (; place > 0 && access_[by_age_[place - 1]]->age > access.age; --place) {
    by_age_[place] = by_age_[place - 1];
  }
  by_age_[place] = static_cast<std::uint8_t>(slot);
}

inline void WavefrontService::leave(std::size_t slot) {
  auto* const begin = by_age_.data();
  static_cast<void>(std::remove(begin, begin + in_use_, static_cast<std::uint8_t>(slot)));
  --in_use_;
}

inline void WavefrontService::pass_evenly(Cycle end) {
  if (wavefronts_per_cycle_ != 1 || in_use_ == 0 || in_use_ > 2) return;
  const Cycle interval = interval_cycles_;
  std::array<Cycle, 2> first{};
  for (std::uint32_t place = 0; place < in_use_; ++place) {
    const std::size_t slot = by_age_[place];
    first[place] = std::max(next_wavefront_cycle_[slot], cycle_);
    end = std::min(end, first[place] + (wavefronts_left_[slot] - 1u) * interval);
  }
  if (in_use_ == 2 && (interval != 2 || (first[0] + first[1]) % 2 == 0)) return;
  for (std::uint32_t place = 0; place < in_use_; ++place) {
    if (first[place] >= end) continue;
    const std::size_t slot = by_age_[place];
    const Cycle count = (end - first[place] + interval - 1) / interval;
    if (first_wavefront_cycle_[slot] == 0) first_wavefront_cycle_[slot] = first[place];
    next_wavefront_cycle_[slot] = first[place] + count * interval;
    wavefronts_left_[slot] -= static_cast<std::uint32_t>(count);
  }
  cycle_ = std::max(cycle_, end);
}

inline int WavefrontService::pass_wavefront(Cycle last) {
  while (true) {
    Cycle earliest = kNever;
    const int slot = choose(earliest);
    if (slot >= 0) {
      if (cycle_ > last) return -1;
      pass(static_cast<std::size_t>(slot));
      return slot;
    }
    if (earliest > last) return -1;
    cycle_ = earliest;
    served_in_cycle_ = 0;
  }
}

inline int WavefrontService::choose(Cycle& earliest) const {
  bool is_any = false;
  for (std::uint32_t place = 0; place < in_use_; ++place) {
    const std::uint8_t slot = by_age_[place];
    const Cycle next = next_wavefront_cycle_[slot];
    earliest = std::min(earliest, next);
    if (next > cycle_) continue;
    if (asked_order_ == nullptr) return slot;
    is_any = true;
  }
  return is_any ? pick() : -1;
}

inline int WavefrontService::pick() const {
  std::array<ServiceCandidate, kMaxSlots> candidates;
  std::array<std::uint8_t, kMaxSlots> slots;
  std::size_t count = 0;
  for (std::uint32_t place = 0; place < in_use_; ++place) {
    const std::uint8_t slot = by_age_[place];
    if (next_wavefront_cycle_[slot] > cycle_) continue;
    const InFlight& access = *access_[slot];
    slots[count] = slot;
    candidates[count++] = {access.warp_slot, wavefronts_left_[slot], access.stamps.queue_cycle};
  }
  return slots[count == 1 ? 0 : asked_order_->pick({candidates.data(), count})];
}

inline void WavefrontService::pass(std::size_t slot) {
  if (first_wavefront_cycle_[slot] == 0) first_wavefront_cycle_[slot] = cycle_;
  next_wavefront_cycle_[slot] = cycle_ + interval_cycles_;
  --wavefronts_left_[slot];
  if (++served_in_cycle_ == wavefronts_per_cycle_) {
    ++cycle_;
    served_in_cycle_ = 0;
  }
}

}  // namespace smem::clock
