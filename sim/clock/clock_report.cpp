// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <sim/clock/clock_report.hpp>
#include <sim/output/hexadecimal.hpp>

namespace smem {
namespace {

using clock::Cycle;

std::uint64_t between(Cycle from, Cycle to) {
  return to > from ? to - from : 0;
}

template <class Slots>
auto& slot_at(Slots& slots, std::size_t index) {
  if (slots.size() <= index) slots.resize(index + 1);
  return slots[index];
}

std::string kernel_name(const TraceInfo& info, std::uint32_t kernel) {
  return kernel < info.kernels.size() ? info.kernels[kernel].name : std::string();
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::array<StallPart, 9> stall_parts(const clock::AccessStamps& at) {
  const Cycle room = std::clamp(at.room_cycle, at.ready_cycle, at.issue_cycle);
  const Cycle path_free = std::clamp(at.path_free_cycle, at.issue_cycle + 1, at.transfer_cycle);
  const Cycle own_end = std::clamp(at.own_service_end_cycle, at.queue_cycle, at.service_cycle);
  return {{{StallReason::waiting_for_data, at.able_cycle, at.ready_cycle},
           {StallReason::queue_full, at.ready_cycle, room},
           {StallReason::issue, room, at.issue_cycle},
           {StallReason::operand_transfer, at.issue_cycle, path_free},
           {StallReason::queue_full, path_free, at.transfer_cycle},
           {StallReason::operand_transfer, at.transfer_cycle, at.moved_cycle},
           {StallReason::queue_full, at.moved_cycle, at.queue_cycle},
           {StallReason::own_previous_wavefronts, at.queue_cycle, own_end},
           {StallReason::other_warps, own_end, at.service_cycle}}};
}

std::array<std::uint64_t, kStallReasonCount> stall_cycles(const clock::InFlight& access,
                                                          const clock::TimingSpec& timing) {
  const clock::AccessStamps& at = access.stamps;
  std::array<std::uint64_t, kStallReasonCount> stalls{};
  for (const StallPart& part : stall_parts(at)) {
    stalls[static_cast<std::size_t>(part.reason)] += part.end_cycle - part.begin_cycle;
  }
  const std::uint64_t alone =
      1 + std::uint64_t{access.instruction->wavefronts - 1u} * timing.wavefront_interval_cycles;
  stalls[static_cast<std::size_t>(StallReason::other_warps)] +=
      between(at.service_cycle + alone, at.last_wavefront_cycle);
  return stalls;
}

ClockReport::SiteTotals& ClockReport::site(std::uint32_t index) {
  return slot_at(sites_, index);
}

void ClockReport::block_started(std::uint16_t block_slot, const clock::Block& block, Cycle cycle) {
  if (kernels_.empty() || kernels_.back().kernel != block.kernel) {
    kernels_.emplace_back().kernel = block.kernel;
  }
  KernelTotals& kernel = kernels_.back();
  ++kernel.blocks;
  kernel.resident_blocks = block.resident_blocks;
  kernel.start_cycle = std::min(kernel.start_cycle, cycle);
  BlockSlot& slot = slot_at(block_slots_, block_slot);
  slot.kernel_row = kernels_.size() - 1;
  slot.identity = {block.kernel, block.block, 0, 0, 0};
  slot.at_barrier.clear();
}

void ClockReport::block_finished(std::uint16_t block_slot, Cycle cycle) {
  KernelTotals& kernel = kernels_[block_slots_[block_slot].kernel_row];
  kernel.end_cycle = std::max(kernel.end_cycle, cycle);
}

void ClockReport::warp_started(std::uint16_t warp_slot, std::uint16_t block_slot,
                               std::uint32_t warp, Cycle cycle) {
  WarpSlot& slot = slot_at(warp_slots_, warp_slot);
  slot.block_slot = block_slot;
  slot.warp = block_slots_[block_slot].identity;
  slot.warp.warp = warp;
  slot.warp.start_cycle = cycle;
}

void ClockReport::warp_finished(std::uint16_t warp_slot, Cycle cycle) {
  WarpSlot& slot = warp_slots_[warp_slot];
  slot.warp.finish_cycle = cycle;
  KernelTotals& kernel = kernels_[block_slots_[slot.block_slot].kernel_row];
  kernel.end_cycle = std::max(kernel.end_cycle, cycle);
  if (keep_warps_) warps_.push_back(slot.warp);
}

void ClockReport::barrier_arrived(std::uint16_t warp_slot, const clock::Instruction& barrier,
                                  Cycle cycle) {
  block_slots_[warp_slots_[warp_slot].block_slot].at_barrier.emplace_back(barrier.site, cycle);
}

void ClockReport::barrier_opened(std::uint16_t block_slot, Cycle cycle) {
  BlockSlot& slot = block_slots_[block_slot];
  for (const auto& [index, arrival] : slot.at_barrier) {
    SiteTotals& totals = site(index);
    ++totals.accesses;
    totals.stalls[static_cast<std::size_t>(StallReason::barrier)] += between(arrival, cycle);
  }
  slot.at_barrier.clear();
}

void ClockReport::access_finished(const clock::InFlight& access) {
  const clock::Instruction& instruction = *access.instruction;
  SiteTotals& totals = site(instruction.site);
  ++totals.accesses;
  totals.wavefronts += instruction.wavefronts;
  totals.latency_cycles += access.stamps.finish_cycle - access.stamps.issue_cycle;
  const auto stalls = stall_cycles(access, timing_);
  for (std::size_t reason = 0; reason < stalls.size(); ++reason) {
    totals.stalls[reason] += stalls[reason];
  }
  KernelTotals& kernel =
      kernels_[block_slots_[warp_slots_[access.warp_slot].block_slot].kernel_row];
  ++kernel.accesses;
  kernel.wavefronts += instruction.wavefronts;
  if (instruction.returns_value) kernel.return_cycles += instruction.transfer_cycles;
  if (!keep_stamps_) return;
  RecordStamps& stamps = slot_at(stamps_, instruction.record);
  if (stamps.finish_cycle == 0) stamps.issue_cycle = access.stamps.issue_cycle;
  stamps.queue_cycle = access.stamps.queue_cycle;
  stamps.service_cycle = access.stamps.service_cycle;
  stamps.first_wavefront_cycle = access.stamps.first_wavefront_cycle;
  stamps.last_wavefront_cycle = access.stamps.last_wavefront_cycle;
  stamps.finish_cycle = access.stamps.finish_cycle;
}

ResultTable ClockReport::kernel_table(const TraceInfo& info) const {
  ResultTable table(
      "cycles", {"kernel", "blocks", "resident_blocks", "accesses", "wavefronts", "total_cycles",
                 "data_stage_busy_percent", "return_path_busy_percent"});
  for (const KernelTotals& kernel : kernels_) {
    const std::uint64_t cycles = between(kernel.start_cycle, kernel.end_cycle);
    table.add_row({kernel_name(info, kernel.kernel), kernel.blocks,
                   std::uint64_t{kernel.resident_blocks}, kernel.accesses, kernel.wavefronts,
                   cycles, percent(kernel.wavefronts, cycles * timing_.wavefronts_per_cycle),
                   percent(kernel.return_cycles, cycles)});
  }
  return table;
}

ResultTable ClockReport::stall_table(const TraceInfo& info, const std::vector<Site>& sites) const {
  std::vector<std::string> columns = {
      "kernel", "pc", "op", "bytes", "executions", "wavefronts", "latency_cycles"};
  columns.insert(columns.end(), kStallReasonNames.begin(), kStallReasonNames.end());
  ResultTable table("stalls", columns);
  for (std::size_t index = 0; index < sites_.size() && index < sites.size(); ++index) {
    const Site& place = sites[index];
    const SiteTotals& totals = sites_[index];
    if (totals.accesses == 0) continue;
    std::vector<Cell> cells = {kernel_name(info, place.kernel),
                               hexadecimal(place.pc),
                               std::string(operation_name(place.operation, place.bytes_per_lane)),
                               std::uint64_t{place.bytes_per_lane},
                               totals.accesses,
                               totals.wavefronts,
                               totals.latency_cycles};
    cells.insert(cells.end(), totals.stalls.begin(), totals.stalls.end());
    table.add_row(std::move(cells));
  }
  return table;
}

ResultTable ClockReport::warp_table(const TraceInfo& info, Cycle start_cycle) const {
  ResultTable table("warps", {"kernel", "block", "warp", "start_cycle", "finish_cycle"});
  for (const WarpRow& warp : warps_) {
    table.add_row({kernel_name(info, warp.kernel), std::uint64_t{warp.block},
                   std::uint64_t{warp.warp}, warp.start_cycle - start_cycle,
                   warp.finish_cycle - start_cycle});
  }
  return table;
}

}  // namespace smem
