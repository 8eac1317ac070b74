// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <sim/explain/access_explanation.hpp>
#include <smem/profiler_view.hpp>

namespace smem {
namespace {

PartnerVerdict partner_verdict(const WarpAccess& access, std::uint32_t lanes, unsigned distance) {
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
    const unsigned partner = lane ^ distance;
    const bool both = ((lanes >> partner) & 1u) != 0;
    if (both && access.offsets_bytes[lane] != access.offsets_bytes[partner]) {
      return {lanes, distance, false, lane, partner};
    }
  }
  return {lanes, distance, true, 0, 0};
}

std::vector<PartnerVerdict> partner_verdicts(const AccessRule& rule, const WarpAccess& access,
                                             std::uint32_t lanes) {
  std::vector<PartnerVerdict> result;
  if (rule.grouping != Grouping::masks || rule.merge.groups_per_merge < 2) return result;
  const bool per_set = rule.merge.scope == MergeScope::group;
  const unsigned step = per_set ? rule.merge.groups_per_merge : rule.group_count;
  for (unsigned first = 0; first < rule.group_count; first += step) {
    std::uint32_t judged = 0;
    for (unsigned index = first; index < rule.group_count && index < first + step; ++index) {
      judged |= rule.group_masks[index] & lanes;
    }
    if (judged == 0) continue;
    for (std::uint32_t left = rule.merge.partner_distances; left != 0; left &= left - 1) {
      const unsigned distance = static_cast<unsigned>(std::countr_zero(left));
      result.push_back(partner_verdict(access, judged, distance));
    }
  }
  return result;
}

std::vector<ContestedBytes> contested_bytes(const GpuSpec& spec, const WarpAccess& access) {
  const StoreOutcome outcome = store_outcome(spec, access);
  std::map<std::uint32_t, ContestedBytes> by_offset;
  for_each_lane(outcome.lost_lanes(), [&](unsigned lane) {
    const std::uint32_t offset_bytes = access.offsets_bytes[lane];
    ContestedBytes& contested = by_offset[offset_bytes];
    contested.offset_bytes = offset_bytes;
    contested.winner_lane = outcome.winner_lanes[lane];
    contested.lost_lanes |= 1u << lane;
  });
  std::vector<ContestedBytes> result;
  result.reserve(by_offset.size());
  for (const auto& [offset_bytes, contested] : by_offset) result.push_back(contested);
  return result;
}

}  // namespace

AccessExplanation explain_access(const GpuSpec& spec, const WarpAccess& access) {
  AccessExplanation result;
  result.access = access;
  result.rule = spec.rule_of(access);
  result.bank_map = spec.bank_map;
  result.cost = analyze(spec, access);
  const std::uint32_t lanes = addressing_lanes(access);
  result.profiler_wavefronts = profiler_wavefronts(spec, access);
  result.packed_wavefronts = bank_collisions(spec.bank_map, result.rule, access, lanes).turns *
                             static_cast<unsigned>(result.rule.wavefront_factor);
  const GroupWavefronts groups = group_wavefronts(spec, access);
  unsigned first_wavefront = 0;
  for (unsigned index = 0; index < groups.groups.count; ++index) {
    const std::uint32_t mask = groups.groups.masks[index];
    result.groups.push_back({bank_collisions(spec.bank_map, result.rule, access, mask),
                             first_wavefront, groups.wavefronts[index]});
    first_wavefront += groups.wavefronts[index];
  }
  result.partners = partner_verdicts(result.rule, access, lanes);
  result.contested = contested_bytes(spec, access);
  return result;
}

std::string lane_list(std::uint32_t lanes) {
  std::string text;
  for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
    if (((lanes >> lane) & 1u) == 0) continue;
    unsigned last = lane;
    while (last + 1 < kLanesPerWarp && ((lanes >> (last + 1)) & 1u) != 0) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(lane);
    if (last > lane) text += "-" + std::to_string(last);
    lane = last;
  }
  return text.empty() ? "none" : text;
}

}  // namespace smem
