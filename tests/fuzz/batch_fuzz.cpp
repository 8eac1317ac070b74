// SPDX-License-Identifier: Apache-2.0
// Differential target: the input describes a GPU and accesses; every instruction set must count
// them as `analyze` does. Run: build-fuzz/tests/batch_fuzz -max_len=8192 -max_total_time=120
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <batch/batch_analyzer.hpp>

#include <smem/gpus.hpp>

namespace smem {
namespace {

/// Numbers out of the input; zeros when it has ended.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  bool ended() const { return at_ == size_; }
  std::uint32_t byte() { return ended() ? 0 : data_[at_++]; }
  std::uint32_t below(std::uint32_t bound) { return byte() % bound; }
  std::uint32_t word() {
    std::uint32_t value = 0;
    for (unsigned index = 0; index < 4; ++index) value = value << 8 | byte();
    return value;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

void read_bank_map(Input& input, BankMap& map) {
  map.bank_count_log2 = static_cast<std::uint8_t>(input.below(BankMap::kMaxBankCountLog2 + 1));
  map.word_bytes_log2 = static_cast<std::uint8_t>(input.below(5));
  const BankMap linear = map;
  if (input.below(2) == 0) return;
  for (unsigned bit = 0; bit < map.bank_count_log2; ++bit) {
    map.bank_bit_masks[bit] ^= input.word() & ~(1u << bit);
  }
  if (!map.is_bijective_in_row()) map = linear;
}

void read_rule(Input& input, AccessRule& rule) {
  rule.supported = true;
  rule.grouping = static_cast<Grouping>(input.below(3));
  rule.group_count = static_cast<std::uint8_t>(1 + input.below(32));
  for (unsigned group = 0; group < rule.group_count; ++group) {
    const unsigned lanes = kLanesPerWarp / rule.group_count;
    rule.group_masks[group] = ((lanes == 32 ? 0u : 1u << lanes) - 1u) << (group * lanes);
  }
  if (input.below(4) == 0) {
    for (unsigned group = 0; group < rule.group_count; ++group) {
      rule.group_masks[group] = input.word();
    }
  }
  const std::uint32_t distances = input.byte();
  rule.merge.partner_distances = 1u << distances / 8 | 1u << distances % 8;
  if (distances % 3 == 0) rule.merge.partner_distances = distances == 0 ? input.word() : 0;
  rule.merge.scope = input.below(2) == 0 ? MergeScope::warp : MergeScope::group;
  rule.merge.groups_per_merge = static_cast<std::uint8_t>(1 + input.below(8));
  rule.equal_words = input.below(2) == 0 ? EqualWords::share : EqualWords::serialize;
  rule.wavefront_factor = static_cast<std::uint8_t>(1 + input.below(3));
  rule.merged_transfer_cycles = static_cast<std::uint8_t>(input.below(8));
}

WarpAccess read_access(Input& input, Operation operation, std::uint8_t bytes) {
  WarpAccess access{operation, bytes, kFullMask, {}};
  const std::uint32_t kind = input.byte();
  if (kind % 2 != 0) access.active_mask = input.word();
  const std::uint32_t start = input.word() >> (kind / 16 * 2);
  const std::uint32_t stride = input.byte();
  for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
    const std::uint32_t step = kind / 2 % 2 == 0 ? lane * stride : input.byte() * (stride + 1);
    access.offsets_bytes[lane] = (start + step) / bytes * bytes;
  }
  if (kind / 4 % 2 != 0) {
    const unsigned distance = 1u << kind / 8 % 2;
    for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
      access.offsets_bytes[lane] = access.offsets_bytes[lane & ~distance];
    }
  }
  return access;
}

std::vector<WarpAccess> read_accesses(Input& input, const GpuSpec& spec) {
  std::vector<WarpAccess> accesses;
  Operation operation = Operation::load;
  std::uint8_t bytes = 4;
  while (!input.ended() && accesses.size() < 200) {
    if (input.below(8) == 0) {
      const auto other = static_cast<Operation>(input.below(kOperationCount));
      const auto width = static_cast<std::uint8_t>(1u << input.below(RuleKey::kWidths));
      if (other == Operation::barrier || spec.supports(other, width)) {
        operation = other;
        bytes = width;
      }
    }
    accesses.push_back(read_access(input, operation, bytes));
  }
  return accesses;
}

}  // namespace
}  // namespace smem

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace smem;
  Input input(data, size);
  GpuSpec spec = kH200;
  if (input.below(4) != 0) {
    read_bank_map(input, spec.bank_map);
    AccessRule rule;
    read_rule(input, rule);
    for (AccessRule& other : spec.rules) other = rule;
  }
  const std::vector<WarpAccess> accesses = read_accesses(input, spec);
  std::vector<AccessCost> costs(accesses.size());
  for (const InstructionSet set : kInstructionSets) {
    if (!is_available(set)) continue;
    BatchAnalyzer(spec, set).analyze(accesses, costs);
    for (std::size_t index = 0; index < accesses.size(); ++index) {
      if (costs[index] == analyze(spec, accesses[index])) continue;
      std::fprintf(stderr, "%s: access %zu differs\n", name_of(set).data(), index);
      std::abort();
    }
  }
  return 0;
}
