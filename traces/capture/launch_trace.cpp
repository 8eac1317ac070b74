// SPDX-License-Identifier: Apache-2.0
#include "launch_trace.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <smem/operation.hpp>
#include <traces/text/sass_opcode.hpp>
#include <traces/trace_error.hpp>

namespace smem::capture {

namespace {

/// Records sorted together; a launch of fewer comes out the same in every run.
constexpr std::size_t kRecordsPerSort = std::size_t{1} << 18;

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
  const Operation operation = parse_sass_opcode(opcode_at(record.pc)).operation;
  if (traits(operation).operation_class == OperationClass::atom) return operation;
  ++unknown_atomics_;
  return Operation::atomic_add;
}

Operation LaunchTrace::matrix_of(const WarpRecord& record) {
  const bool writes = (record.flags & kWrites) != 0;
  const OperationClass wanted = writes ? OperationClass::stsm : OperationClass::ldsm;
  const bool transposed = traits(parse_sass_opcode(opcode_at(record.pc)).operation).transposed;
  for (const OperationTraits& row : kOperationTraits) {
    if (row.operation_class == wanted && row.matrices == record.matrices &&
        row.transposed == transposed) {
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
