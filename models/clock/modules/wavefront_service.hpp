// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <clock/cycle.hpp>
#include <clock/timing.hpp>

namespace smem::clock {

/// How far the accesses in service are, and whose wavefront passes in which cycle: so many a cycle,
/// the oldest access first, each access's own no closer than their interval. A small value, so that
/// it can be worked out ahead on a copy.
class WavefrontService {
 public:
  void reset(const TimingSpec& timing);

  /// An access with so many wavefronts begins in `slot`, from `first_cycle` on.
  /// `is_younger(other)`: whether the access in slot `other` entered the SM's queue later.
  template <class IsYounger>
  void enter(std::size_t slot, std::uint32_t wavefronts, Cycle first_cycle,
             const IsYounger& is_younger);
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
  static constexpr unsigned kMaxSlots = kMaxAccessesInService;

  std::uint32_t interval_cycles_ = 0;
  std::uint32_t wavefronts_per_cycle_ = 0;
  std::uint32_t in_use_ = 0;
  std::uint32_t served_in_cycle_ = 0;             ///< wavefronts of `cycle_` that are taken
  Cycle cycle_ = 0;                               ///< the cycle that is served next
  std::array<std::uint8_t, kMaxSlots> by_age_{};  ///< slots in use, first of the queue first
  std::array<std::uint32_t, kMaxSlots> wavefronts_left_{};
  std::array<Cycle, kMaxSlots> next_wavefront_cycle_{};
  std::array<Cycle, kMaxSlots> first_wavefront_cycle_{};
};

inline void WavefrontService::reset(const TimingSpec& timing) {
  *this = {};
  interval_cycles_ = timing.wavefront_interval_cycles;
  wavefronts_per_cycle_ = timing.wavefronts_per_cycle;
}

template <class IsYounger>
void WavefrontService::enter(std::size_t slot, std::uint32_t wavefronts, Cycle first_cycle,
                             const IsYounger& is_younger) {
  wavefronts_left_[slot] = wavefronts;
  next_wavefront_cycle_[slot] = first_cycle;
  first_wavefront_cycle_[slot] = 0;
  std::uint32_t place = in_use_++;
  for (; place > 0 && is_younger(by_age_[place - 1]); --place) by_age_[place] = by_age_[place - 1];
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
    for (std::uint32_t place = 0; place < in_use_; ++place) {
      const std::size_t slot = by_age_[place];
      const Cycle next = next_wavefront_cycle_[slot];
      earliest = std::min(earliest, next);
      if (next > cycle_) continue;
      if (cycle_ > last) return -1;
      if (first_wavefront_cycle_[slot] == 0) first_wavefront_cycle_[slot] = cycle_;
      next_wavefront_cycle_[slot] = cycle_ + interval_cycles_;
      --wavefronts_left_[slot];
      if (++served_in_cycle_ == wavefronts_per_cycle_) {
        ++cycle_;
        served_in_cycle_ = 0;
      }
      return static_cast<int>(slot);
    }
    if (earliest > last) return -1;
    cycle_ = earliest;
    served_in_cycle_ = 0;
  }
}

}  // namespace smem::clock
