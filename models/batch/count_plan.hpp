// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <smem/gpu_spec.hpp>

namespace smem::batch {

/// No lane: its key is always 0, as an inactive lane's. Lists are padded with it.
inline constexpr std::uint8_t kNoLane = 32;

/// Lanes sorted together: 8, 16 or 32 of them, the smallest that fits.
struct LaneList {
  std::uint8_t size = 0;
  std::uint8_t lanes[32] = {};
};

/// Lanes i and i ^ distance. Padded to a multiple of 4 and to 16 with pairs of no lane.
struct PairList {
  std::uint8_t count = 0;
  std::uint8_t lower[16] = {};
  std::uint8_t upper[16] = {};
};

/// Neighbouring groups that become one for the accesses whose lanes pair up.
struct MergedSet {
  static constexpr unsigned kMaxDistances = 4;

  std::uint8_t first_group = 0;
  std::uint8_t group_count = 0;
  /// The set is closed under every distance: one key of each pair is enough. Else all of `whole`.
  bool halves = false;
  PairList pairs[kMaxDistances];  ///< inside the set, distance by distance
  LaneList whole;
};

/// One term of a bank map's XOR part: key ^= (row << left) & mask.
struct KeyTerm {
  std::uint8_t left = 0;
  std::uint16_t mask = 0;
};

/// What a kernel needs to know about one (operation, width) of one GPU; see README.md. Plain
/// arrays: files compiled for an instruction set must not instantiate code that others may link to.
struct CountPlan {
  static constexpr unsigned kKeyBits = 16;
  static constexpr unsigned kMaxSets = 16;

  bool vectorizable = false;  ///< false: the scalar model counts these accesses
  bool serialize = false;     ///< lanes with equal words take turns
  bool packed = false;        ///< ideal is the number of rows the distinct words would fill
  bool per_lane = false;      ///< every lane is a group
  bool warp_scope = false;    ///< the pair rule is decided once for all lanes
  std::uint8_t matrices = 1;
  std::uint8_t unit_bytes_log2 = 2;  ///< a unit is a word, or the aligned words of one lane
  std::uint8_t unit_words_log2 = 0;
  std::uint8_t row_units_log2 = 5;  ///< units in a row, log2
  std::uint8_t bank_count_log2 = 5;
  std::uint16_t wavefront_factor = 1;
  std::uint16_t transfer_cycles = 1;
  std::uint16_t merged_transfer_cycles = 1;
  std::uint32_t lanes = 0xffffffffu;  ///< lanes whose addresses count
  std::uint8_t term_count = 0;
  KeyTerm terms[kKeyBits];
  std::uint8_t group_count = 0;
  LaneList groups[kLanesPerWarp];
  std::uint8_t distance_count = 0;
  PairList pairs[MergedSet::kMaxDistances];  ///< of the whole warp
  std::uint8_t set_count = 0;
  MergedSet sets[kMaxSets];
};

/// Makes the plan of a rule the GPU has; `vectorizable` is false where the kernels do not reach.
[[nodiscard]] CountPlan make_count_plan(const GpuSpec& spec, Operation operation,
                                        std::uint8_t bytes_per_lane);

}  // namespace smem::batch
