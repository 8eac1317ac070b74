// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <smem/operation_traits.hpp>

namespace smem {

/// What a warp instruction does to shared memory. Widths are not part of it: an access carries
/// `bytes_per_lane` beside it. A barrier touches no memory; it stands in traces for the clock.
/// The numbers are stored in .smt files and last: a new operation gets the next one.
enum class Operation : std::uint8_t {
  load = 0,
  store = 1,
  ldmatrix_x1 = 2,
  ldmatrix_x2 = 3,
  ldmatrix_x4 = 4,
  ldmatrix_x1_trans = 5,
  ldmatrix_x2_trans = 6,
  ldmatrix_x4_trans = 7,
  stmatrix_x1 = 8,
  stmatrix_x2 = 9,
  stmatrix_x4 = 10,
  stmatrix_x1_trans = 11,
  stmatrix_x2_trans = 12,
  stmatrix_x4_trans = 13,
  reduction = 14,
  atomic_add = 15,
  atomic_exchange = 16,
  atomic_cas = 17,
  async_copy = 18,
  barrier = 19,
};
inline constexpr std::size_t kOperationCount = static_cast<std::size_t>(Operation::barrier) + 1;

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
inline constexpr std::size_t kRuleKindCount =
    static_cast<std::size_t>(RuleKind::none);  // `none` has no rule

inline constexpr std::array<std::string_view, kRuleKindCount> kRuleKindNames = {
    "ld", "st", "ldmatrix", "stmatrix", "red.add", "atom.add", "atom.exch", "atom.cas", "cp.async"};
static_assert(std::ranges::none_of(kRuleKindNames, &std::string_view::empty));

namespace detail {

/// A row of 8x8 matrices of 16-bit values: every 8 lanes bring the addresses of one, and every lane
/// fills a register with its part of each.
[[nodiscard]] constexpr OperationTraits ldmatrix(Operation operation, std::uint8_t matrices,
                                                 bool transposed, std::string_view spelling,
                                                 std::string_view opcodes) {
  OperationTraits row{.operation = operation,
                      .rule_kind = RuleKind::ldmatrix,
                      .operation_class = OperationClass::ldsm};
  row.address_lanes = static_cast<std::uint8_t>(8 * matrices);
  row.matrices = matrices;
  row.transposed = transposed;
  row.value_registers = matrices;
  row.returns_value = true;
  row.spellings[0] = {spelling, 16};
  row.shared_opcodes = opcodes;
  return row;
}

/// The same the other way: the lanes hand the matrices over.
[[nodiscard]] constexpr OperationTraits stmatrix(Operation operation, std::uint8_t matrices,
                                                 bool transposed, std::string_view spelling,
                                                 std::string_view opcodes) {
  OperationTraits row = ldmatrix(operation, matrices, transposed, spelling, opcodes);
  row.rule_kind = RuleKind::stmatrix;
  row.operation_class = OperationClass::stsm;
  row.returns_value = false;
  row.data_values = 1;
  row.writes_memory = true;
  row.stores_values = true;
  return row;
}

}  // namespace detail

// clang-format off
inline constexpr auto kOperationTraits = std::to_array<OperationTraits>({
    {.operation = Operation::load, .rule_kind = RuleKind::load,
     .operation_class = OperationClass::ld, .returns_value = true, .spellings = {{{"ld", 0}}},
     .shared_opcodes = "LDS", .generic_opcodes = "LD"},
    {.operation = Operation::store, .rule_kind = RuleKind::store,
     .operation_class = OperationClass::st, .data_values = 1, .writes_memory = true,
     .stores_values = true, .spellings = {{{"st", 0}}}, .shared_opcodes = "STS",
     .generic_opcodes = "ST"},
    detail::ldmatrix(Operation::ldmatrix_x1, 1, false, "ldmatrix.x1", "LDSM"),
    detail::ldmatrix(Operation::ldmatrix_x2, 2, false, "ldmatrix.x2", "LDSM.2"),
    detail::ldmatrix(Operation::ldmatrix_x4, 4, false, "ldmatrix.x4", "LDSM.4"),
    detail::ldmatrix(Operation::ldmatrix_x1_trans, 1, true, "ldmatrix.x1.trans", "LDSM.MT*"),
    detail::ldmatrix(Operation::ldmatrix_x2_trans, 2, true, "ldmatrix.x2.trans", "LDSM.MT*.2"),
    detail::ldmatrix(Operation::ldmatrix_x4_trans, 4, true, "ldmatrix.x4.trans", "LDSM.MT*.4"),
    detail::stmatrix(Operation::stmatrix_x1, 1, false, "stmatrix.x1", "STSM"),
    detail::stmatrix(Operation::stmatrix_x2, 2, false, "stmatrix.x2", "STSM.2"),
    detail::stmatrix(Operation::stmatrix_x4, 4, false, "stmatrix.x4", "STSM.4"),
    detail::stmatrix(Operation::stmatrix_x1_trans, 1, true, "stmatrix.x1.trans", "STSM.MT*"),
    detail::stmatrix(Operation::stmatrix_x2_trans, 2, true, "stmatrix.x2.trans", "STSM.MT*.2"),
    detail::stmatrix(Operation::stmatrix_x4_trans, 4, true, "stmatrix.x4.trans", "STSM.MT*.4"),
    {.operation = Operation::reduction, .rule_kind = RuleKind::reduction,
     .operation_class = OperationClass::atom, .data_values = 1, .writes_memory = true,
     .spellings = {{{"red.add.u32", 4}, {"red.add.u64", 8}}},
     .shared_opcodes = "ATOMS.POPC REDS.POPC", .generic_opcodes = "ATOM.POPC RED.POPC"},
    {.operation = Operation::atomic_add, .rule_kind = RuleKind::atomic_add,
     .operation_class = OperationClass::atom, .data_values = 1, .returns_value = true,
     .writes_memory = true, .spellings = {{{"atom.add.u32", 4}, {"atom.add.u64", 8}}},
     .shared_opcodes = "ATOMS REDS", .generic_opcodes = "ATOM RED"},
    {.operation = Operation::atomic_exchange, .rule_kind = RuleKind::atomic_exchange,
     .operation_class = OperationClass::atom, .data_values = 1, .returns_value = true,
     .writes_memory = true, .stores_values = true,
     .spellings = {{{"atom.exch.b32", 4}, {"atom.exch.b64", 8}}},
     .shared_opcodes = "ATOMS.EXCH REDS.EXCH", .generic_opcodes = "ATOM.EXCH RED.EXCH"},
    {.operation = Operation::atomic_cas, .rule_kind = RuleKind::atomic_cas,
     .operation_class = OperationClass::atom, .data_values = 2, .returns_value = true,
     .writes_memory = true, .spellings = {{{"atom.cas.b32", 4}, {"atom.cas.b64", 8}}},
     .shared_opcodes = "ATOMS.CAS REDS.CAS ATOMS.CAST REDS.CAST",
     .generic_opcodes = "ATOM.CAS RED.CAS ATOM.CAST RED.CAST"},
    {.operation = Operation::async_copy, .rule_kind = RuleKind::async_copy,
     .operation_class = OperationClass::ldgsts, .writes_memory = true, .stores_values = true,
     .spellings = {{{"cp.async", 0}}}, .generic_opcodes = "LDGSTS"},
    {.operation = Operation::barrier, .rule_kind = RuleKind::none,
     .operation_class = OperationClass::none, .address_lanes = 0, .spellings = {{{"bar.sync", 0}}},
     .shared_opcodes = "BAR.SYNC BAR.RED BAR.SYNCALL"},
});
// clang-format on

static_assert(kOperationTraits.size() == kOperationCount, "one row an operation, to the last one");

namespace detail {

/// Whether every row stands at its operation's number: stored files are read by these.
[[nodiscard]] constexpr bool rows_are_in_order() {
  for (std::size_t index = 0; index < kOperationCount; ++index) {
    if (static_cast<std::size_t>(kOperationTraits[index].operation) != index) return false;
    if (kOperationTraits[index].spellings[0].name.empty()) return false;
  }
  return true;
}

}  // namespace detail

static_assert(detail::rows_are_in_order());
static_assert(static_cast<std::size_t>(Operation::barrier) == 19 &&
                  static_cast<std::size_t>(Operation::stmatrix_x1) == 8 &&
                  static_cast<std::size_t>(Operation::reduction) == 14,
              "operations keep their numbers: .smt files hold them");

}  // namespace smem
