// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <clock/stalls.hpp>
#include <clock/timing.hpp>
#include <nlohmann/json.hpp>

#include <sim/clock/timeline.hpp>
#include <sim/output/hexadecimal.hpp>

namespace smem {
namespace {

using clock::Cycle;
using clock::StallReason;

constexpr std::uint64_t kSmProcess = 0;
constexpr std::uint64_t kReturnPath = clock::kMaxAccessesInService;

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// "operand_transfer_cycles" without its unit.
std::string_view name_of(StallReason reason) {
  const std::string_view name = clock::kStallReasonNames[static_cast<std::size_t>(reason)];
  return name.substr(0, name.size() - std::string_view("_cycles").size());
}

template <class Slots>
auto& slot_at(Slots& slots, std::size_t index) {
  if (slots.size() <= index) slots.resize(index + 1);
  return slots[index];
}

}  // namespace

Timeline::Timeline(std::ostream& out, const clock::TimingSpec& timing, const TraceInfo& info,
                   const std::vector<Site>& sites)
    : out_(out), timing_(timing), info_(info), sites_(sites) {
  out_ << "{\"traceEvents\":[\n";
  begin_event('M', {kSmProcess, 0}, "process_name");
  out_ << ",\"args\":{\"name\":\"SM\"}}";
  for (std::uint64_t slot = 0; slot < timing_.accesses_in_service; ++slot) {
    name_lane({kSmProcess, slot}, "thread_name", "data stage, slot " + std::to_string(slot));
  }
  name_lane({kSmProcess, kReturnPath}, "thread_name", "return path");
}

void Timeline::begin_event(char phase, const Lane& lane, std::string_view name) {
  out_ << "{\"ph\":\"" << phase << "\",\"pid\":" << lane.process << ",\"tid\":" << lane.thread
       << ",\"name\":\"" << name << '"';
}

void Timeline::name_lane(const Lane& lane, std::string_view key, const std::string& name) {
  out_ << ",\n";
  begin_event('M', lane, key);
  out_ << ",\"args\":{\"name\":" << json_text(name) << "}}";
}

void Timeline::begin_slice(const Lane& lane, std::string_view name, std::string_view category,
                           Cycle begin, Cycle end) {
  out_ << ",\n";
  begin_event('X', lane, name);
  out_ << ",\"cat\":\"" << category << "\",\"ts\":" << begin - start_cycle_
       << ",\"dur\":" << end - begin;
}

void Timeline::block_started(std::uint16_t block_slot, const clock::Block& block, Cycle) {
  BlockSlot& slot = slot_at(block_slots_, block_slot);
  slot.process = processes_++;
  slot.name = block.kernel < info_.kernels.size() ? info_.kernels[block.kernel].name : "";
  if (slot.name.empty()) slot.name = "kernel " + std::to_string(block.kernel);
  slot.name += "/" + std::to_string(block.block);
  name_lane({slot.process, 0}, "process_name", slot.name);
}

void Timeline::warp_started(std::uint16_t warp_slot, std::uint16_t block_slot, std::uint32_t warp,
                            Cycle cycle) {
  WarpSlot& slot = slot_at(warp_slots_, warp_slot);
  slot = WarpSlot{};
  slot.lane = {block_slots_[block_slot].process, warp};
  slot.start_cycle = cycle;
  slot.drawn_until_cycle = cycle;
  name_lane(slot.lane, "thread_name", block_slots_[block_slot].name + "/" + std::to_string(warp));
}

void Timeline::warp_finished(std::uint16_t warp_slot, Cycle cycle) {
  WarpSlot& warp = warp_slots_[warp_slot];
  draw_barriers(warp, clock::kNever);
  begin_slice(warp.lane, "warp", "warp", warp.start_cycle, cycle);
  out_ << '}';
}

void Timeline::barrier_arrived(std::uint16_t warp_slot, const clock::Instruction&, Cycle cycle) {
  warp_slots_[warp_slot].barriers.push_back({cycle, cycle});
}

void Timeline::barrier_passed(std::uint16_t warp_slot, Cycle cycle) {
  WarpSlot& warp = warp_slots_[warp_slot];
  warp.barriers.back().end_cycle = cycle;
  if (warp.under_way == 0) draw_barriers(warp, clock::kNever);
}

void Timeline::access_issued(const clock::InFlight& access) {
  ++warp_slots_[access.warp_slot].under_way;
}

void Timeline::lanes_lost(const clock::InFlight&, const StoreOutcome& outcome, Cycle) {
  lost_lanes_ = outcome.lost_lanes();
}

void Timeline::access_finished(const clock::InFlight& access) {
  const clock::AccessStamps& stamps = access.stamps;
  WarpSlot& warp = warp_slots_[access.warp_slot];
  --warp.under_way;
  draw_barriers(warp, stamps.issue_cycle);
  draw_waits(warp, access);
  draw_service(warp, access);
  begin_slice({kSmProcess, access.service_slot}, "service", "data_stage", stamps.service_cycle + 1,
              stamps.last_wavefront_cycle + 1);
  out_ << ",\"args\":{\"record\":" << access.instruction->record
       << ",\"wavefronts\":" << access.instruction->wavefronts << "}}";
  const std::uint32_t transfer = access.instruction->transfer_cycles;
  if (!access.instruction->returns_value || transfer == 0) return;
  begin_slice({kSmProcess, kReturnPath}, "return", "return_path", stamps.return_cycle,
              stamps.return_cycle + transfer);
  out_ << ",\"args\":{\"record\":" << access.instruction->record << "}}";
}

void Timeline::wait_slice(WarpSlot& warp, std::string_view name, Cycle begin, Cycle end) {
  begin = std::max(begin, warp.drawn_until_cycle);
  if (end <= begin) return;
  begin_slice(warp.lane, name, "wait", begin, end);
  out_ << '}';
  warp.drawn_until_cycle = end;
}

void Timeline::draw_barriers(WarpSlot& warp, Cycle before_cycle) {
  std::size_t drawn = 0;
  for (; drawn < warp.barriers.size(); ++drawn) {
    const Wait& barrier = warp.barriers[drawn];
    if (barrier.begin_cycle >= before_cycle) break;
    wait_slice(warp, name_of(StallReason::barrier), barrier.begin_cycle, barrier.end_cycle);
  }
  warp.barriers.erase(warp.barriers.begin(),
                      warp.barriers.begin() + static_cast<std::ptrdiff_t>(drawn));
}

void Timeline::draw_waits(WarpSlot& warp, const clock::InFlight& access) {
  const clock::AccessStamps& stamps = access.stamps;
  for (const clock::StallPart& part : clock::stall_parts(stamps)) {
    wait_slice(warp, name_of(part.reason), part.begin_cycle, part.end_cycle);
  }
  wait_slice(warp, name_of(StallReason::other_warps), stamps.service_cycle + 1,
             stamps.first_wavefront_cycle);
}

void Timeline::draw_service(WarpSlot& warp, const clock::InFlight& access) {
  const clock::AccessStamps& stamps = access.stamps;
  const clock::Instruction& instruction = *access.instruction;
  const Site& site = sites_[instruction.site];
  begin_slice(warp.lane, operation_name(site.operation, site.bytes_per_lane), "service",
              stamps.first_wavefront_cycle, stamps.last_wavefront_cycle + 1);
  warp.drawn_until_cycle = stamps.last_wavefront_cycle + 1;
  out_ << ",\"args\":{\"record\":" << instruction.record << ",\"pc\":\"" << hexadecimal(site.pc)
       << "\",\"bytes\":" << unsigned{site.bytes_per_lane}
       << ",\"wavefronts\":" << instruction.wavefronts
       << ",\"issue_cycle\":" << stamps.issue_cycle - start_cycle_
       << ",\"finish_cycle\":" << stamps.finish_cycle - start_cycle_;
  const auto stalls = clock::stall_cycles(access, timing_);
  for (std::size_t reason = 0; reason < stalls.size(); ++reason) {
    if (stalls[reason] != 0)
      out_ << ",\"" << clock::kStallReasonNames[reason] << "\":" << stalls[reason];
  }
  if (const std::uint32_t lost = std::exchange(lost_lanes_, 0); lost != 0) {
    out_ << ",\"lost_lanes\":\"" << hexadecimal(lost) << '"';
  }
  out_ << "}}";
}

void Timeline::finish() {
  out_ << "\n]}\n";
}

}  // namespace smem
