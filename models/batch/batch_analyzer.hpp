// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <batch/block_kernel.hpp>
#include <batch/instruction_set.hpp>

#include <smem/analyzer.hpp>
#include <smem/gpu_spec.hpp>

namespace smem {

/// `count` accesses that lie `stride_bytes` apart: an array of them, or a member of an array of
/// larger records (`{&records[0].access, records.size(), sizeof records[0]}`).
struct AccessArray {
  const WarpAccess* first = nullptr;
  std::size_t count = 0;
  std::size_t stride_bytes = sizeof(WarpAccess);
};

/// `smem::analyze` for many accesses at once: the same costs, with the vectors of the processor.
/// Accesses of one (operation, width) are counted 16 or 32 at a time wherever they stand in a
/// batch.
class BatchAnalyzer {
 public:
  /// Prepares every rule of `spec`. Throws Error when `set` is not available.
  explicit BatchAnalyzer(const GpuSpec& spec, InstructionSet set = choose_instruction_set());

  /// costs[i] = analyze(spec, access i). Preconditions as for `analyze`; `costs` holds
  /// `accesses.count` elements. Allocates nothing, throws nothing.
  void analyze(AccessArray accesses, std::span<AccessCost> costs) const;
  void analyze(std::span<const WarpAccess> accesses, std::span<AccessCost> costs) const {
    analyze(AccessArray{accesses.data(), accesses.size()}, costs);
  }

  [[nodiscard]] InstructionSet instruction_set() const { return set_; }

 private:
  static constexpr std::size_t kMaxPlans = kOperationCount * RuleKey::kWidths;

  /// Places of accesses that wait until a block of their plan is full.
  struct Waiting {
    std::array<std::uint8_t, kMaxPlans> counts{};
    std::array<std::array<std::uint32_t, batch::BlockKernel::kMaxAccesses>, kMaxPlans> indexes;
  };
  static constexpr std::uint8_t kNoPlan = 0xff;

  [[nodiscard]] std::uint8_t plan_of(const WarpAccess& access) const;
  void analyze_part(const AccessArray& accesses, AccessCost* costs) const;
  /// Counts the block that starts at `first` if its accesses are of one (operation, width).
  [[nodiscard]] bool count_run(const AccessArray& accesses, AccessCost* costs,
                               std::size_t first) const;
  void flush(unsigned plan, const AccessArray& accesses, AccessCost* costs, Waiting& waiting) const;

  GpuSpec spec_;
  InstructionSet set_;
  batch::BlockKernel kernel_;
  std::vector<batch::CountPlan> plans_;
  std::array<std::array<std::uint8_t, RuleKey::kWidths>, kOperationCount> plan_of_;
};

}  // namespace smem
