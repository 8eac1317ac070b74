// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include <smem/analyzer.hpp>
#include <traces/smt/smt_reader.hpp>

namespace smem {

/// The bytes after which a bank map repeats: the cost of a pattern depends on its base modulo that
/// alone, because the words of two bases that far apart lie on the same banks, shifted or not:
///
///   bank bit i = parity(word & mask i); adding a multiple of 2^k to the word changes no bit below
///   k
///
/// so with every mask below 2^k, the period is 2^k words. 128 for the plain map of 32 banks of 4.
constexpr std::uint32_t bank_period_bytes(const BankMap& map) {
  std::uint32_t mask_bits = map.bank_count() - 1;
  for (unsigned bit = 0; bit < map.bank_bits; ++bit) mask_bits |= map.bank_bit_masks[bit];
  const unsigned log2_bytes =
      static_cast<unsigned>(std::bit_width(mask_bits)) + map.word_bytes_log2;
  return log2_bytes >= 32 ? 0 : 1u << log2_bytes;  // 0 = 2^32: never, within 32-bit offsets
}

/// The costs of an .smt file's references: each pattern is analyzed once per alignment class (its
/// base modulo `bank_period_bytes`), as long as it stays in a table of constant size.
class PatternCosts {
 public:
  explicit PatternCosts(const GpuSpec& spec)
      : spec_(spec), class_mask_(bank_period_bytes(spec.bank_map) - 1), slots_(kSlots) {}

  /// The cost of a reference that `reader` returned in its latest batch.
  AccessCost cost(const SmtReader& reader, const SmtReference& reference) {
    return cost(reader.patterns(), reader.pattern_generation(), reference);
  }

  AccessCost cost(const std::vector<AccessPattern>& patterns, std::uint64_t generation,
                  const SmtReference& reference) {
    if (generation != generation_) {
      std::fill(slots_.begin(), slots_.end(), Slot{});
      generation_ = generation;
    }
    const std::uint32_t alignment_class = reference.base_bytes & class_mask_;
    const std::uint64_t key =
        (std::uint64_t{reference.pattern} + 1) << 32 | alignment_class;  // 0 marks a free slot
    Slot& slot = slots_[(key * 0x9e3779b97f4a7c15u) >> (64 - kSlotBits)];
    if (slot.key != key) {
      slot = {key, analyze(spec_, patterns[reference.pattern].at(reference.base_bytes))};
      ++analyzed_;
    }
    return slot.cost;
  }

  /// How often the model was asked.
  std::uint64_t analyzed() const { return analyzed_; }

 private:
  static constexpr unsigned kSlotBits = 15;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
  struct Slot {
    std::uint64_t key = 0;
    AccessCost cost;
  };

  GpuSpec spec_;
  std::uint32_t class_mask_;
  std::uint64_t generation_ = 0;
  std::uint64_t analyzed_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace smem
