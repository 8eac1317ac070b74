// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace smem {

/// The instruction sets batches are counted with, worst to best.
enum class InstructionSet : std::uint8_t { scalar, avx2, avx512 };
inline constexpr std::array kInstructionSets = {InstructionSet::scalar, InstructionSet::avx2,
                                                InstructionSet::avx512};
inline constexpr std::array<std::string_view, 3> kInstructionSetNames = {"scalar", "avx2",
                                                                         "avx512"};

[[nodiscard]] constexpr std::string_view name_of(InstructionSet set) {
  return kInstructionSetNames[static_cast<std::size_t>(set)];
}

/// Whether this build has the kernels and this processor runs them. avx512 means F, BW and VL.
[[nodiscard]] bool is_available(InstructionSet set);

/// The environment variable SMEMSIM_INSTRUCTION_SET (scalar, avx2 or avx512) when it is set and not
/// empty, else the best available set. Throws Error, one line, when the variable
/// names no set or one that is not available.
[[nodiscard]] InstructionSet choose_instruction_set();

}  // namespace smem
