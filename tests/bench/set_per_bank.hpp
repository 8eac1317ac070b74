// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <set>

#include <smem/access_rule.hpp>
#include <smem/gpu_spec.hpp>

namespace smem::bench {

/// How bank conflicts are usually counted: node-based containers, per group of lanes. Equal words
/// share a turn, or take one each.
inline unsigned wavefronts_by_maps(const GpuSpec& spec, const WarpAccess& access) {
  const AccessRule& rule = spec.rule_of(access);
  const LaneGroups groups = lane_groups(rule, access);
  std::size_t sum = 0;
  for (unsigned index = 0; index < groups.count; ++index) {
    std::map<std::uint32_t, std::set<std::uint32_t>> words_of_bank;
    std::map<std::uint32_t, std::size_t> touches_of_bank;
    std::size_t tallest = 0;
    for_each_lane(groups.masks[index], [&](unsigned lane) {
      for (unsigned byte = 0; byte < access.bytes_per_lane; byte += spec.bank_map.word_bytes()) {
        const std::uint32_t word = spec.bank_map.word_of(access.offsets_bytes[lane] + byte);
        const std::uint32_t bank = spec.bank_map.bank_of_word(word);
        if (rule.equal_words == EqualWords::serialize) {
          tallest = std::max(tallest, ++touches_of_bank[bank]);
        } else {
          words_of_bank[bank].insert(word);
        }
      }
    });
    for (const auto& [bank, words] : words_of_bank) tallest = std::max(tallest, words.size());
    sum += tallest;
  }
  return static_cast<unsigned>(sum) * rule.wavefront_factor;
}

}  // namespace smem::bench
