// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <traces/smt/smt_writer.hpp>

#include "capture_record.hpp"
#include "machine_code.hpp"

namespace smem::capture {

/// Turns what the device saw of one launch into trace records and writes them.
class LaunchTrace {
 public:
  /// `opcodes` is called once, when the first access whose kind the machine code decides comes.
  LaunchTrace(SmtWriter& writer, std::uint32_t kernel, std::uint64_t function_pc,
              std::uint64_t function_bytes, std::function<Opcodes()> opcodes);

  void add(const WarpRecord& record);
  /// Writes what `add` still holds back; the trace of the launch is complete.
  void finish();

  [[nodiscard]] std::uint64_t records() const { return records_; }
  /// Atomics whose opcode is unknown: they are written as atomic_add.
  [[nodiscard]] std::uint64_t unknown_atomics() const { return unknown_atomics_; }
  /// Accesses outside the kernel's own function (called ones): their pc stays absolute.
  [[nodiscard]] std::uint64_t foreign_pcs() const { return foreign_pcs_; }

 private:
  Operation operation_of(const WarpRecord& record);
  Operation atomic_of(const WarpRecord& record);
  Operation matrix_of(const WarpRecord& record);
  const std::string& opcode_at(std::uint64_t pc);
  [[nodiscard]] std::uint64_t relative(std::uint64_t pc) const;
  void write_pending();

  SmtWriter& writer_;
  std::uint32_t kernel_;
  std::uint64_t function_pc_;
  std::uint64_t function_bytes_;
  std::function<Opcodes()> disassemble_;
  bool disassembled_ = false;
  Opcodes opcodes_;
  std::vector<TraceRecord> pending_;
  std::uint64_t records_ = 0;
  std::uint64_t unknown_atomics_ = 0;
  std::uint64_t foreign_pcs_ = 0;
};

}  // namespace smem::capture
