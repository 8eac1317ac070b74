// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <string>

#include <batch/batch_analyzer.hpp>

#include <smem/error.hpp>

namespace smem {

namespace {

/// Places in a batch are 32-bit numbers; longer ones are taken in parts.
constexpr std::size_t kMaxPart = std::size_t{1} << 30;

const WarpAccess& access_at(const AccessArray& accesses, std::size_t index) {
  const std::byte* const bytes = reinterpret_cast<const std::byte*>(accesses.first);
  return *reinterpret_cast<const WarpAccess*>(bytes + index * accesses.stride_bytes);
}

batch::Block block_of(const AccessArray& accesses, AccessCost* costs, const std::uint32_t* indexes,
                      unsigned count) {
  return {reinterpret_cast<const std::byte*>(accesses.first), accesses.stride_bytes, indexes, costs,
          count};
}

}  // namespace

BatchAnalyzer::BatchAnalyzer(const GpuSpec& spec, InstructionSet set)
    : spec_(spec), set_(set), kernel_(batch::block_kernel(set)) {
  if (!is_available(set)) {
    throw Error("instruction set: expected one this processor has, found " +
                std::string(name_of(set)));
  }
  for (const OperationTraits& row : kOperationTraits) {
    for (unsigned width = 0; width < RuleKey::kWidths; ++width) {
      std::uint8_t& place = plan_of_[static_cast<std::size_t>(row.operation)][width];
      place = kNoPlan;
      const std::uint8_t bytes = static_cast<std::uint8_t>(1u << width);
      if (kernel_.accesses == 0 || !spec.supports(row.operation, bytes)) continue;
      const batch::CountPlan plan = batch::make_count_plan(spec, row.operation, bytes);
      if (!plan.vectorizable) continue;
      place = static_cast<std::uint8_t>(plans_.size());
      plans_.push_back(plan);
    }
  }
}

void BatchAnalyzer::analyze(AccessArray accesses, std::span<AccessCost> costs) const {
  for (std::size_t first = 0; first < accesses.count; first += kMaxPart) {
    const std::size_t count = std::min(kMaxPart, accesses.count - first);
    analyze_part({&access_at(accesses, first), count, accesses.stride_bytes}, costs.data() + first);
  }
}

std::uint8_t BatchAnalyzer::plan_of(const WarpAccess& access) const {
  const unsigned width = static_cast<unsigned>(std::countr_zero(access.bytes_per_lane));
  return width < RuleKey::kWidths ? plan_of_[static_cast<std::size_t>(access.operation)][width]
                                  : kNoPlan;
}

void BatchAnalyzer::analyze_part(const AccessArray& accesses, AccessCost* costs) const {
  Waiting waiting;
  const std::size_t step = kernel_.accesses != 0 ? kernel_.accesses : 1;
  for (std::size_t first = 0; first < accesses.count; first += step) {
    const std::size_t end = std::min(first + step, accesses.count);
    if (end - first == step && count_run(accesses, costs, first)) continue;
    for (std::size_t index = first; index < end; ++index) {
      const std::uint8_t plan = plan_of(access_at(accesses, index));
      if (plan == kNoPlan) {
        costs[index] = smem::analyze(spec_, access_at(accesses, index));
        continue;
      }
      waiting.indexes[plan][waiting.counts[plan]++] = static_cast<std::uint32_t>(index);
      if (waiting.counts[plan] == kernel_.accesses) flush(plan, accesses, costs, waiting);
    }
  }
  for (unsigned plan = 0; plan < plans_.size(); ++plan) {
    if (waiting.counts[plan] != 0) flush(plan, accesses, costs, waiting);
  }
}

bool BatchAnalyzer::count_run(const AccessArray& accesses, AccessCost* costs,
                              std::size_t first) const {
  const std::uint8_t place = plan_of(access_at(accesses, first));
  if (place == kNoPlan || place != plan_of(access_at(accesses, first + kernel_.accesses - 1))) {
    return false;
  }
  std::array<std::uint32_t, batch::BlockKernel::kMaxAccesses> indexes;
  std::uint32_t next = static_cast<std::uint32_t>(first);
  for (std::uint32_t& index : indexes) index = next++;
  return kernel_.count_block(plans_[place],
                             block_of(accesses, costs, indexes.data(), kernel_.accesses)) ==
         batch::BlockResult::counted;
}

void BatchAnalyzer::flush(unsigned plan, const AccessArray& accesses, AccessCost* costs,
                          Waiting& waiting) const {
  std::uint32_t* const indexes = waiting.indexes[plan].data();
  const unsigned count = waiting.counts[plan];
  waiting.counts[plan] = 0;
  const unsigned half = kernel_.accesses / 2;
  const unsigned padded = count <= half ? half : kernel_.accesses;
  for (unsigned place = count; place < padded; ++place) indexes[place] = indexes[0];
  if (kernel_.count_block(plans_[plan], block_of(accesses, costs, indexes, padded)) ==
      batch::BlockResult::counted) {
    return;
  }
  for (unsigned place = 0; place < count; ++place) {
    costs[indexes[place]] = smem::analyze(spec_, access_at(accesses, indexes[place]));
  }
}

}  // namespace smem
