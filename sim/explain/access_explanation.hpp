// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <smem/analyzer.hpp>
#include <smem/bank_collisions.hpp>
#include <smem/store_outcome.hpp>

namespace smem {

/// Whether the lanes that could merge pair up at one of a rule's partner distances, and, if not,
/// the first two that fail.
struct PartnerVerdict {
  std::uint32_t lanes =
      0;  ///< those judged together: the warp, or the groups that would become one
  unsigned distance = 0;
  bool agrees = false;
  unsigned lane = 0;     ///< when it does not: the lowest lane whose partner has another address
  unsigned partner = 0;  ///< lane ^ distance
};

/// One group of an access: what its banks serve, and which wavefronts of the access those are.
struct ExplainedGroup {
  BankCollisions collisions;
  unsigned first_wavefront = 0;  ///< counted from 0 over the whole access
  unsigned wavefronts = 0;
};

/// Lanes that write the same bytes.
struct ContestedBytes {
  std::uint32_t offset_bytes = 0;
  unsigned winner_lane = 0;
  std::uint32_t lost_lanes = 0;
};

/// Everything `explain` shows of one access.
struct AccessExplanation {
  WarpAccess access;
  AccessRule rule;
  BankMap bank_map;
  AccessCost cost;
  unsigned profiler_wavefronts = 0;  ///< as the profiler's software counts them
  unsigned packed_wavefronts = 0;    ///< the least any grouping of these lanes could need
  std::vector<ExplainedGroup> groups;
  std::vector<PartnerVerdict> partners;   ///< per set of lanes judged together, per distance
  std::vector<ContestedBytes> contested;  ///< by byte offset; empty unless lanes lose their writes
};

/// Explains an access that `spec` supports.
AccessExplanation explain_access(const GpuSpec& spec, const WarpAccess& access);

/// "0-15", "0-3,8,12-13"; "none" for an empty mask.
std::string lane_list(std::uint32_t lanes);

}  // namespace smem
