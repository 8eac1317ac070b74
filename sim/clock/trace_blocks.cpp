// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <clock/make_instruction.hpp>

#include <sim/clock/trace_blocks.hpp>
#include <smem/occupancy.hpp>

namespace smem {

TraceBlocks::TraceBlocks(TraceReader& trace, const GpuSpec& spec, Listener listener,
                         bool keep_records)
    : spec_(spec),
      listener_(std::move(listener)),
      keep_records_(keep_records),
      analyzer_(spec),
      batches_(trace, analyzer_) {}

const clock::Block* TraceBlocks::next() {
  if (next_block_ == kernel_.blocks.size() && !read_kernel()) return nullptr;
  return &kernel_.blocks[next_block_++];
}

bool TraceBlocks::refill() {
  if (next_record_ < batches_.records().size()) return true;
  next_record_ = 0;
  return batches_.next();
}

bool TraceBlocks::read_kernel() {
  if (!refill()) return false;
  running_ = std::exchange(kernel_, {});
  next_block_ = 0;
  underway_.clear();
  index_of_block_.clear();
  const std::uint32_t kernel = batches_.records()[next_record_].kernel;
  for (; refill() && batches_.records()[next_record_].kernel == kernel; ++next_record_) {
    add(batches_.records()[next_record_], batches_.costs()[next_record_]);
  }
  for (BlockUnderway& block_underway : underway_) {
    std::sort(block_underway.warps.begin(), block_underway.warps.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    clock::Block block;
    block.kernel = kernel;
    block.block = block_underway.block;
    block.resident_blocks = resident_blocks_of(kernel, block_underway.warps.size());
    for (auto& [warp, instructions] : block_underway.warps) {
      block.warps.push_back({warp, std::make_shared<const std::vector<clock::Instruction>>(
                                       std::move(instructions.instructions))});
    }
    kernel_.blocks.push_back(std::move(block));
  }
  underway_.clear();
  return true;
}

std::uint32_t TraceBlocks::resident_blocks_of(std::uint32_t kernel, std::size_t warps) const {
  BlockResources block;
  block.threads = static_cast<std::uint32_t>(warps) * kLanesPerWarp;
  if (kernel < batches_.info().kernels.size()) {
    const KernelInfo& info = batches_.info().kernels[kernel];
    const std::uint32_t threads = info.block[0] * info.block[1] * info.block[2];
    if (threads != 0) block.threads = threads;
    block.shared_memory_bytes = info.shared_bytes;
    block.registers_per_thread = info.registers_per_thread;
  }
  const std::uint64_t resident = resident_blocks(spec_.occupancy, block).blocks();
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(resident, 1));
}

void TraceBlocks::fail(const std::string& message) const {
  throw TraceError(batches_.place(next_record_) + ": " + message, batches_.number(next_record_));
}

/// A number of the trace as the clock keeps it.
std::uint32_t TraceBlocks::counted(std::uint64_t number, const char* what) const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (number > kMost) {
    fail("expected at most " + std::to_string(kMost) + ' ' + what + " for the clock, found " +
         std::to_string(number));
  }
  return static_cast<std::uint32_t>(number);
}

TraceBlocks::WarpUnderway& TraceBlocks::warp_of(const TraceRecord& record) {
  const auto [block, new_block] = index_of_block_.try_emplace(record.block, underway_.size());
  if (new_block) underway_.push_back({record.block, {}, {}});
  BlockUnderway& block_underway = underway_[block->second];
  const auto [warp, new_warp] =
      block_underway.index_of_warp.try_emplace(record.warp, block_underway.warps.size());
  if (new_warp) {
    // Numbers up to the SM's: NVBit's are those of its warp slots.
    const auto warps_of = [](std::uint32_t threads) {
      return rounded_up(threads, kLanesPerWarp) / kLanesPerWarp;
    };
    const std::uint64_t sm_warps = warps_of(spec_.occupancy.threads_per_sm);
    if (record.warp >= sm_warps) {
      fail("expected a warp below the " + std::to_string(sm_warps) + " that an SM of " +
           std::string(spec_.name_view()) + " holds, found " + std::to_string(record.warp));
    }
    const std::uint64_t block_warps = warps_of(spec_.occupancy.threads_per_block);
    if (block_underway.warps.size() == block_warps) {
      fail("expected at most " + std::to_string(block_warps) + " warps in a block of " +
           std::string(spec_.name_view()) + ", found " + std::to_string(block_warps + 1));
    }
    block_underway.warps.push_back({record.warp, {}});
  }
  return block_underway.warps[warp->second].second;
}

void TraceBlocks::add(const TraceRecord& record, const AccessCost& cost) {
  if (listener_) listener_(record, cost);
  add_to_warp(warp_of(record), record, cost);
}

void TraceBlocks::add_to_warp(WarpUnderway& warp, const TraceRecord& record,
                              const AccessCost& cost) {
  const std::uint32_t values = warp.values_through.empty() ? 0 : warp.values_through.back();
  clock::Instruction instruction = clock::make_instruction(record.access, cost);
  if (record.depends_on != 0) {
    if (record.depends_on > warp.values_through.size()) {
      fail("expected a dependence on one of " + std::to_string(warp.values_through.size()) +
           " earlier records of its warp, found " + std::to_string(record.depends_on) + " back");
    }
    instruction.needs_values = warp.values_through[warp.values_through.size() - record.depends_on];
    instruction.dependent_instructions = record.dependent_instructions;
  }
  const bool idle = instruction.kind == clock::InstructionKind::access && cost.wavefronts == 0;
  const std::uint32_t repeats = counted(record.count, "repetitions");
  const std::uint64_t returned = instruction.returns_value && !idle ? repeats : 0;
  warp.values_through.push_back(counted(values + returned, "loads of a warp"));
  if (idle) {
    warp.instructions_skipped += std::uint64_t{record.issue_gap_instructions} + 1;
    return;
  }
  instruction.independent_instructions =
      counted(record.issue_gap_instructions + std::exchange(warp.instructions_skipped, 0),
              "instructions before an access");
  instruction.repeats = repeats;
  instruction.site = site_of(record);
  instruction.record = batches_.number(next_record_);
  if (keep_records_) {
    kernel_.records.push_back(record);
    instruction.access = &kernel_.records.back().access;
    instruction.stored = kernel_.records.back().stored.get();
  }
  warp.instructions.push_back(instruction);
}

std::uint32_t TraceBlocks::site_of(const TraceRecord& record) {
  const Site site{record.kernel, record.pc, record.access.operation, record.access.bytes_per_lane};
  const std::uint64_t hash = (site.pc * 0x9e3779b97f4a7c15u) ^ (std::uint64_t{site.kernel} << 20) ^
                             (std::uint64_t{static_cast<std::uint8_t>(site.operation)} << 8) ^
                             site.bytes_per_lane;
  std::vector<std::uint32_t>& candidates = sites_by_hash_[hash];
  for (const std::uint32_t index : candidates) {
    if (sites_[index] == site) return index;
  }
  sites_.push_back(site);
  candidates.push_back(static_cast<std::uint32_t>(sites_.size() - 1));
  return candidates.back();
}

}  // namespace smem
