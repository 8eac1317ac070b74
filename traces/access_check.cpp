// SPDX-License-Identifier: Apache-2.0
#include <traces/access_check.hpp>

namespace smem {
namespace {

std::string found_in(std::uint32_t offset_bytes, unsigned lane) {
  return ", found " + std::to_string(offset_bytes) + " in lane " + std::to_string(lane);
}

std::optional<std::string> past_limit(const GpuSpec& spec, std::uint64_t limit, const char* what,
                                      std::uint64_t found) {
  if (limit == 0 || found <= limit) return std::nullopt;  // 0: a description without limits
  return "expected at most the " + std::to_string(limit) + ' ' + what + " of " +
         std::string(spec.name_view()) + ", found " + std::to_string(found);
}

}  // namespace

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
    if ((offset_bytes & misaligned_bits) != 0) {
      return "expected addresses that are multiples of " + std::to_string(access.bytes_per_lane) +
             found_in(offset_bytes, lane);
    }
    if (offset_bytes > spec.shared_window_bytes - access.bytes_per_lane) {
      return "expected addresses below the " + std::to_string(spec.shared_window_bytes) +
             " bytes of shared memory of " + std::string(spec.name_view()) +
             found_in(offset_bytes, lane);
    }
  }
  return std::nullopt;
}

std::optional<std::string> kernel_error(const GpuSpec& spec, const KernelInfo& kernel) {
  const OccupancyLimits& limits = spec.occupancy;
  std::uint64_t threads = 1;
  for (const std::uint32_t extent : kernel.block) {
    if (auto error = past_limit(spec, limits.threads_per_block, "threads a block", extent)) {
      return error;
    }
    threads *= extent;
  }
  if (auto error = past_limit(spec, limits.threads_per_block, "threads a block", threads)) {
    return error;
  }
  if (auto error = past_limit(spec, limits.registers_per_thread, "registers a thread",
                              kernel.registers_per_thread)) {
    return error;
  }
  // Some tracers count what the system takes of every block.
  return past_limit(spec,
                    std::uint64_t{limits.shared_memory_per_block_bytes} +
                        limits.shared_memory_reserved_per_block_bytes,
                    "bytes of shared memory a block", kernel.shared_bytes);
}

}  // namespace smem
