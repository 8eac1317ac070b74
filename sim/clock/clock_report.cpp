// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <clock/timing.hpp>

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
    totals.stalls[static_cast<std::size_t>(clock::StallReason::barrier)] += between(arrival, cycle);
  }
  slot.at_barrier.clear();
}

void ClockReport::access_finished(const clock::InFlight& access) {
  const clock::Instruction& instruction = *access.instruction;
  SiteTotals& totals = site(instruction.site);
  ++totals.accesses;
  totals.wavefronts += instruction.wavefronts;
  totals.latency_cycles += access.stamps.finish_cycle - access.stamps.issue_cycle;
  const auto stalls = clock::stall_cycles(access, timing_);
  for (std::size_t reason = 0; reason < stalls.size(); ++reason) {
    totals.stalls[reason] += stalls[reason];
  }
  KernelTotals& kernel =
      kernels_[block_slots_[warp_slots_[access.warp_slot].block_slot].kernel_row];
  ++kernel.accesses;
  kernel.wavefronts += instruction.wavefronts;
  if (instruction.returns_value) kernel.return_cycles += instruction.transfer_cycles;
  if (!keep_stamps_) return;
  slot_at(stamps_, instruction.record).merge(access.stamps);
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
  columns.insert(columns.end(), clock::kStallReasonNames.begin(), clock::kStallReasonNames.end());
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
