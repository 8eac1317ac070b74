// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace smem {

/// What a warp instruction does to shared memory. Widths are not part of it: an access carries
/// `bytes_per_lane` beside it. A barrier touches no memory; it stands in traces for the clock.
enum class Operation : std::uint8_t {
  load,
  store,
  ldmatrix_x1,
  ldmatrix_x2,
  ldmatrix_x4,
  ldmatrix_x1_trans,
  ldmatrix_x2_trans,
  ldmatrix_x4_trans,
  stmatrix_x1,
  stmatrix_x2,
  stmatrix_x4,
  stmatrix_x1_trans,
  stmatrix_x2_trans,
  stmatrix_x4_trans,
  reduction,
  atomic_add,
  atomic_exchange,
  atomic_cas,
  async_copy,
  barrier,
};
inline constexpr std::size_t kOperationCount = 20;

/// Which access rule a GPU applies; the YAML names its rules by these.
enum class RuleKind : std::uint8_t {
  load,
  store,
  ldmatrix,
  stmatrix,
  reduction,
  atomic_add,
  atomic_exchange,
  atomic_cas,
  async_copy,
  none,
};
inline constexpr std::size_t kRuleKindCount = 9;  // `none` has no rule

/// The classes reports add up by, named as Nsight Compute's per-class counters are.
enum class OperationClass : std::uint8_t { ld, st, ldsm, stsm, atom, ldgsts, none };
inline constexpr std::size_t kOperationClassCount = 6;  // `none` is not reported

struct OperationTraits {
  Operation operation;
  RuleKind rule_kind;
  OperationClass operation_class;
  std::uint8_t matrices;  ///< 8x8 matrices moved; 1 for everything that is no matrix operation
  bool returns_value;     ///< a register of the warp waits for it
  bool writes_memory;
};

inline constexpr std::array<OperationTraits, kOperationCount> kOperationTraits = {{
    {Operation::load, RuleKind::load, OperationClass::ld, 1, true, false},
    {Operation::store, RuleKind::store, OperationClass::st, 1, false, true},
    {Operation::ldmatrix_x1, RuleKind::ldmatrix, OperationClass::ldsm, 1, true, false},
    {Operation::ldmatrix_x2, RuleKind::ldmatrix, OperationClass::ldsm, 2, true, false},
    {Operation::ldmatrix_x4, RuleKind::ldmatrix, OperationClass::ldsm, 4, true, false},
    {Operation::ldmatrix_x1_trans, RuleKind::ldmatrix, OperationClass::ldsm, 1, true, false},
    {Operation::ldmatrix_x2_trans, RuleKind::ldmatrix, OperationClass::ldsm, 2, true, false},
    {Operation::ldmatrix_x4_trans, RuleKind::ldmatrix, OperationClass::ldsm, 4, true, false},
    {Operation::stmatrix_x1, RuleKind::stmatrix, OperationClass::stsm, 1, false, true},
    {Operation::stmatrix_x2, RuleKind::stmatrix, OperationClass::stsm, 2, false, true},
    {Operation::stmatrix_x4, RuleKind::stmatrix, OperationClass::stsm, 4, false, true},
    {Operation::stmatrix_x1_trans, RuleKind::stmatrix, OperationClass::stsm, 1, false, true},
    {Operation::stmatrix_x2_trans, RuleKind::stmatrix, OperationClass::stsm, 2, false, true},
    {Operation::stmatrix_x4_trans, RuleKind::stmatrix, OperationClass::stsm, 4, false, true},
    {Operation::reduction, RuleKind::reduction, OperationClass::atom, 1, false, true},
    {Operation::atomic_add, RuleKind::atomic_add, OperationClass::atom, 1, true, true},
    {Operation::atomic_exchange, RuleKind::atomic_exchange, OperationClass::atom, 1, true, true},
    {Operation::atomic_cas, RuleKind::atomic_cas, OperationClass::atom, 1, true, true},
    {Operation::async_copy, RuleKind::async_copy, OperationClass::ldgsts, 1, false, true},
    {Operation::barrier, RuleKind::none, OperationClass::none, 1, false, false},
}};

constexpr const OperationTraits& traits(Operation operation) {
  return kOperationTraits[static_cast<std::size_t>(operation)];
}

/// The spelling of an operation in access lists: PTX words. `bytes` 0 = the file's own column says.
struct OperationName {
  std::string_view name;
  Operation operation;
  std::uint8_t bytes;
};

inline constexpr std::array kOperationNames = {
    OperationName{"ld", Operation::load, 0},
    OperationName{"st", Operation::store, 0},
    OperationName{"ldmatrix.x1", Operation::ldmatrix_x1, 16},
    OperationName{"ldmatrix.x2", Operation::ldmatrix_x2, 16},
    OperationName{"ldmatrix.x4", Operation::ldmatrix_x4, 16},
    OperationName{"ldmatrix.x1.trans", Operation::ldmatrix_x1_trans, 16},
    OperationName{"ldmatrix.x2.trans", Operation::ldmatrix_x2_trans, 16},
    OperationName{"ldmatrix.x4.trans", Operation::ldmatrix_x4_trans, 16},
    OperationName{"stmatrix.x1", Operation::stmatrix_x1, 16},
    OperationName{"stmatrix.x2", Operation::stmatrix_x2, 16},
    OperationName{"stmatrix.x4", Operation::stmatrix_x4, 16},
    OperationName{"stmatrix.x1.trans", Operation::stmatrix_x1_trans, 16},
    OperationName{"stmatrix.x2.trans", Operation::stmatrix_x2_trans, 16},
    OperationName{"stmatrix.x4.trans", Operation::stmatrix_x4_trans, 16},
    OperationName{"red.add.u32", Operation::reduction, 4},
    OperationName{"red.add.u64", Operation::reduction, 8},
    OperationName{"atom.add.u32", Operation::atomic_add, 4},
    OperationName{"atom.add.u64", Operation::atomic_add, 8},
    OperationName{"atom.exch.b32", Operation::atomic_exchange, 4},
    OperationName{"atom.exch.b64", Operation::atomic_exchange, 8},
    OperationName{"atom.cas.b32", Operation::atomic_cas, 4},
    OperationName{"atom.cas.b64", Operation::atomic_cas, 8},
    OperationName{"cp.async", Operation::async_copy, 0},
    OperationName{"bar.sync", Operation::barrier, 0},
};

/// The row of `kOperationNames` spelled `name`; nothing when no operation is.
constexpr std::optional<OperationName> find_operation(std::string_view name) {
  for (const OperationName& row : kOperationNames) {
    if (row.name == name) return row;
  }
  return std::nullopt;
}

/// The access-list spelling of `operation` at `bytes` a lane; empty when that width has no name.
constexpr std::string_view operation_name(Operation operation, std::uint8_t bytes) {
  for (const OperationName& row : kOperationNames) {
    if (row.operation == operation && (row.bytes == 0 || row.bytes == bytes)) return row.name;
  }
  return {};
}

inline constexpr std::array<std::string_view, kOperationClassCount> kOperationClassNames = {
    "ld", "st", "ldsm", "stsm", "atom", "ldgsts"};

inline constexpr std::array<std::string_view, kRuleKindCount> kRuleKindNames = {
    "ld", "st", "ldmatrix", "stmatrix", "red.add", "atom.add", "atom.exch", "atom.cas", "cp.async"};

}  // namespace smem
