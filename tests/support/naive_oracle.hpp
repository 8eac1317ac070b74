// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include <smem/gpu_spec.hpp>

namespace smem::test {

/// Slow and plain on purpose: shares with the model only the tables of the GPU and the bank map.
struct NaiveOracle {
  using Lanes = std::set<unsigned>;

  static bool pairs_up(const AccessRule& rule, const WarpAccess& access, const Lanes& lanes) {
    for (unsigned distance = 1; distance < 32; ++distance) {
      if ((rule.merge.partner_distances >> distance) % 2 == 0) continue;
      if (std::all_of(lanes.begin(), lanes.end(), [&](unsigned lane) {
            return !lanes.contains(lane ^ distance) ||
                   access.offsets_bytes[lane] == access.offsets_bytes[lane ^ distance];
          })) {
        return true;
      }
    }
    return false;
  }

  /// ldmatrix and stmatrix take the row addresses of a matrix from 8 lanes.
  static unsigned lanes_with_addresses(Operation operation) {
    const std::string_view name = operation_name(operation, 16);
    const bool matrix = name.find("matrix") != std::string_view::npos;
    return matrix && name.find(".x1") != std::string_view::npos   ? 8
           : matrix && name.find(".x2") != std::string_view::npos ? 16
                                                                  : 32;
  }

  static std::vector<Lanes> groups(const AccessRule& rule, const WarpAccess& access) {
    Lanes all;
    const unsigned addresses = lanes_with_addresses(access.operation);
    for (unsigned lane = 0; lane < addresses; ++lane) {
      if ((access.active_mask >> lane) % 2 != 0) all.insert(lane);
    }
    std::vector<Lanes> result;
    if (all.empty()) return result;
    if (rule.grouping == Grouping::packed) result.push_back(all);
    if (rule.grouping == Grouping::per_lane) {
      for (const unsigned lane : all) result.push_back({lane});
    }
    if (rule.grouping != Grouping::masks) return result;
    for (unsigned first = 0; first < rule.group_count; first += rule.merge.groups_per_merge) {
      std::vector<Lanes> apart;
      Lanes together;
      for (unsigned index = first; index < rule.group_count; ++index) {
        if (index >= first + rule.merge.groups_per_merge) break;
        apart.emplace_back();
        for (const unsigned lane : all) {
          if ((rule.group_masks[index] >> lane) % 2 == 0) continue;
          apart.back().insert(lane);
          together.insert(lane);
        }
      }
      const Lanes& judged = rule.merge.scope == MergeScope::warp ? all : together;
      if (pairs_up(rule, access, judged)) apart = {together};
      result.insert(result.end(), apart.begin(), apart.end());
    }
    std::erase_if(result, [](const Lanes& lanes) { return lanes.empty(); });
    return result;
  }

  /// Turns of one group: the most words (shared) or touches (serialised) any bank has to serve.
  static unsigned turns(const GpuSpec& spec, const WarpAccess& access, const Lanes& lanes) {
    std::map<unsigned, std::set<unsigned>> words;
    std::map<unsigned, unsigned> touches;
    unsigned most = 0;
    for (const unsigned lane : lanes) {
      std::set<unsigned> own;
      for (unsigned byte = 0; byte < access.bytes_per_lane; ++byte) {
        own.insert((access.offsets_bytes[lane] + byte) / spec.bank_map.word_bytes());
      }
      for (const unsigned word : own) {
        const unsigned bank = spec.bank_map.bank_of_word(word);
        words[bank].insert(word);
        ++touches[bank];
        const bool share = spec.rule_of(access).equal_words == EqualWords::share;
        most = std::max(most, share ? static_cast<unsigned>(words[bank].size()) : touches[bank]);
      }
    }
    return most;
  }

  /// What the groups would cost if no two words of a group stood on one bank.
  static unsigned ideal(const GpuSpec& spec, const WarpAccess& access) {
    const AccessRule& rule = spec.rule_of(access);
    if (rule.grouping != Grouping::packed) {
      return static_cast<unsigned>(groups(rule, access).size()) * rule.wavefront_factor;
    }
    unsigned words = 0;
    std::set<unsigned> distinct;
    for (const Lanes& lanes : groups(rule, access)) {
      for (const unsigned lane : lanes) {
        std::set<unsigned> own;
        for (unsigned byte = 0; byte < access.bytes_per_lane; ++byte) {
          own.insert((access.offsets_bytes[lane] + byte) / spec.bank_map.word_bytes());
        }
        words += static_cast<unsigned>(own.size());
        distinct.merge(own);
      }
    }
    if (rule.equal_words == EqualWords::share) words = static_cast<unsigned>(distinct.size());
    const unsigned banks = spec.bank_map.bank_count();
    return (words + banks - 1) / banks * rule.wavefront_factor;
  }

  static unsigned wavefronts(const GpuSpec& spec, const WarpAccess& access) {
    const AccessRule& rule = spec.rule_of(access);
    unsigned sum = 0;
    for (const Lanes& lanes : groups(rule, access)) sum += turns(spec, access, lanes);
    return sum * rule.wavefront_factor;
  }
};

}  // namespace smem::test
