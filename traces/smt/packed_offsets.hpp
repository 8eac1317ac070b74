// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include <traces/smt/access_pattern.hpp>

namespace smem {

/// How the offsets of a pattern are packed: lane by lane, (offset - lowest offset) >> shift in
/// `width_bits` bits. The first used lane is left out, its value is `bias`:
///
///   offsets    1032 1024 1040 1056      base 1032, lowest 1024, bias 8
///   distances     8    0   16   32      common low zero bits: 3
///   packed             0    2    4      3 bits each, lowest bits first, padded to a byte
struct PackedLayout {
  std::uint32_t bias = 0;  ///< base - lowest offset
  unsigned shift = 0;
  unsigned width_bits = 0;
};

/// The layout for a pattern that appears at `base_bytes` (which decides where modulo 2^32 wraps).
[[nodiscard]] inline PackedLayout packed_layout(const AccessPattern& pattern,
                                                std::uint32_t base_bytes) {
  const std::uint32_t used = addressing_lanes(pattern.operation, pattern.active_mask);
  if (used == 0) return {};
  std::uint32_t lowest_bytes = base_bytes;
  for_each_lane(used, [&](unsigned lane) {
    lowest_bytes = std::min(lowest_bytes, base_bytes + pattern.relative_bytes[lane]);
  });
  PackedLayout layout{base_bytes - lowest_bytes, 0, 0};
  std::uint32_t seen_bits = 0;
  for_each_lane(used & (used - 1),
                [&](unsigned lane) { seen_bits |= pattern.relative_bytes[lane] + layout.bias; });
  if (seen_bits == 0) return layout;
  layout.shift = static_cast<unsigned>(std::countr_zero(seen_bits));
  layout.width_bits = static_cast<unsigned>(std::bit_width(seen_bits)) - layout.shift;
  return layout;
}

/// Appends the packed lanes of a pattern.
inline void pack_offsets(const AccessPattern& pattern, const PackedLayout& layout,
                         std::string& out) {
  const std::uint32_t used = addressing_lanes(pattern.operation, pattern.active_mask);
  std::uint64_t bits = 0;
  unsigned bit_count = 0;
  for_each_lane(used & (used - 1), [&](unsigned lane) {
    const std::uint64_t value = (pattern.relative_bytes[lane] + layout.bias) >> layout.shift;
    bits |= value << bit_count;
    bit_count += layout.width_bits;
    for (; bit_count >= 8; bit_count -= 8, bits >>= 8)
      out.push_back(static_cast<char>(bits & 0xff));
  });
  if (bit_count != 0) out.push_back(static_cast<char>(bits & 0xff));
}

/// Takes packed patterns off a run of bytes, one after the other.
class PackedOffsets {
 public:
  explicit PackedOffsets(std::span<const char> bytes) : bytes_(bytes) {}

  /// Fills `relative_bytes` of a pattern whose other fields are set. False when there are too few
  /// bytes. The caller has checked that shift + width_bits <= 32.
  bool next(AccessPattern& pattern, const PackedLayout& layout) {
    const std::uint32_t used = addressing_lanes(pattern.operation, pattern.active_mask);
    const std::uint32_t packed = used & (used - 1);
    const std::size_t size =
        (static_cast<std::size_t>(std::popcount(packed)) * layout.width_bits + 7) / 8;
    if (size > bytes_.size()) return false;
    const std::uint64_t value_mask = (std::uint64_t{1} << layout.width_bits) - 1;
    std::uint64_t bits = 0;
    unsigned bit_count = 0;
    std::size_t at = 0;
    for_each_lane(packed, [&](unsigned lane) {
      for (; bit_count < layout.width_bits; bit_count += 8) {
        bits |= std::uint64_t{static_cast<std::uint8_t>(bytes_[at++])} << bit_count;
      }
      const auto distance = static_cast<std::uint32_t>((bits & value_mask) << layout.shift);
      bits >>= layout.width_bits;
      bit_count -= layout.width_bits;
      pattern.relative_bytes[lane] = distance - layout.bias;
    });
    bytes_ = bytes_.subspan(size);
    return true;
  }

  [[nodiscard]] bool at_end() const { return bytes_.empty(); }

 private:
  std::span<const char> bytes_;
};

}  // namespace smem
