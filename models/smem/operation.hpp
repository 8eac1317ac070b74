// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

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
inline constexpr std::size_t kRuleKindCount =
    static_cast<std::size_t>(RuleKind::none);  // `none` has no rule

/// The classes reports add up by, named as Nsight Compute's per-class counters are.
enum class OperationClass : std::uint8_t { ld, st, ldsm, stsm, atom, ldgsts, none };
inline constexpr std::size_t kOperationClassCount =
    static_cast<std::size_t>(OperationClass::none);  // `none` is not reported

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
  std::uint8_t value_registers = 0;  ///< of one value a lane; 0 = as many as its width fills
  std::uint8_t data_values = 0;      ///< values a lane hands over beside its address
  bool returns_value = false;        ///< a register of the warp waits for it
  bool writes_memory = false;
  bool stores_values = false;  ///< what a lane hands over is what memory then holds
  std::array<OperationSpelling, 2> spellings{};
  /// SASS opcodes, separated by spaces, that can only mean shared memory (or no memory): a name and
  /// the modifiers an opcode must have in any place; a '*' ends what a modifier starts with. Of
  /// several that fit, the one with most modifiers counts.
  std::string_view shared_opcodes = {};
  std::string_view generic_opcodes = {};  ///< that mean shared memory where the address lies in it
};

// clang-format off
inline constexpr std::array<OperationTraits, kOperationCount> kOperationTraits = {{
    {.operation = Operation::load, .rule_kind = RuleKind::load,
     .operation_class = OperationClass::ld, .returns_value = true, .spellings = {{{"ld", 0}}},
     .shared_opcodes = "LDS", .generic_opcodes = "LD"},
    {.operation = Operation::store, .rule_kind = RuleKind::store,
     .operation_class = OperationClass::st, .data_values = 1, .writes_memory = true,
     .stores_values = true, .spellings = {{{"st", 0}}}, .shared_opcodes = "STS",
     .generic_opcodes = "ST"},
    {.operation = Operation::ldmatrix_x1, .rule_kind = RuleKind::ldmatrix,
     .operation_class = OperationClass::ldsm, .address_lanes = 8, .matrices = 1,
     .value_registers = 1, .returns_value = true, .spellings = {{{"ldmatrix.x1", 16}}},
     .shared_opcodes = "LDSM"},
    {.operation = Operation::ldmatrix_x2, .rule_kind = RuleKind::ldmatrix,
     .operation_class = OperationClass::ldsm, .address_lanes = 16, .matrices = 2,
     .value_registers = 2, .returns_value = true, .spellings = {{{"ldmatrix.x2", 16}}},
     .shared_opcodes = "LDSM.2"},
    {.operation = Operation::ldmatrix_x4, .rule_kind = RuleKind::ldmatrix,
     .operation_class = OperationClass::ldsm, .matrices = 4, .value_registers = 4,
     .returns_value = true, .spellings = {{{"ldmatrix.x4", 16}}}, .shared_opcodes = "LDSM.4"},
    {.operation = Operation::ldmatrix_x1_trans, .rule_kind = RuleKind::ldmatrix,
     .operation_class = OperationClass::ldsm, .address_lanes = 8, .matrices = 1,
     .value_registers = 1, .returns_value = true, .spellings = {{{"ldmatrix.x1.trans", 16}}},
     .shared_opcodes = "LDSM.MT*"},
    {.operation = Operation::ldmatrix_x2_trans, .rule_kind = RuleKind::ldmatrix,
     .operation_class = OperationClass::ldsm, .address_lanes = 16, .matrices = 2,
     .value_registers = 2, .returns_value = true, .spellings = {{{"ldmatrix.x2.trans", 16}}},
     .shared_opcodes = "LDSM.MT*.2"},
    {.operation = Operation::ldmatrix_x4_trans, .rule_kind = RuleKind::ldmatrix,
     .operation_class = OperationClass::ldsm, .matrices = 4, .value_registers = 4,
     .returns_value = true, .spellings = {{{"ldmatrix.x4.trans", 16}}},
     .shared_opcodes = "LDSM.MT*.4"},
    {.operation = Operation::stmatrix_x1, .rule_kind = RuleKind::stmatrix,
     .operation_class = OperationClass::stsm, .address_lanes = 8, .matrices = 1,
     .value_registers = 1, .data_values = 1, .writes_memory = true, .stores_values = true,
     .spellings = {{{"stmatrix.x1", 16}}}, .shared_opcodes = "STSM"},
    {.operation = Operation::stmatrix_x2, .rule_kind = RuleKind::stmatrix,
     .operation_class = OperationClass::stsm, .address_lanes = 16, .matrices = 2,
     .value_registers = 2, .data_values = 1, .writes_memory = true, .stores_values = true,
     .spellings = {{{"stmatrix.x2", 16}}}, .shared_opcodes = "STSM.2"},
    {.operation = Operation::stmatrix_x4, .rule_kind = RuleKind::stmatrix,
     .operation_class = OperationClass::stsm, .matrices = 4, .value_registers = 4, .data_values = 1,
     .writes_memory = true, .stores_values = true, .spellings = {{{"stmatrix.x4", 16}}},
     .shared_opcodes = "STSM.4"},
    {.operation = Operation::stmatrix_x1_trans, .rule_kind = RuleKind::stmatrix,
     .operation_class = OperationClass::stsm, .address_lanes = 8, .matrices = 1,
     .value_registers = 1, .data_values = 1, .writes_memory = true, .stores_values = true,
     .spellings = {{{"stmatrix.x1.trans", 16}}}, .shared_opcodes = "STSM.MT*"},
    {.operation = Operation::stmatrix_x2_trans, .rule_kind = RuleKind::stmatrix,
     .operation_class = OperationClass::stsm, .address_lanes = 16, .matrices = 2,
     .value_registers = 2, .data_values = 1, .writes_memory = true, .stores_values = true,
     .spellings = {{{"stmatrix.x2.trans", 16}}}, .shared_opcodes = "STSM.MT*.2"},
    {.operation = Operation::stmatrix_x4_trans, .rule_kind = RuleKind::stmatrix,
     .operation_class = OperationClass::stsm, .matrices = 4, .value_registers = 4, .data_values = 1,
     .writes_memory = true, .stores_values = true, .spellings = {{{"stmatrix.x4.trans", 16}}},
     .shared_opcodes = "STSM.MT*.4"},
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
}};
// clang-format on

