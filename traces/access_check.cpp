// SPDX-License-Identifier: Apache-2.0
#include <traces/access_check.hpp>

namespace smem {

std::optional<std::string> access_error(const GpuSpec& spec, const WarpAccess& access) {
  if (access.operation == Operation::barrier) return std::nullopt;
  if (!spec.supports(access.operation, access.bytes_per_lane)) {
    std::string name(operation_name(access.operation, access.bytes_per_lane));
    if (name.empty())
      name = kRuleKindNames[static_cast<std::size_t>(traits(access.operation).rule_kind)];
    return "expected an operation and width that " + std::string(spec.name_view()) +
           " has an access rule for, found " + name + " of " +
           std::to_string(access.bytes_per_lane) + " bytes";
  }
  const std::uint32_t misaligned_bits = access.bytes_per_lane - 1u;
  for (std::uint32_t left = addressing_lanes(access); left != 0; left &= left - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint32_t offset_bytes = access.offsets_bytes[lane];
    const std::string found = ", found " + std::to_string(offset_bytes) + " in lane ";
    if ((offset_bytes & misaligned_bits) != 0) {
      return "expected addresses that are multiples of " + std::to_string(access.bytes_per_lane) +
             found + std::to_string(lane);
    }
    if (offset_bytes > spec.shared_window_bytes - access.bytes_per_lane) {
      return "expected addresses below the " + std::to_string(spec.shared_window_bytes) +
             " bytes of shared memory of " + std::string(spec.name_view()) + found +
             std::to_string(lane);
    }
  }
  return std::nullopt;
}

}  // namespace smem
