// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <smem/operation.hpp>

namespace smem {

/// Which memory the addresses of a SASS instruction lie in.
enum class AddressSpace : std::uint8_t {
  none,     ///< no shared memory: arithmetic, global, local and constant memory
  shared,   ///< always shared
  generic,  ///< shared when the address lies in the shared window
  barrier,  ///< waits for the block
};

/// What a SASS opcode such as "LDS.U.128" means to shared memory.
struct SassOpcode {
  AddressSpace space = AddressSpace::none;
  Operation operation = Operation::load;
  std::uint8_t bytes_per_lane = 0;

  friend bool operator==(const SassOpcode&, const SassOpcode&) = default;
};

/// Takes an opcode with its modifiers apart. The width comes from them alone (tracers write wrong
/// ones for ldmatrix). Of the atomics only ATOMS.POPC.INC, the constant one added without a result,
/// is a reduction, whose equal words share: all others take their turns, with or without a result
/// (traces/measured/h200/README.md).
[[nodiscard]] SassOpcode parse_sass_opcode(std::string_view opcode);

}  // namespace smem
