// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <new>

#include <clock/recurrence/recurrence.hpp>
#include <gtest/gtest.h>
#include <tests/support/random_access.hpp>

#include <smem/analyzer.hpp>
#include <smem/bank_collisions.hpp>
#include <smem/store_outcome.hpp>

namespace {
std::size_t allocations = 0;
}  // namespace

void* operator new(std::size_t size_bytes) {
  ++allocations;
  if (void* memory = std::malloc(size_bytes == 0 ? 1 : size_bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace smem::test {
namespace {

static_assert(noexcept(analyze(GpuSpec{}, WarpAccess{})));
static_assert(noexcept(group_wavefronts(GpuSpec{}, WarpAccess{})));
static_assert(noexcept(store_outcome(GpuSpec{}, WarpAccess{})));
static_assert(noexcept(bank_collisions(BankMap{}, AccessRule{}, WarpAccess{}, 0)));

TEST(AccessPath, TheCounterSeesAnAllocation) {
  const std::size_t before = allocations;
  std::vector<int>(100).back() = 1;
  EXPECT_EQ(allocations, before + 1);
}

// Property: no allocation. Generator: support/random_access.hpp, 300 random GPUs. Seed 11.
TEST(AccessPath, AllocatesNothingWhateverTheGpuAndTheAccess) {
  std::mt19937 random(11);
  const std::size_t before = allocations;
  std::size_t sum = 0;
  for (unsigned gpu = 0; gpu < 300; ++gpu) {
    const GpuSpec spec = random_gpu(random);
    for (const OperationTraits& of : kOperationTraits) {
      const auto bytes = static_cast<std::uint8_t>(1u << below(random, 5));
      const WarpAccess access = random_access(random, of.operation, bytes, 1u << 16);
      if (of.rule_kind == RuleKind::none) continue;
      sum += analyze(spec, access).wavefronts + group_wavefronts(spec, access).groups.count;
      sum += store_outcome(spec, access).surviving_lanes;
      sum += bank_collisions(spec.bank_map, spec.rule_of(access), access, access.active_mask).turns;
    }
  }
  EXPECT_EQ(allocations, before);
  EXPECT_GT(sum, 0u);
}

// Property: no allocation once the warp has started. Generator: as many loads and stores as fill
// the queue again and again, each needing a value of an earlier one. Seed 12.
TEST(AccessPath, TheRecurrenceAllocatesNothingPerAccess) {
  std::mt19937 random(12);
  clock::TimingSpec timing;
  for (const clock::TimingField& field : clock::kTimingFields)
    timing.*field.member = field.least + 1;
  constexpr std::uint32_t kValuesKept = 1000;
  clock::Recurrence recurrence(timing);
  recurrence.start_warp(0, 1, kValuesKept);
  const std::size_t before = allocations;
  std::uint64_t refused = 0;
  for (unsigned index = 0; index < 100000; ++index) {
    clock::Instruction instruction;
    instruction.wavefronts = static_cast<std::uint16_t>(1 + below(random, 32));
    instruction.returns_value = below(random, 2) == 0;
    instruction.operand_registers = instruction.returns_value ? 1 : 2;
    const std::uint64_t values = std::min<std::uint64_t>(recurrence.values(), kValuesKept);
    instruction.needs_values = below(random, static_cast<std::uint32_t>(values) + 1);
    const clock::AccessStamps access = recurrence.access(instruction);
    refused += access.ready_cycle < access.room_cycle ? 1 : 0;
    if (below(random, 50) == 0) recurrence.barrier({});
  }
  EXPECT_EQ(allocations, before);
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace smem::test
