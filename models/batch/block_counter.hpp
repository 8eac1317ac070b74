// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <batch/cost_writer.hpp>
#include <batch/key_loader.hpp>
#include <batch/sorted_height.hpp>

// Included only by files that are compiled for an instruction set. Everything is local to the file,
// so that no code made of its instructions is linked into any other.

namespace smem::batch {
namespace {

/// Counts a block with the vectors of `Words`: a vector holds one 16-bit key of each of its
/// accesses.
template <class Words>
class BlockCounter {
 public:
  using Vector = typename Words::Vector;
  using Mask = typename Words::Mask;  ///< one truth value per access

  BlockResult load(const CountPlan& plan, const Block& block) {
    return KeyLoader<Words>::load(plan, block, keys_);
  }

  void count(const CountPlan& plan) {
    counted_.merged = plan.distance_count != 0 ? Words::every() : Words::none();
    if (plan.per_lane) return count_lanes();
    if (plan.packed) return count_packed(plan);
    if (plan.distance_count == 0) return count_groups(plan, 0, plan.group_count, Words::none());
    Mask agree[MergedSet::kMaxDistances];
    if (plan.warp_scope) find_partners(plan, plan.pairs, agree);
    for (unsigned index = 0; index < plan.set_count; ++index) {
      const MergedSet& set = plan.sets[index];
      if (!plan.warp_scope) find_partners(plan, set.pairs, agree);
      count_set(plan, set, agree);
    }
  }

  [[nodiscard]] const BlockTurns<Words>& counted() const { return counted_; }

 private:
  [[nodiscard]] Vector height(const CountPlan& plan, const LaneList& list) const {
    return plan.serialize ? height_of<Words, Height::serial>(plan, keys_, list.lanes, list.size)
                          : height_of<Words, Height::distinct>(plan, keys_, list.lanes, list.size);
  }

  void add_group(Vector height_of_group) {
    counted_.turns = Words::add(counted_.turns, height_of_group);
    counted_.groups = Words::add(counted_.groups, Words::minimum(height_of_group, Words::all(1)));
  }

  void count_lanes() {
    for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
      add_group(Words::minimum(keys_[lane], Words::all(1)));
    }
  }

  void count_packed(const CountPlan& plan) {
    const LaneList& list = plan.groups[0];
    Vector units = Words::zero();
    add_group(
        plan.serialize
            ? height_of<Words, Height::serial, true>(plan, keys_, list.lanes, list.size, &units)
            : height_of<Words, Height::distinct, true>(plan, keys_, list.lanes, list.size, &units));
    const Vector words = Words::shift_left(units, plan.unit_words_log2);
    const std::uint16_t round_up = static_cast<std::uint16_t>((1u << plan.bank_count_log2) - 1u);
    counted_.ideal =
        Words::shift_right(Words::add(words, Words::all(round_up)), plan.bank_count_log2);
  }

  /// Counts groups one by one, for the accesses not in `except`.
  void count_groups(const CountPlan& plan, unsigned first, unsigned count, Mask except) {
    for (unsigned index = first; index < first + count; ++index) {
      add_group(Words::clear(except, height(plan, plan.groups[index])));
    }
  }

  /// For each distance, the accesses whose lanes all pair up at it and at none before.
  void find_partners(const CountPlan& plan, const PairList* pairs, Mask* agree) const {
    Mask open = Words::every();
    for (unsigned index = 0; index < plan.distance_count; ++index) {
      Vector clash = Words::zero();
      agree[index] = open;
      for (unsigned first = 0; first < pairs[index].count && Words::any(agree[index]); first += 4) {
#pragma GCC unroll 4
        for (unsigned pair = first; pair < first + 4; ++pair) {
          const Vector lower = keys_[pairs[index].lower[pair]];
          const Vector upper = keys_[pairs[index].upper[pair]];
          const Vector differ = Words::exclusive_or(lower, upper);
          clash = Words::maximum(clash, Words::minimum(differ, Words::minimum(lower, upper)));
        }
        agree[index] = Words::both(open, Words::equal(clash, Words::zero()));
      }
      open = Words::without(open, agree[index]);
    }
  }

  void count_set(const CountPlan& plan, const MergedSet& set, const Mask* agree) {
    Mask merges = Words::none();
    for (unsigned index = 0; index < plan.distance_count; ++index) {
      merges = Words::either(merges, agree[index]);
    }
    counted_.merged = Words::both(counted_.merged, merges);
    if (!Words::is_every(merges)) count_groups(plan, set.first_group, set.group_count, merges);
    if (!Words::any(merges)) return;
    if (!set.halves || plan.serialize) {
      add_group(Words::keep(merges, height(plan, set.whole)));
      return;
    }
    static constexpr std::uint8_t kInOrder[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                  8, 9, 10, 11, 12, 13, 14, 15};
    const unsigned size = set.pairs[0].count <= 8 ? 8 : 16;
    Vector keys[16];
    for (Vector& key : keys) key = Words::zero();
    for (unsigned index = 0; index < plan.distance_count; ++index) {
      if (!Words::any(agree[index])) continue;
      const PairList& pairs = set.pairs[index];
      for (unsigned slot = 0; slot < size; ++slot) {
        const Vector pair = Words::maximum(keys_[pairs.lower[slot]], keys_[pairs.upper[slot]]);
        keys[slot] = Words::choose(agree[index], pair, keys[slot]);
      }
    }
    add_group(height_of<Words, Height::distinct>(plan, keys, kInOrder, size));
  }

  Vector keys_[kNoLane + 1];
  BlockTurns<Words> counted_;
};

/// Counts a block in halves, all steps by turns: while the last results of one half are on their
/// way, the processor has the other to work on.
template <class Words>
[[nodiscard]] BlockResult count_block(const CountPlan& plan, const Block& block) {
  BlockCounter<Words> halves[2];
  Block parts[2] = {block, block};
  parts[1].indexes += Words::kElements;
  const unsigned count = block.accesses > Words::kElements ? 2 : 1;
  for (unsigned half = 0; half < count; ++half) {
    const BlockResult loaded = halves[half].load(plan, parts[half]);
    if (loaded != BlockResult::counted) return loaded;
  }
  for (unsigned half = 0; half < count; ++half) halves[half].count(plan);
  for (unsigned half = 0; half < count; ++half) {
    write_costs(plan, parts[half], halves[half].counted());
  }
  return BlockResult::counted;
}

}  // namespace
}  // namespace smem::batch
