// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace smem::capture {

/// The bytes of section ".text.FUNCTION" of an ELF file in memory; empty when it has none.
[[nodiscard]] std::span<const char> function_code(std::span<const char> elf,
                                                  const std::string& function);

/// Opcode words of a function by byte offset, as nvdisasm spells them ("ATOMS.POPC.INC.32").
using Opcodes = std::map<std::uint64_t, std::string>;

/// Disassembles `code` of an SM version such as 90 with `nvdisasm` (a program's name or path).
/// Empty when that program fails or is missing.
[[nodiscard]] Opcodes disassemble(std::span<const char> code, unsigned sm_version,
                                  const std::string& nvdisasm);

/// The opcodes in nvdisasm's text: lines "/*0410*/ [@P0] LDS R12, [R11+UR4] ;".
[[nodiscard]] Opcodes parse_disassembly(const std::string& text);

}  // namespace smem::capture
