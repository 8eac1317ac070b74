// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include <clock/banks/bank_array.hpp>

namespace smem::clock {

void BankArray::reset(const GpuSpec* spec, BankObserver* observer, StoredMemory* memory) {
  spec_ = spec;
  observer_ = observer;
  memory_ = memory;
  busy_.reset();
  busy_cycle_ = 0;
  totals_ = {};
}

void BankArray::serve(const InFlight& access, const ServedWavefront& wavefront, Cycle cycle) {
  if (cycle != busy_cycle_) busy_.reset();
  busy_cycle_ = cycle;
  totals_.words += wavefront.words.size();
  for (const ServedWord& word : wavefront.words) {
    busy_.set(word.bank);
    if (std::popcount(word.lanes) < 2) continue;
    ++(word.lanes == wavefront.lanes ? totals_.broadcast_words : totals_.multicast_words);
  }
  if (memory_ != nullptr && wavefront.ends_turn) store(access, wavefront);
  if (observer_ != nullptr) observer_->served(access, wavefront, busy_, cycle);
  if (wavefront.index + 1 != access.instruction->wavefronts) return;
  const StoreOutcome outcome = store_outcome(*spec_, *access.instruction->access);
  if (outcome.lost_lanes() == 0) return;
  totals_.lost_lanes += static_cast<std::uint64_t>(std::popcount(outcome.lost_lanes()));
  if (observer_ != nullptr) observer_->lanes_lost(access, outcome, cycle);
}

void BankArray::store(const InFlight& in_flight, const ServedWavefront& wavefront) {
  const WarpAccess& access = *in_flight.instruction->access;
  const StoredBytes* const stored = in_flight.instruction->stored;
  const OperationTraits& operation = traits(access.operation);
  if (!operation.writes_memory) return;
  const bool is_known = operation.stores_values && stored != nullptr;
  const std::uint32_t writers = group_survivors(spec_->rule_of(access), access, wavefront.lanes);
  const std::uint32_t word_bytes = spec_->bank_map.word_bytes();
  for (const ServedWord& word : wavefront.words) {
    for_each_lane(word.lanes & writers, [&](unsigned lane) {
      const std::uint32_t first = access.offsets_bytes[lane];
      const std::uint32_t begin = std::max(first, word.word * word_bytes);
      const std::uint32_t end =
          std::min(first + access.bytes_per_lane, (word.word + 1) * word_bytes);
      for (std::uint32_t offset = begin; offset < end; ++offset) {
        if (is_known) {
          memory_->store(in_flight.block, offset, (*stored)[lane][offset - first]);
        } else {
          memory_->forget(in_flight.block, offset);
        }
      }
    });
  }
}

}  // namespace smem::clock
