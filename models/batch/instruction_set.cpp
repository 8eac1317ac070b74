// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>

#include <batch/block_kernel.hpp>
#include <batch/instruction_set.hpp>

#include <smem/error.hpp>

namespace smem {

// The one place that knows which instruction sets there are and when each may run.

bool is_available(InstructionSet set) {
  switch (set) {
    case InstructionSet::scalar:
      return true;
    case InstructionSet::avx2:
#if SMEMSIM_BATCH_X86
      return __builtin_cpu_supports("avx2") != 0;
#else
      return false;
#endif
    case InstructionSet::avx512:
#if SMEMSIM_BATCH_X86
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
             __builtin_cpu_supports("avx512vl") != 0;
#else
      return false;
#endif
  }
  return false;
}

namespace batch {

BlockKernel block_kernel(InstructionSet set) {
  switch (set) {
    case InstructionSet::scalar:
      return {};
    case InstructionSet::avx2:
#if SMEMSIM_BATCH_X86
      return {count_block_avx2, 32};
#else
      return {};
#endif
    case InstructionSet::avx512:
#if SMEMSIM_BATCH_X86
      return {count_block_avx512, 64};
#else
      return {};
#endif
  }
  return {};
}

}  // namespace batch

InstructionSet choose_instruction_set() {
  const char* const asked = std::getenv("SMEMSIM_INSTRUCTION_SET");
  InstructionSet best = InstructionSet::scalar;
  for (const InstructionSet set : kInstructionSets) {
    if (asked != nullptr && name_of(set) == asked && is_available(set)) return set;
    if (is_available(set)) best = set;
  }
  if (asked == nullptr || *asked == '\0') return best;
  throw Error(
      "SMEMSIM_INSTRUCTION_SET: expected one this processor has of scalar, "
      "avx2, avx512, found " +
      std::string(asked));
}

}  // namespace smem
