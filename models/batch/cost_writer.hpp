// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include <batch/key_loader.hpp>

// Included only by files that are compiled for an instruction set. Everything is local to the file,
// so that no code made of its instructions is linked into any other.

namespace smem::batch {
namespace {

/// Bank cycles of the accesses of a block, one access an element.
template <class Words>
struct BlockTurns {
  typename Words::Vector turns = Words::zero();
  typename Words::Vector groups = Words::zero();
  typename Words::Vector ideal = Words::zero();  ///< of packed plans; others need one a group
  typename Words::Mask merged = Words::none();
};

/// Accesses without an active lane cost nothing, not even the transfer.
inline void clear_idle(const Block& block, unsigned accesses) {
  for (unsigned access = 0; access < accesses; ++access) {
    if (number_at(block, access, offsetof(WarpAccess, active_mask)) != 0) continue;
    std::memset(static_cast<void*>(block.costs + block.indexes[access]), 0, sizeof(AccessCost));
  }
}

static_assert(sizeof(AccessCost) == 10 && offsetof(AccessCost, ideal) == 2 &&
              offsetof(AccessCost, bank_conflicts) == 4 &&
              offsetof(AccessCost, transfer_cycles) == 6 && offsetof(AccessCost, groups) == 8 &&
              offsetof(AccessCost, merged) == 9);

/// Writes the costs of a block: four 16-bit numbers at once, then groups and merged.
template <class Words>
void write_costs(const CountPlan& plan, const Block& block, const BlockTurns<Words>& counted) {
  using Vector = typename Words::Vector;
  constexpr unsigned kAccesses = Words::kElements;
  const Vector factor = Words::all(plan.wavefront_factor);
  const Vector ideal_turns = plan.packed ? counted.ideal : counted.groups;
  const Vector wavefronts = Words::multiply(counted.turns, factor);
  const Vector ideal = Words::multiply(ideal_turns, factor);
  const Vector conflicts = Words::subtract(counted.turns, ideal_turns);
  const Vector transfer = Words::choose(counted.merged, Words::all(plan.merged_transfer_cycles),
                                        Words::all(plan.transfer_cycles));
  const Vector merged = Words::choose(counted.merged, Words::all(0x100), Words::zero());
  const Vector low01 = Words::interleave_low16(wavefronts, ideal);
  const Vector low23 = Words::interleave_low16(conflicts, transfer);
  const Vector high01 = Words::interleave_high16(wavefronts, ideal);
  const Vector high23 = Words::interleave_high16(conflicts, transfer);
  alignas(64) std::uint16_t heads[4][kAccesses / 8][2][4];
  alignas(64) std::uint16_t tails[kAccesses];
  Words::store(heads[0][0][0], Words::interleave_low32(low01, low23));
  Words::store(heads[1][0][0], Words::interleave_high32(low01, low23));
  Words::store(heads[2][0][0], Words::interleave_low32(high01, high23));
  Words::store(heads[3][0][0], Words::interleave_high32(high01, high23));
  Words::store(tails, Words::add(counted.groups, merged));
  AccessCost* const costs = block.costs;
  const std::uint32_t* const indexes = block.indexes;
#pragma GCC unroll 32
  for (unsigned access = 0; access < kAccesses; ++access) {
    std::byte* const cost = reinterpret_cast<std::byte*>(costs + indexes[access]);
    std::memcpy(cost, heads[access / 2 % 4][access / 8][access % 2], sizeof heads[0][0][0]);
    std::memcpy(cost + sizeof heads[0][0][0], tails + access, sizeof tails[access]);
  }
  if (Words::any(Words::equal(counted.groups, Words::zero()))) clear_idle(block, kAccesses);
}

}  // namespace
}  // namespace smem::batch
