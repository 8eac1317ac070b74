// SPDX-License-Identifier: Apache-2.0
#include <clock/banks/lane_grouper.hpp>

namespace smem::clock {

void LaneGrouper::pass(const InFlight& access, std::uint32_t index, Cycle cycle) {
  if (observer_ != nullptr) observer_->wavefront(access, index, cycle);
  const WarpAccess* const lanes = access.instruction->access;
  if (spec_ == nullptr || lanes == nullptr) return;
  Service& service = services_[access.service_slot];
  if (index == 0) {
    service.groups = group_wavefronts(*spec_, *lanes);
    service.first_wavefront = 0;
    begin_group(service, *lanes, 0);
  } else if (index - service.first_wavefront == service.groups.wavefronts[service.group]) {
    service.first_wavefront = index;
    begin_group(service, *lanes, static_cast<std::uint16_t>(service.group + 1));
  }
  const std::uint32_t factor = spec_->rule_of(*lanes).wavefront_factor;
  const std::uint32_t within = index - service.first_wavefront;
  ServedWavefront served;
  served.index = index;
  served.group = service.group;
  served.turn = static_cast<std::uint16_t>(within / factor);
  served.pass = static_cast<std::uint16_t>(within % factor);
  served.ends_turn = served.pass + 1u == factor;
  served.lanes = service.groups.groups.masks[service.group];
  const std::uint16_t begin = service.turn_begin[served.turn];
  const std::uint16_t end = service.turn_begin[served.turn + 1u];
  served.words = {service.words.data() + begin, static_cast<std::size_t>(end - begin)};
  out_served->serve(access, served, cycle);
}

void LaneGrouper::begin_group(Service& service, const WarpAccess& access,
                              std::uint16_t group) const {
  service.group = group;
  const BankCollisions collisions = bank_collisions(spec_->bank_map, spec_->rule_of(access), access,
                                                    service.groups.groups.masks[group]);
  // Counting sort by turn: words[turn_begin[t]] … are those of turn t.
  service.turn_begin.fill(0);
  for (const ServedWord& word : collisions.served()) ++service.turn_begin[word.turn + 1u];
  for (std::size_t turn = 0; turn < collisions.turns; ++turn) {
    service.turn_begin[turn + 1] =
        static_cast<std::uint16_t>(service.turn_begin[turn + 1] + service.turn_begin[turn]);
  }
  std::array<std::uint16_t, BankCollisions::kMaxWords + 1> next = service.turn_begin;
  for (const ServedWord& word : collisions.served()) service.words[next[word.turn]++] = word;
}

}  // namespace smem::clock
