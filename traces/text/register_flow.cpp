// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include <traces/text/register_flow.hpp>

namespace smem {
namespace {

std::uint32_t one_more(std::uint32_t number) {
  return number == std::numeric_limits<std::uint32_t>::max() ? number : number + 1;
}

}  // namespace

RegisterFlow::Origin RegisterFlow::latest(std::span<const Register> sources) const {
  Origin result;
  for (const Register source : sources) {
    const Origin& origin = registers_[source];
    if (origin.record > result.record) {
      result = origin;
    } else if (origin.record == result.record) {
      result.instructions = std::max(result.instructions, origin.instructions);
    }
  }
  return result;
}

void RegisterFlow::instruction(std::span<const Register> destinations,
                               std::span<const Register> sources, bool breaks_chain) {
  gap_instructions_ = one_more(gap_instructions_);
  Origin origin;
  if (!breaks_chain) origin = latest(sources);
  if (origin.record != 0) origin.instructions = one_more(origin.instructions);
  for (const Register destination : destinations) write(destination, origin);
}

void RegisterFlow::access(TraceRecord& record, std::span<const Register> destinations,
                          std::span<const Register> sources, unsigned destination_registers) {
  ++records_;
  record.issue_gap_instructions = gap_instructions_;
  gap_instructions_ = 0;
  const Origin origin = latest(sources);
  const std::uint64_t distance = records_ - origin.record;
  if (origin.record != 0 && distance <= std::numeric_limits<std::uint32_t>::max()) {
    record.depends_on = static_cast<std::uint32_t>(distance);
    record.dependent_instructions = origin.instructions;
  }
  if (destinations.empty() || is_zero(destinations[0])) return;
  for (unsigned index = 0; index < destination_registers; ++index) {
    const unsigned destination = destinations[0] + index;
    if (destination < kFirstUniform || destinations[0] >= kFirstUniform) {
      write(static_cast<Register>(destination % kRegisters), {records_, 0});
    }
  }
}

}  // namespace smem
