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
/// ones for ldmatrix). `returns_value`: whether the instruction has a destination register; an
/// atomic addition, minimum … without one is a reduction. ATOMS.POPC.INC is one too, in effect: the
/// lanes of a word are counted first.
SassOpcode parse_sass_opcode(std::string_view opcode, bool returns_value);

}  // namespace smem
