// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <traces/trace_record.hpp>

namespace smem {

/// Follows one warp's registers through its instructions, to know which earlier shared access a
/// later one waits for, and through how many dependent instructions.
class RegisterFlow {
 public:
  /// R0 … R255, then UR0 … UR255.
  using Register = std::uint16_t;
  static constexpr std::size_t kRegisters = 512;
  static constexpr Register kFirstUniform = 256;

  /// RZ and URZ (UR63; UR255 where there are more): never written, never waited for.
  [[nodiscard]] static constexpr bool is_zero(Register number) {
    return number == 255 || number == kFirstUniform + 63 || number == kFirstUniform + 255;
  }

  /// An instruction that touches no shared memory. What it writes depends on what its sources
  /// depend on, one instruction further; `breaks_chain`: its result comes from elsewhere (another
  /// memory), so it depends on nothing followed here.
  void instruction(std::span<const Register> destinations, std::span<const Register> sources,
                   bool breaks_chain);

  /// A shared access or a barrier: fills the record's `issue_gap_instructions`, `depends_on` and
  /// `dependent_instructions`, of all sources (address and data) the one that comes latest; marks
  /// `destination_registers` registers from `destinations[0]` on as its result.
  void access(TraceRecord& record, std::span<const Register> destinations,
              std::span<const Register> sources, unsigned destination_registers);

  /// Forgets everything: the next warp.
  void reset() { *this = RegisterFlow(); }

 private:
  struct Origin {
    std::uint64_t record = 0;  ///< the warp's n-th record, from 1; 0 = none
    std::uint32_t instructions = 0;
  };

  [[nodiscard]] Origin latest(std::span<const Register> sources) const;
  void write(Register destination, Origin origin) {
    if (!is_zero(destination)) registers_[destination] = origin;
  }

  std::array<Origin, kRegisters> registers_{};
  std::uint64_t records_ = 0;
  std::uint32_t gap_instructions_ = 0;
};

}  // namespace smem
