// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <optional>

#include <smem/operation_table.hpp>

namespace smem {

[[nodiscard]] constexpr const OperationTraits& traits(Operation operation) {
  assert(static_cast<std::size_t>(operation) < kOperationCount);
  return kOperationTraits[static_cast<std::size_t>(operation)];
}

/// A spelling and what it means.
struct OperationName {
  std::string_view name;
  Operation operation;
  std::uint8_t bytes;
};

/// The operation spelled `name`; nothing when none is.
[[nodiscard]] constexpr std::optional<OperationName> find_operation(std::string_view name) {
  for (const OperationTraits& row : kOperationTraits) {
    for (const OperationSpelling& spelling : row.spellings) {
      if (!name.empty() && spelling.name == name) {
        return OperationName{name, row.operation, spelling.bytes};
      }
    }
  }
  return std::nullopt;
}

/// The access-list spelling of `operation` at `bytes` a lane; empty when that width has no name.
[[nodiscard]] constexpr std::string_view operation_name(Operation operation, std::uint8_t bytes) {
  for (const OperationSpelling& spelling : traits(operation).spellings) {
    if (spelling.bytes == 0 || spelling.bytes == bytes) return spelling.name;
  }
  return {};
}

/// What `operation` is called at any width: "red.add" of "red.add.u32" and "red.add.u64".
[[nodiscard]] constexpr std::string_view family_name(Operation operation) {
  const OperationTraits& row = traits(operation);
  const std::string_view name = row.spellings[0].name;
  return row.spellings[1].name.empty() ? name : name.substr(0, name.rfind('.'));
}

/// Registers a lane fills with one value of `bytes` bytes.
[[nodiscard]] constexpr unsigned value_registers(const OperationTraits& row, std::uint8_t bytes) {
  if (row.value_registers != 0) return row.value_registers;
  return bytes > 4 ? bytes / 4u : 1u;
}

/// Registers a lane hands over at `bytes` a lane: its address and its data.
[[nodiscard]] constexpr unsigned operand_registers(Operation operation, std::uint8_t bytes) {
  const OperationTraits& row = traits(operation);
  return 1 + row.data_values * value_registers(row, bytes);
}

/// Registers a lane gets back at `bytes` a lane.
[[nodiscard]] constexpr unsigned result_registers(Operation operation, std::uint8_t bytes) {
  const OperationTraits& row = traits(operation);
  return row.returns_value ? value_registers(row, bytes) : 0;
}

}  // namespace smem
