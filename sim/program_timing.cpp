// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <cycle/make_instruction.hpp>
#include <cycle/simulate.hpp>
#include <sim/program_timing.hpp>

namespace smem {
namespace {

using cycle::Cycle;
using cycle::Instruction;
using cycle::InstructionKind;

constexpr std::uint32_t kPasses = 3;  // the start offsets of the third repeat those of later ones

/// The passes of one warp: barrier, program, barrier, program, …, barrier.
std::shared_ptr<const std::vector<Instruction>> passes(const GpuSpec& spec,
                                                       const Program& program) {
  std::vector<Instruction> instructions;
  std::uint32_t values = 0;
  const auto add_barrier = [&] {
    Instruction barrier;
    barrier.kind = InstructionKind::barrier;
    barrier.needs_values = values;
    barrier.delay_cycles = instructions.empty() ? 0 : spec.timing.measured_finish_cycles;
    instructions.push_back(barrier);
  };
  for (std::uint32_t pass = 0; pass < kPasses; ++pass) {
    add_barrier();
    bool is_first = true;
    for (const TraceRecord& record : program_records(program, 0, 0)) {
      Instruction instruction =
          cycle::make_instruction(record.access, analyze(spec, record.access));
      if (is_first) instruction.delay_cycles = spec.timing.measured_launch_cycles;
      is_first = false;
      instruction.dependent_instructions = record.dependent_instructions;
      if (record.depends_on != 0) instruction.needs_values = values;
      if (instruction.returns_value) ++values;
      instructions.push_back(instruction);
    }
  }
  add_barrier();
  return std::make_shared<const std::vector<Instruction>>(std::move(instructions));
}

class OneBlock : public cycle::BlockSource {
 public:
  explicit OneBlock(cycle::Block block) : block_(std::move(block)) {}
  const cycle::Block* next() override { return std::exchange(given_, true) ? nullptr : &block_; }

 private:
  cycle::Block block_;
  bool given_ = false;
};

/// Notes when each warp arrives at each barrier, and when barriers open.
class BarrierClock : public cycle::Observer {
 public:
  explicit BarrierClock(std::uint32_t warps) : arrivals_(warps) {}

  void barrier_arrived(std::uint16_t warp_slot, const Instruction&, Cycle cycle) override {
    arrivals_[warp_slot].push_back(cycle);
  }
  void barrier_opened(std::uint16_t, Cycle cycle) override { openings_.push_back(cycle); }

  const std::vector<std::vector<Cycle>>& arrivals() const { return arrivals_; }
  const std::vector<Cycle>& openings() const { return openings_; }

 private:
  std::vector<std::vector<Cycle>> arrivals_;
  std::vector<Cycle> openings_;
};

}  // namespace

ProgramTiming time_program(const GpuSpec& spec, const Program& program, std::uint32_t warps,
                           std::uint32_t warp_stride, ClockStart start) {
  cycle::Block block;
  const auto instructions = passes(spec, program);
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    block.warps.push_back({warp * warp_stride, instructions});
  }
  OneBlock source(std::move(block));
  BarrierClock clock(warps);
  cycle::simulate(spec.timing, source, &clock);
  Cycle first_start = cycle::kNever;
  Cycle last_start = 0;
  Cycle last_finish = 0;
  for (const std::vector<Cycle>& arrivals : clock.arrivals()) {
    const Cycle started =
        start == ClockStart::arrival ? arrivals[kPasses - 1] : clock.openings()[kPasses - 1];
    first_start = std::min(first_start, started);
    last_start = std::max(last_start, started);
    last_finish = std::max(last_finish, arrivals[kPasses]);
  }
  ProgramTiming timing;
  timing.total_cycles = last_finish - last_start;
  for (const std::vector<Cycle>& arrivals : clock.arrivals()) {
    const Cycle started =
        start == ClockStart::arrival ? arrivals[kPasses - 1] : clock.openings()[kPasses - 1];
    timing.warps.push_back({started - first_start, arrivals[kPasses] - first_start});
  }
  return timing;
}

}  // namespace smem
