// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <clock/policies/policy_kinds.hpp>
#include <clock/timing.hpp>
#include <tests/support/random_access.hpp>
#include <tests/support/random_blocks.hpp>

namespace smem::test {
namespace {

using clock::Instruction;
using clock::InstructionKind;
using Program = std::vector<Instruction>;

/// What the kinds of accesses ask of the clock.
struct AccessKind {
  bool returns_value;
  std::uint8_t operand_registers;
  std::uint16_t transfer_cycles;
};

constexpr std::array kAccessKinds = {
    AccessKind{true, 1, 1},   // LDS
    AccessKind{true, 1, 2},   // LDS.64
    AccessKind{true, 1, 4},   // LDS.128, ldmatrix.x4
    AccessKind{false, 2, 1},  // STS
    AccessKind{false, 3, 2},  // STS.64
    AccessKind{false, 5, 4},  // STS.128, stmatrix.x4
    AccessKind{false, 2, 1},  // red
    AccessKind{true, 2, 1},   // atom
    AccessKind{true, 3, 1},   // atom.cas
    AccessKind{false, 1, 1},  // an access that hands over an address and returns nothing
    AccessKind{true, 1, 0},   // a load that costs nothing on the way back
};

Instruction random_instruction(std::mt19937& random, std::uint32_t values, std::uint32_t most_gap) {
  Instruction instruction;
  if (below(random, 8) == 0) {
    instruction.kind = InstructionKind::barrier;
  } else {
    const AccessKind& kind = kAccessKinds[below(random, kAccessKinds.size())];
    instruction.returns_value = kind.returns_value;
    instruction.operand_registers = kind.operand_registers;
    instruction.transfer_cycles = kind.transfer_cycles;
    instruction.wavefronts =
        static_cast<std::uint16_t>(1 + below(random, below(random, 4) == 0 ? 32 : 4));
  }
  if (below(random, 4) == 0) instruction.repeats = 1 + below(random, 5);
  if (below(random, 6) == 0) instruction.delay_cycles = below(random, 40);
  if (below(random, 4) == 0) {
    instruction.independent_instructions = below(random, most_gap + 1);
  }
  if (below(random, 6) == 0) {
    instruction.moves = kept_moves({0, static_cast<std::uint8_t>(1 + below(random, 6))});
  }
  if (below(random, 4) == 0) instruction.dependent_instructions = below(random, 5);
  if (values != 0 && below(random, 3) == 0) instruction.needs_values = 1 + below(random, values);
  return instruction;
}

std::shared_ptr<const Program> random_program(std::mt19937& random, const RandomBlocks& limits) {
  Program program(below(random, limits.most_instructions + 1));
  std::uint32_t values = 0;
  for (Instruction& instruction : program) {
    instruction = random_instruction(random, values, limits.most_gap);
    if (instruction.returns_value) values += instruction.repeats;
  }
  return std::make_shared<const Program>(std::move(program));
}

}  // namespace

const clock::OperandMoves* kept_moves(const clock::OperandMoves& moves) {
  static std::map<std::pair<std::uint32_t, std::uint8_t>, clock::OperandMoves> kept;
  return &kept.try_emplace({moves.data_delay_cycles, moves.run_instructions}, moves).first->second;
}

clock::TimingSpec random_timing(std::mt19937& random) {
  clock::TimingSpec timing;
  for (const clock::TimingField& field : clock::kTimingFields) {
    const std::uint32_t reach =
        std::min(field.most, field.least + (below(random, 4) == 0 ? 17 : 4));
    timing.*field.member = field.least + below(random, reach - field.least + 1);
  }
  timing.wavefronts_per_cycle = 1 + below(random, 4);
  timing.load_latency_cycles = below(random, 40);
  clock::for_each_policy_kind([&](const char*, const auto& table, auto member) {
    timing.*member = table[below(random, static_cast<std::uint32_t>(table.size()))].policy;
  });
  return timing;
}

std::vector<clock::Block> random_blocks(std::mt19937& random, const RandomBlocks& limits) {
  std::vector<clock::Block> blocks;
  const std::uint32_t kernels = 1 + below(random, limits.most_kernels);
  for (std::uint32_t kernel = 0; kernel < kernels; ++kernel) {
    const std::uint32_t resident = 1 + below(random, limits.most_blocks);
    const std::uint32_t count = 1 + below(random, limits.most_blocks);
    for (std::uint32_t index = 0; index < count; ++index) {
      clock::Block block{kernel, index, resident, {}};
      const std::uint32_t warps =
          below(random, 12) == 0
              ? 0
              : 1 + below(random,
                          below(random, 3) == 0 ? limits.most_warps : 1 + limits.most_warps / 4);
      const std::uint32_t stride = below(random, 4) == 0 ? 4 : 1;
      for (std::uint32_t warp = 0; warp < warps; ++warp) {
        const bool same = warp != 0 && below(random, 2) == 0;
        block.warps.push_back(
            {warp * stride + (stride == 1 ? 0 : kernel),
             same ? block.warps.back().instructions : random_program(random, limits)});
      }
      blocks.push_back(std::move(block));
    }
  }
  return blocks;
}

}  // namespace smem::test
