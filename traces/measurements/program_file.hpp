// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <smem/gpu_spec.hpp>
#include <traces/bytes/byte_source.hpp>
#include <traces/trace_reader.hpp>

namespace smem {

/// One instruction of a short program (traces/FORMAT.md): lane t accesses byte offset
/// row * 128 + slot * bytes, with L = 128 / bytes, slot = (t / ways) mod L and
/// row = (t mod ways) + 32 * (t / L).
struct ProgramOp {
  Operation operation = Operation::load;
  std::uint8_t bytes = 4;
  std::uint32_t ways = 1;
  /// 0 = the address is ready from the start; n = it comes from the first word of the latest load
  /// through n dependent ALU instructions.
  std::uint32_t dependent_instructions = 0;
};

/// A straight-line program that every warp of a block runs.
struct Program {
  std::uint32_t id = 0;
  std::string name;
  std::vector<ProgramOp> ops;
  /// Its warps start one after the other (`late`): measured so, not timed by `run` and `compare`.
  bool starts_late = false;
};

/// Reads a program file: a JSON list of {id, name, ops: [{op, bytes, ways, after}]}. `after` k >= 1
/// stands for ceil(k / 2) instructions, which is what the measured code executes
/// (traces/measured/h200/README.md). A program that ends with a store gets the conflict-free 4-byte
/// load that ends it. Throws TraceError.
[[nodiscard]] std::vector<Program> read_programs(const std::string& file, const GpuSpec& spec);

/// The same from bytes; `name` stands in messages.
[[nodiscard]] std::vector<Program> read_programs(ByteSource& bytes, const std::string& name,
                                                 const GpuSpec& spec);

/// The records of one warp running `program`; pc counts 16 bytes an instruction.
[[nodiscard]] std::vector<TraceRecord> program_records(const Program& program, std::uint32_t kernel,
                                                       std::uint32_t warp);

/// A program file as a trace: every program is a kernel of one block whose warps
/// 0, stride, 2 * stride, … run it.
class ProgramReader : public TraceReader {
 public:
  ProgramReader(std::vector<Program> programs, std::uint32_t warps, std::uint32_t warp_stride);

  std::size_t read(std::span<TraceRecord> records) override;
  [[nodiscard]] const TraceInfo& info() const override { return info_; }

 private:
  std::vector<Program> programs_;
  std::uint32_t warps_;
  std::uint32_t warp_stride_;
  TraceInfo info_;
  std::size_t program_ = 0;
  std::uint32_t warp_ = 0;
  std::size_t next_ = 0;
  std::vector<TraceRecord> current_;
};

}  // namespace smem
