// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <smem/gpu_spec.hpp>
#include <traces/text/line_reader.hpp>
#include <traces/text/register_flow.hpp>
#include <traces/text/sass_opcode.hpp>

namespace smem {

/// Reads an Accel-Sim `.traceg` file (traces/FORMAT.md): one kernel, tracer versions up to 6. Holds
/// one line and one warp's registers, whatever the file's length. Shared accesses and barriers
/// become records; the instructions between them give issue gaps and dependences.
class AccelSimReader : public LineReader {
 public:
  /// Reads the header; throws TraceError.
  AccelSimReader(TextSource source, const GpuSpec& spec, ReadOptions options = {});

 private:
  /// One instruction line.
  struct Instruction {
    std::uint64_t pc = 0;
    std::uint32_t mask = 0;
    std::array<RegisterFlow::Register, 8> destinations{};
    std::array<RegisterFlow::Register, 16> sources{};
    std::size_t destination_count = 0;
    std::size_t source_count = 0;
    std::string_view opcode;
    bool has_addresses = false;
    bool is_descriptor = false;
    std::array<std::uint64_t, kLanesPerWarp> addresses{};
  };

  void read_header();
  void read_header_line(std::string_view line);
  bool take_line(std::string_view line, TraceRecord& record) override;
  bool take_structure(std::string_view line);
  void begin_warp(std::uint64_t warp);
  void end_warp();
  void set_block(std::string_view text);
  bool take_instruction(std::string_view line, TraceRecord& record);
  void parse_instruction(std::string_view line, Instruction& instruction);
  void parse_addresses(std::string_view& rest, Instruction& instruction);
  template <std::size_t kSize>
  std::size_t parse_registers(std::string_view& rest,
                              std::array<RegisterFlow::Register, kSize>& registers);
  void parse_end(std::string_view rest) const;
  bool make_record(const Instruction& instruction, TraceRecord& record);
  [[nodiscard]] std::optional<std::uint32_t> shared_offset(std::uint64_t address,
                                                           AddressSpace space) const;
  std::uint64_t number(std::string_view text, int base, std::uint64_t most,
                       std::string_view what) const;
  [[nodiscard]] std::array<std::uint32_t, 3> extent(std::string_view text) const;
  void finish() override;

  std::uint64_t tracer_version_ = 0;
  bool has_line_numbers_ = false;
  std::uint64_t shared_base_address_ = 0;

  bool in_block_ = false;
  bool any_block_ = false;
  std::uint32_t block_ = 0;
  std::uint32_t warp_ = 0;
  std::optional<std::uint64_t> instructions_expected_;
  std::uint64_t instructions_read_ = 0;
  RegisterFlow flow_;
};

}  // namespace smem
