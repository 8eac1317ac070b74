// SPDX-License-Identifier: Apache-2.0
#include "launch_trace.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include <traces/trace_error.hpp>

namespace smem::capture {

namespace {

/// Records sorted together; a launch of fewer comes out the same in every run.
constexpr std::size_t kRecordsPerSort = std::size_t{1} << 18;

struct AtomicOpcode {
  std::string_view prefix;
  Operation operation;
};

/// The first prefix that fits decides. POPC.INC is what adding the constant one without a result
/// becomes; CAST.SPIN is the compare-and-swap of the compiler's own loops (floats, 64-bit
/// integers).
constexpr std::array kAtomicOpcodes = {
    AtomicOpcode{"ATOMS.POPC", Operation::reduction},
    AtomicOpcode{"ATOMS.EXCH", Operation::atomic_exchange},
    AtomicOpcode{"ATOMS.CAS", Operation::atomic_cas},  // and ATOMS.CAST.SPIN
    AtomicOpcode{"ATOMS", Operation::atomic_add},
};

struct MatrixOperation {
  bool writes;
  std::uint8_t matrices;
  bool transposed;
  Operation operation;
};

constexpr std::array kMatrixOperations = {
    MatrixOperation{false, 1, false, Operation::ldmatrix_x1},
    MatrixOperation{false, 2, false, Operation::ldmatrix_x2},
    MatrixOperation{false, 4, false, Operation::ldmatrix_x4},
    MatrixOperation{false, 1, true, Operation::ldmatrix_x1_trans},
    MatrixOperation{false, 2, true, Operation::ldmatrix_x2_trans},
    MatrixOperation{false, 4, true, Operation::ldmatrix_x4_trans},
    MatrixOperation{true, 1, false, Operation::stmatrix_x1},
    MatrixOperation{true, 2, false, Operation::stmatrix_x2},
    MatrixOperation{true, 4, false, Operation::stmatrix_x4},
    MatrixOperation{true, 1, true, Operation::stmatrix_x1_trans},
    MatrixOperation{true, 2, true, Operation::stmatrix_x2_trans},
    MatrixOperation{true, 4, true, Operation::stmatrix_x4_trans},
};

}  // namespace

LaunchTrace::LaunchTrace(SmtWriter& writer, std::uint32_t kernel, std::uint64_t function_pc,
                         std::uint64_t function_bytes, std::function<Opcodes()> opcodes)
    : writer_(writer),
      kernel_(kernel),
      function_pc_(function_pc),
      function_bytes_(function_bytes),
      disassemble_(std::move(opcodes)) {}

std::uint64_t LaunchTrace::relative(std::uint64_t pc) const {
  const bool inside = pc >= function_pc_ && pc - function_pc_ < function_bytes_;
  return inside ? pc - function_pc_ : pc;
}

const std::string& LaunchTrace::opcode_at(std::uint64_t pc) {
  static const std::string unknown;
  if (!disassembled_) opcodes_ = disassemble_();
  disassembled_ = true;
  const auto found = opcodes_.find(relative(pc));
  return found == opcodes_.end() ? unknown : found->second;
}

Operation LaunchTrace::atomic_of(const WarpRecord& record) {
  const std::string& opcode = opcode_at(record.pc);
  for (const AtomicOpcode& row : kAtomicOpcodes) {
    if (opcode.starts_with(row.prefix)) return row.operation;
  }
  ++unknown_atomics_;
  return Operation::atomic_add;
}

Operation LaunchTrace::matrix_of(const WarpRecord& record) {
  const bool transposed = opcode_at(record.pc).find(".MT88") != std::string::npos;
  const bool writes = (record.flags & kWrites) != 0;
  for (const MatrixOperation& row : kMatrixOperations) {
    if (row.writes == writes && row.matrices == record.matrices && row.transposed == transposed) {
      return row.operation;
    }
  }
  throw TraceError("expected 1, 2 or 4 matrices, found " + std::to_string(record.matrices));
}

Operation LaunchTrace::operation_of(const WarpRecord& record) {
  switch (record.kind) {
    case RecordKind::matrix:
      return matrix_of(record);
    case RecordKind::async_copy:
      return Operation::async_copy;
    case RecordKind::barrier:
      return Operation::barrier;
    case RecordKind::memory:
      break;
  }
  if ((record.flags & kReads) != 0 && (record.flags & kWrites) != 0) return atomic_of(record);
  return (record.flags & kWrites) != 0 ? Operation::store : Operation::load;
}

void LaunchTrace::add(const WarpRecord& record) {
  TraceRecord& trace = pending_.emplace_back();
  trace.access.operation = operation_of(record);
  trace.access.bytes_per_lane = record.bytes_per_lane;
  trace.access.active_mask = record.active_mask;
  for_each_lane(record.active_mask, [&](unsigned lane) {
    trace.access.offsets_bytes[lane] = record.offsets_bytes[lane];
  });
  trace.kernel = kernel_;
  trace.block = record.block;
  trace.warp = record.warp;
  trace.pc = relative(record.pc);
  foreign_pcs_ += trace.pc == record.pc;
  if (pending_.size() == kRecordsPerSort) write_pending();
}

void LaunchTrace::write_pending() {
  std::stable_sort(pending_.begin(), pending_.end(), [](const auto& a, const auto& b) {
    return std::tie(a.block, a.warp) < std::tie(b.block, b.warp);
  });
  writer_.write(pending_);
  records_ += pending_.size();
  pending_.clear();
}

void LaunchTrace::finish() {
  write_pending();
}

}  // namespace smem::capture
