// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <utility>

#include <batch/count_plan.hpp>

namespace smem::batch {

namespace {

LaneList list_of(std::uint32_t mask) {
  LaneList list;
  unsigned count = 0;
  for_each_lane(mask,
                [&](unsigned lane) { list.lanes[count++] = static_cast<std::uint8_t>(lane); });
  list.size = count <= 8 ? 8 : count <= 16 ? 16 : 32;
  while (count < list.size) list.lanes[count++] = kNoLane;
  return list;
}

/// The pairs of lanes at `distance` with both in `mask`.
PairList pairs_of(std::uint32_t mask, unsigned distance) {
  PairList list;
  for (std::uint8_t& lane : list.lower) lane = kNoLane;
  for (std::uint8_t& lane : list.upper) lane = kNoLane;
  unsigned count = 0;
  for_each_lane(mask, [&](unsigned lane) {
    const unsigned partner = lane ^ distance;
    if (partner < lane || ((mask >> partner) & 1u) == 0) return;
    list.lower[count] = static_cast<std::uint8_t>(lane);
    list.upper[count++] = static_cast<std::uint8_t>(partner);
  });
  list.count = static_cast<std::uint8_t>(count);
  return list;
}

bool is_closed(std::uint32_t mask, unsigned distance) {
  bool closed = true;
  for_each_lane(mask, [&](unsigned lane) { closed &= ((mask >> (lane ^ distance)) & 1u) != 0; });
  return closed;
}

/// The functionals that tell which units share banks, over unit bits, reduced so that the low part
/// is the identity: unit bank bit i = unit bit i ^ parity(unit & result[i]). False when the words
/// of a unit do not lie on different banks.
///
/// The banks of a unit are bank(first word) ^ {bank(0), bank(1), …}: a coset. Two units share all
/// of their banks or none, and the combinations of bank bits that no word bit inside a unit enters
/// tell which.
bool unit_bank_masks(const BankMap& map, unsigned unit_words_log2,
                     std::array<std::uint32_t, BankMap::kMaxBankCountLog2>& result) {
  std::array<std::uint32_t, BankMap::kMaxBankCountLog2> rows = map.bank_bit_masks;
  for (unsigned column = 0; column < map.bank_count_log2; ++column) {
    unsigned pivot = column;
    while (pivot < map.bank_count_log2 && ((rows[pivot] >> column) & 1u) == 0) ++pivot;
    if (pivot == map.bank_count_log2) return false;
    std::swap(rows[column], rows[pivot]);
    for (unsigned row = 0; row < map.bank_count_log2; ++row) {
      if (row != column && ((rows[row] >> column) & 1u) != 0) rows[row] ^= rows[column];
    }
  }
  const unsigned row_units_log2 = map.bank_count_log2 - unit_words_log2;
  for (unsigned bit = 0; bit < row_units_log2; ++bit) {
    result[bit] = (rows[bit + unit_words_log2] >> unit_words_log2) & ~(1u << bit);
  }
  return true;
}

/// Adds the XOR of row bit `from` into key bit `to`; bits moved equally far share a term. Banks
/// stand above rows in a key, so bits move left only.
void add_key_bit(CountPlan& plan, unsigned from, unsigned to) {
  unsigned index = 0;
  while (index < plan.term_count && plan.terms[index].left != to - from) ++index;
  if (index == plan.term_count) {
    plan.terms[plan.term_count++] = {static_cast<std::uint8_t>(to - from), 0};
  }
  plan.terms[index].mask = static_cast<std::uint16_t>(plan.terms[index].mask | (1u << to));
}

bool plan_keys(CountPlan& plan, const BankMap& map, std::uint8_t bytes_per_lane) {
  const unsigned lane_bytes_log2 = static_cast<unsigned>(std::countr_zero(bytes_per_lane));
  const unsigned unit_bytes_log2 =
      lane_bytes_log2 > map.word_bytes_log2 ? lane_bytes_log2 : map.word_bytes_log2;
  const unsigned unit_words_log2 = unit_bytes_log2 - map.word_bytes_log2;
  if (unit_bytes_log2 == 0 || unit_words_log2 > map.bank_count_log2 ||
      unit_bytes_log2 + map.bank_count_log2 - unit_words_log2 >= 16) {
    return false;
  }
  std::array<std::uint32_t, BankMap::kMaxBankCountLog2> masks{};
  if (!unit_bank_masks(map, unit_words_log2, masks)) return false;
  plan.unit_bytes_log2 = static_cast<std::uint8_t>(unit_bytes_log2);
  plan.unit_words_log2 = static_cast<std::uint8_t>(unit_words_log2);
  plan.row_units_log2 = static_cast<std::uint8_t>(map.bank_count_log2 - unit_words_log2);
  plan.bank_count_log2 = map.bank_count_log2;
  for (unsigned bit = 0; bit < plan.row_units_log2; ++bit) {
    const std::uint32_t mask = masks[bit] & ((1u << CountPlan::kKeyBits) - 1u);
    for_each_lane(mask, [&](unsigned from) {
      add_key_bit(plan, from - plan.row_units_log2,
                  CountPlan::kKeyBits - plan.row_units_log2 + bit);
    });
  }
  return true;
}

void plan_set(CountPlan& plan, const AccessRule& rule, unsigned first, unsigned end) {
  MergedSet& set = plan.sets[plan.set_count++];
  set.first_group = static_cast<std::uint8_t>(first);
  set.group_count = static_cast<std::uint8_t>(end - first);
  std::uint32_t mask = 0;
  for (unsigned group = first; group < end; ++group) mask |= rule.group_masks[group] & plan.lanes;
  set.whole = list_of(mask);
  set.halves = true;
  unsigned index = 0;
  for_each_lane(rule.merge.partner_distances, [&](unsigned distance) {
    set.halves &= is_closed(mask, distance);
    set.pairs[index++] = pairs_of(mask, distance);
  });
}

/// False when the kernels do not reach this merge rule.
bool plan_merging(CountPlan& plan, const AccessRule& rule, bool keys_are_addresses) {
  const MergeRule& merge = rule.merge;
  if (merge.groups_per_merge <= 1 || merge.partner_distances == 0) return true;
  const std::uint32_t distances = merge.partner_distances;
  if (!keys_are_addresses || (distances & 1u) != 0 ||
      static_cast<unsigned>(std::popcount(distances)) > MergedSet::kMaxDistances) {
    return false;
  }
  plan.warp_scope = merge.scope == MergeScope::warp;
  for_each_lane(distances, [&](unsigned distance) {
    plan.pairs[plan.distance_count++] = pairs_of(plan.lanes, distance);
  });
  const unsigned step = merge.groups_per_merge;
  for (unsigned first = 0; first < rule.group_count; first += step) {
    plan_set(plan, rule, first, first + step < rule.group_count ? first + step : rule.group_count);
  }
  return true;
}

}  // namespace

CountPlan make_count_plan(const GpuSpec& spec, Operation operation, std::uint8_t bytes_per_lane) {
  CountPlan plan;
  const OperationTraits& row = traits(operation);
  if (!spec.supports(operation, bytes_per_lane)) return plan;
  const AccessRule& rule = spec.rule({row.rule_kind, bytes_per_lane});
  plan.lanes = addressing_lanes(operation, kFullMask);
  plan.matrices = row.matrices;
  plan.serialize = rule.equal_words == EqualWords::serialize;
  plan.packed = rule.grouping == Grouping::packed;
  plan.per_lane = rule.grouping == Grouping::per_lane;
  plan.wavefront_factor = rule.wavefront_factor;
  plan.transfer_cycles = static_cast<std::uint16_t>(rule.transfer_cycles * row.matrices);
  plan.merged_transfer_cycles =
      static_cast<std::uint16_t>(rule.merged_transfer_cycles * row.matrices);
  if (!plan_keys(plan, spec.bank_map, bytes_per_lane)) return plan;
  bool reached = true;
  switch (rule.grouping) {
    case Grouping::packed:
      plan.group_count = 1;
      plan.groups[0] = list_of(plan.lanes);
      break;
    case Grouping::per_lane:
      break;
    case Grouping::masks:
      plan.group_count = rule.group_count;
      for (unsigned index = 0; index < rule.group_count; ++index) {
        plan.groups[index] = list_of(rule.group_masks[index] & plan.lanes);
      }
      reached = plan_merging(plan, rule, bytes_per_lane >= spec.bank_map.word_bytes());
      break;
  }
  plan.vectorizable = reached;
  return plan;
}

}  // namespace smem::batch