constexpr const OperationTraits& traits(Operation operation) {
  return kOperationTraits[static_cast<std::size_t>(operation)];
}

/// A spelling and what it means.
struct OperationName {
  std::string_view name;
  Operation operation;
  std::uint8_t bytes;
};

/// The operation spelled `name`; nothing when none is.
constexpr std::optional<OperationName> find_operation(std::string_view name) {
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
constexpr std::string_view operation_name(Operation operation, std::uint8_t bytes) {
  for (const OperationSpelling& spelling : traits(operation).spellings) {
    if (spelling.bytes == 0 || spelling.bytes == bytes) return spelling.name;
  }
  return {};
}

namespace detail {

/// Whether every row stands at its operation's number: stored files are read by these.
constexpr bool rows_are_in_order() {
  for (std::size_t index = 0; index < kOperationCount; ++index) {
    if (static_cast<std::size_t>(kOperationTraits[index].operation) != index) return false;
    if (kOperationTraits[index].spellings[0].name.empty()) return false;
  }
  return true;
}

template <class Names>
constexpr bool all_named(const Names& names) {
  for (const std::string_view name : names) {
    if (name.empty()) return false;
  }
  return true;
}

}  // namespace detail

static_assert(detail::rows_are_in_order());
static_assert(static_cast<std::size_t>(Operation::barrier) == 19 &&
                  static_cast<std::size_t>(Operation::stmatrix_x1) == 8 &&
                  static_cast<std::size_t>(Operation::reduction) == 14,
              "operations keep their numbers: .smt files hold them");

/// Registers a lane fills with one value of `bytes` bytes.
constexpr unsigned value_registers(const OperationTraits& row, std::uint8_t bytes) {
  if (row.value_registers != 0) return row.value_registers;
  return bytes > 4 ? bytes / 4u : 1u;
}

/// Registers a lane hands over at `bytes` a lane: its address and its data.
constexpr unsigned operand_registers(Operation operation, std::uint8_t bytes) {
  const OperationTraits& row = traits(operation);
  return 1 + row.data_values * value_registers(row, bytes);
}

/// Registers a lane gets back at `bytes` a lane.
constexpr unsigned result_registers(Operation operation, std::uint8_t bytes) {
  const OperationTraits& row = traits(operation);
  return row.returns_value ? value_registers(row, bytes) : 0;
}

inline constexpr std::array<std::string_view, kOperationClassCount> kOperationClassNames = {
    "ld", "st", "ldsm", "stsm", "atom", "ldgsts"};

inline constexpr std::array<std::string_view, kRuleKindCount> kRuleKindNames = {
    "ld", "st", "ldmatrix", "stmatrix", "red.add", "atom.add", "atom.exch", "atom.cas", "cp.async"};

static_assert(detail::all_named(kOperationClassNames) && detail::all_named(kRuleKindNames));

}  // namespace smem
