// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace smem {

enum class Operation : std::uint8_t;  // operation_table.hpp has the operations, their rows,
enum class RuleKind : std::uint8_t;   // and the kinds of rules they have

/// The classes reports add up by, named as Nsight Compute's per-class counters are.
enum class OperationClass : std::uint8_t { ld, st, ldsm, stsm, atom, ldgsts, none };
inline constexpr std::size_t kOperationClassCount =
    static_cast<std::size_t>(OperationClass::none);  // `none` is not reported

inline constexpr std::array<std::string_view, kOperationClassCount> kOperationClassNames = {
    "ld", "st", "ldsm", "stsm", "atom", "ldgsts"};

static_assert(std::ranges::none_of(kOperationClassNames, &std::string_view::empty));

/// The spelling of an operation in access lists: PTX words. `bytes` 0 = the file's own column says.
struct OperationSpelling {
  std::string_view name;
  std::uint8_t bytes = 0;
};

/// Everything about an operation that no GPU decides.
struct OperationTraits {
  Operation operation;
  RuleKind rule_kind;
  OperationClass operation_class;
  std::uint8_t address_lanes = 32;  ///< the lanes below this one bring addresses
  std::uint8_t matrices = 1;  ///< 8x8 matrices moved; 1 for everything that is no matrix operation
  bool transposed = false;    ///< of the same addresses, the matrices go by columns
  std::uint8_t value_registers = 0;  ///< of one value a lane; 0 = as many as its width fills
  std::uint8_t data_values = 0;      ///< values a lane hands over beside its address
  bool returns_value = false;        ///< a register of the warp waits for it
  bool writes_memory = false;
  bool stores_values = false;  ///< what a lane hands over is what memory then holds
  std::array<OperationSpelling, 2> spellings{};
  /// SASS opcodes, separated by spaces, that can only mean shared memory (or no memory): a name and
  /// the modifiers an opcode must have in any place; a '*' ends what a modifier starts with. Of
  /// several that fit, the one with most modifiers counts, then the one whose stand last.
  std::string_view shared_opcodes = {};
  std::string_view generic_opcodes = {};  ///< that mean shared memory where the address lies in it
};

}  // namespace smem
