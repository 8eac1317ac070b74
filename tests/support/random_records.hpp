// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <smem/gpu_spec.hpp>
#include <traces/trace_record.hpp>

namespace smem::test {

/// A GPU that performs every operation at every width in a window of 1 MiB.
inline GpuSpec permissive_spec() {
  GpuSpec spec;
  spec.shared_window_bytes = 1u << 20;
  for (AccessRule& rule : spec.rules) rule.supported = true;
  return spec;
}

/// Random records of every operation and width, with masks, offsets, places, counts and values that
/// are sometimes small, sometimes extreme. Equal seeds give equal records.
class RandomRecords {
 public:
  explicit RandomRecords(std::uint32_t seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random_);
  }

  /// A number of any magnitude: its number of bits is uniform.
  std::uint64_t number(unsigned most_bits) {
    const unsigned bits = below(most_bits + 1);
    return bits == 0 ? 0 : std::uniform_int_distribution<std::uint64_t>()(random_) >> (64 - bits);
  }

  TraceRecord record(std::uint32_t kernels, std::uint32_t window_bytes) {
    TraceRecord record;
    WarpAccess& access = record.access;
    access.operation = static_cast<Operation>(below(kOperationCount));
    const RuleKind kind = traits(access.operation).rule_kind;
    const bool matrix = kind == RuleKind::ldmatrix || kind == RuleKind::stmatrix;
    access.bytes_per_lane = static_cast<std::uint8_t>(matrix ? 16 : 1u << below(5));
    const std::uint32_t masks[] = {kFullMask, static_cast<std::uint32_t>(number(32)),
                                   1u << below(32), 0};
    access.active_mask = masks[below(4)];
    if (access.operation == Operation::barrier) {
      access.bytes_per_lane = 0;
    } else {
      place_lanes(access, window_bytes);
    }
    record.kernel = below(kernels);
    record.block = static_cast<std::uint32_t>(number(32));
    record.warp = below(32);
    record.pc = number(64);
    record.count = below(4) == 0 ? std::max<std::uint64_t>(number(64), 1) : 1;
    record.issue_gap_instructions = static_cast<std::uint32_t>(number(32));
    record.depends_on = static_cast<std::uint32_t>(number(32));
    record.dependent_instructions = static_cast<std::uint32_t>(number(32));
    if (below(3) == 0 && access.operation != Operation::barrier) {
      auto stored = std::make_shared<StoredBytes>();
      for (auto& lane : *stored) {
        for (std::size_t byte = 0; byte < access.bytes_per_lane; ++byte) {
          lane[byte] = static_cast<std::uint8_t>(below(256));
        }
      }
      record.stored = std::move(stored);
    }
    return record;
  }

 private:
  void place_lanes(WarpAccess& access, std::uint32_t window_bytes) {
    const std::uint32_t slots = window_bytes / access.bytes_per_lane;
    const bool regular = below(2) == 0;
    const std::uint32_t stride = below(64);
    const std::uint32_t first = below(slots / 2);
    for_each_lane(addressing_lanes(access), [&](unsigned lane) {
      const std::uint32_t slot = regular ? first + lane * stride : below(slots);
      access.offsets_bytes[lane] = slot % slots * access.bytes_per_lane;
    });
  }

  std::mt19937 random_;
};

/// Equality that looks at stored values instead of where they lie.
inline bool same_record(const TraceRecord& left, const TraceRecord& right) {
  TraceRecord left_place = left;
  TraceRecord right_place = right;
  left_place.stored = right_place.stored = nullptr;
  if ((left.stored == nullptr) != (right.stored == nullptr)) return false;
  return left_place == right_place && (left.stored == nullptr || *left.stored == *right.stored);
}

}  // namespace smem::test
