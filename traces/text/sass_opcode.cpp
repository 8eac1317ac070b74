// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <traces/text/sass_opcode.hpp>

namespace smem {
namespace {

struct BaseOpcode {
  std::string_view name;
  AddressSpace space;
  Operation operation;
};

constexpr std::array kBaseOpcodes = {
    BaseOpcode{"LDS", AddressSpace::shared, Operation::load},
    BaseOpcode{"STS", AddressSpace::shared, Operation::store},
    BaseOpcode{"LDSM", AddressSpace::shared, Operation::ldmatrix_x1},
    BaseOpcode{"STSM", AddressSpace::shared, Operation::stmatrix_x1},
    BaseOpcode{"ATOMS", AddressSpace::shared, Operation::atomic_add},
    BaseOpcode{"REDS", AddressSpace::shared, Operation::atomic_add},
    BaseOpcode{"LDGSTS", AddressSpace::generic, Operation::async_copy},
    BaseOpcode{"LD", AddressSpace::generic, Operation::load},
    BaseOpcode{"ST", AddressSpace::generic, Operation::store},
    BaseOpcode{"ATOM", AddressSpace::generic, Operation::atomic_add},
    BaseOpcode{"RED", AddressSpace::generic, Operation::atomic_add},
    BaseOpcode{"BAR", AddressSpace::barrier, Operation::barrier},
};

struct Width {
  std::string_view modifier;
  std::uint8_t bytes;
};

constexpr std::array kWidths = {
    Width{"U8", 1}, Width{"S8", 1},  Width{"U16", 2}, Width{"S16", 2}, Width{"F16", 2},
    Width{"32", 4}, Width{"U32", 4}, Width{"S32", 4}, Width{"F32", 4}, Width{"F16x2", 4},
    Width{"64", 8}, Width{"U64", 8}, Width{"S64", 8}, Width{"F64", 8}, Width{"128", 16},
};

/// The modifiers that change an atomic into another operation.
struct AtomicKind {
  std::string_view modifier;
  Operation operation;
};

constexpr std::array kAtomicKinds = {
    AtomicKind{"EXCH", Operation::atomic_exchange},
    AtomicKind{"CAS", Operation::atomic_cas},
    AtomicKind{"CAST", Operation::atomic_cas},
    AtomicKind{"POPC", Operation::reduction},
};

template <class Visit>
void for_each_modifier(std::string_view opcode, Visit visit) {
  for (std::size_t dot = opcode.find('.'); dot != std::string_view::npos;) {
    const std::size_t end = opcode.find('.', dot + 1);
    visit(opcode.substr(dot + 1, end == std::string_view::npos ? end : end - dot - 1));
    dot = end;
  }
}

/// LDSM.16.M88.4, LDSM.16.MT88.2, STSM.16.M88: as many matrices as the last number says.
Operation matrix_operation(std::string_view opcode, Operation first) {
  unsigned size_log2 = 0;
  bool transposed = false;
  for_each_modifier(opcode, [&](std::string_view modifier) {
    if (modifier == "2") size_log2 = 1;
    if (modifier == "4") size_log2 = 2;
    if (modifier.starts_with("MT")) transposed = true;
  });
  return static_cast<Operation>(static_cast<unsigned>(first) + size_log2 + (transposed ? 3u : 0u));
}
static_assert(static_cast<unsigned>(Operation::ldmatrix_x4_trans) ==
              static_cast<unsigned>(Operation::ldmatrix_x1) + 5);
static_assert(static_cast<unsigned>(Operation::stmatrix_x4_trans) ==
              static_cast<unsigned>(Operation::stmatrix_x1) + 5);

Operation atomic_operation(std::string_view opcode) {
  Operation operation = Operation::atomic_add;
  for_each_modifier(opcode, [&](std::string_view modifier) {
    for (const AtomicKind& kind : kAtomicKinds) {
      if (kind.modifier == modifier) operation = kind.operation;
    }
  });
  return operation;
}

std::uint8_t width_of(std::string_view opcode) {
  std::uint8_t bytes = 4;
  for_each_modifier(opcode, [&](std::string_view modifier) {
    for (const Width& width : kWidths) {
      if (width.modifier == modifier) bytes = width.bytes;
    }
  });
  return bytes;
}

/// Whether a BAR makes its warp wait: arriving does not, nor do reading and setting barriers up.
bool waits(std::string_view opcode) {
  bool result = false;
  for_each_modifier(opcode, [&](std::string_view modifier) {
    result |= modifier == "SYNC" || modifier == "RED" || modifier == "SYNCALL";
  });
  return result;
}

}  // namespace

SassOpcode parse_sass_opcode(std::string_view opcode) {
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  for (const BaseOpcode& base : kBaseOpcodes) {
    if (base.name != name) continue;
    SassOpcode result{base.space, base.operation, 0};
    if (base.space == AddressSpace::barrier) {
      return waits(opcode) ? result : SassOpcode{};
    }
    const RuleKind kind = traits(base.operation).rule_kind;
    if (kind == RuleKind::ldmatrix || kind == RuleKind::stmatrix) {
      return {base.space, matrix_operation(opcode, base.operation), 16};
    }
    if (kind == RuleKind::atomic_add) {
      result.operation = atomic_operation(opcode);
    }
    result.bytes_per_lane = width_of(opcode);
    return result;
  }
  return {};
}

}  // namespace smem
