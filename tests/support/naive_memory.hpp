// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include <tests/support/naive_oracle.hpp>

#include <traces/trace_record.hpp>

namespace smem::test {

/// Where wavefront `index` of an access stands, found by counting.
struct NaiveWavefront {
  unsigned group = 0;
  unsigned turn = 0;
  unsigned pass = 0;
  NaiveOracle::Lanes lanes;  ///< of the group
};

inline NaiveWavefront naive_wavefront(const GpuSpec& spec, const WarpAccess& access,
                                      unsigned index) {
  NaiveWavefront result;
  const unsigned factor = spec.rule_of(access).wavefront_factor;
  for (const NaiveOracle::Lanes& lanes : NaiveOracle::groups(spec.rule_of(access), access)) {
    const unsigned turns = NaiveOracle::turns(spec, access, lanes);
    for (result.turn = 0; result.turn < turns; ++result.turn) {
      for (result.pass = 0; result.pass < factor; ++result.pass) {
        result.lanes = lanes;
        if (index-- == 0) return result;
      }
    }
    ++result.group;
  }
  result.lanes.clear();
  return result;
}

/// A word that one bank serves, and the lanes it goes to or comes from.
struct NaiveService {
  unsigned word = 0;
  NaiveOracle::Lanes lanes;
};

/// What each bank serves in a wavefront: it takes the words its lanes ask for in the order of
/// lanes, then addresses, one a turn.
inline std::map<unsigned, NaiveService> naive_services(const GpuSpec& spec,
                                                       const WarpAccess& access,
                                                       const NaiveWavefront& wavefront) {
  std::map<unsigned, std::vector<NaiveService>> queues;
  const bool share = spec.rule_of(access).equal_words == EqualWords::share;
  for (const unsigned lane : wavefront.lanes) {
    std::set<unsigned> own;
    for (unsigned byte = 0; byte < access.bytes_per_lane; ++byte) {
      own.insert((access.offsets_bytes[lane] + byte) / spec.bank_map.word_bytes());
    }
    for (const unsigned word : own) {
      std::vector<NaiveService>& queue = queues[spec.bank_map.bank_of_word(word)];
      const auto same = std::find_if(queue.begin(), queue.end(), [&](const NaiveService& asked) {
        return share && asked.word == word;
      });
      if (same == queue.end()) {
        queue.push_back({word, {lane}});
      } else {
        same->lanes.insert(lane);
      }
    }
  }
  std::map<unsigned, NaiveService> services;
  for (const auto& [bank, queue] : queues) {
    if (wavefront.turn < queue.size()) services[bank] = queue[wavefront.turn];
  }
  return services;
}

/// Memory of all blocks, byte by byte.
class NaiveMemory {
 public:
  using Address = std::tuple<unsigned, unsigned, unsigned>;  ///< kernel, block, byte offset

  explicit NaiveMemory(const GpuSpec& spec) : spec_(spec) {}

  /// Wavefront `index` of a record's access passes.
  void pass(const TraceRecord& record, unsigned index) {
    const WarpAccess& access = record.access;
    const std::string_view name =
        kRuleKindNames[static_cast<std::size_t>(traits(access.operation).rule_kind)];
    if (name == "ld" || name == "ldmatrix") return;
    const NaiveWavefront wavefront = naive_wavefront(spec_, access, index);
    const AccessRule& rule = spec_.rule_of(access);
    if (wavefront.pass + 1 != rule.wavefront_factor) return;
    const bool depends_on_memory = name == "red.add" || name == "atom.add" || name == "atom.cas";
    for (const auto& [bank, service] : naive_services(spec_, access, wavefront)) {
      for (unsigned byte = 0; byte < spec_.bank_map.word_bytes(); ++byte) {
        const unsigned offset = service.word * spec_.bank_map.word_bytes() + byte;
        for (const unsigned lane : service.lanes) {
          if (lane != winner(rule, access, wavefront.lanes, offset)) continue;
          std::optional<unsigned>& here = bytes[{record.kernel, record.block, offset}];
          here.reset();
          if (depends_on_memory || record.stored == nullptr) continue;
          here = (*record.stored)[lane][offset - access.offsets_bytes[lane]];
        }
      }
    }
  }

  std::map<Address, std::optional<unsigned>> bytes;

 private:
  /// The lane of a group whose value stays at a byte; 99 when none writes it.
  static unsigned winner(const AccessRule& rule, const WarpAccess& access,
                         const NaiveOracle::Lanes& lanes, unsigned offset) {
    unsigned best = 99;
    for (const unsigned lane : lanes) {
      const unsigned first = access.offsets_bytes[lane];
      if (offset < first || offset >= first + access.bytes_per_lane) continue;
      if (best == 99 || rule.store_winner == StoreWinner::highest_lane) best = lane;
    }
    return best;
  }

  const GpuSpec& spec_;
};

}  // namespace smem::test
