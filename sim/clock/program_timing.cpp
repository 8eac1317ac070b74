// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <utility>

#include <clock/make_instruction.hpp>
#include <clock/timing.hpp>

#include <sim/clock/measuring_kernel.hpp>
#include <sim/clock/program_timing.hpp>
#include <sim/config/gpu_description.hpp>

namespace smem {
namespace {

using clock::Cycle;
using clock::Instruction;
using clock::InstructionKind;
using clock::OperandMoves;

constexpr std::uint32_t kPasses = 3;  // the start offsets of the third repeat those of later ones

/// Whether a program has loads besides the one that ends it.
bool has_load(const Program& program) {
  return std::any_of(program.ops.begin(), program.ops.end() - 1,
                     [](const ProgramOp& op) { return traits(op.operation).returns_value; });
}

/// How many moves between the accesses copy the one register of store data to the others of each
/// wide store. In programs of stores alone they come before the first one and delay its data.
std::uint32_t moves_between_accesses(const Program& program) {
  if (!has_load(program)) return 0;
  std::uint32_t moves = 0;
  for (const ProgramOp& op : program.ops) {
    if (!traits(op.operation).returns_value && op.bytes > 4) moves += op.bytes / 4u - 1;
  }
  return moves;
}

/// The moves of one access where the start clock is read behind the barrier; of those between the
/// accesses, `moves_left` are still to be made.
OperandMoves operand_moves(const GpuDescription& gpu, const MeasuringKernel& kernel,
                           const Instruction& access, std::uint32_t moves_left) {
  OperandMoves moves;
  if (!access.returns_value) {
    // The data of stores is made there, too, a move a register.
    const std::uint32_t data_registers = access.operand_registers - 1u;
    moves.data_delay_cycles = kernel.launch_cycles + kernel.data_cycles +
                              data_registers * gpu.timing->alu_interval_cycles;
  }
  moves.run_instructions = static_cast<std::uint8_t>(std::min(moves_left, kernel.moves_per_access));
  return moves;
}

/// What a warp runs, and the moves its instructions point to.
struct Passes {
  std::vector<Instruction> instructions;
  std::deque<OperandMoves> moves;  // which stay where they are
};

/// The passes of one warp: barrier, program, barrier, program, …, barrier.
std::shared_ptr<const std::vector<Instruction>> passes(const GpuDescription& gpu,
                                                       const MeasuringKernel& kernel,
                                                       const Program& program, ClockStart start) {
  const auto kept = std::make_shared<Passes>();
  std::vector<Instruction>& instructions = kept->instructions;
  std::uint32_t values = 0;
  const auto add_barrier = [&] {
    Instruction barrier;
    barrier.kind = InstructionKind::barrier;
    barrier.needs_values = values;
    barrier.delay_cycles = instructions.empty() ? 0 : kernel.finish_cycles;
    instructions.push_back(barrier);
  };
  for (std::uint32_t pass = 0; pass < kPasses; ++pass) {
    add_barrier();
    bool is_first = true;
    std::uint32_t moves = moves_between_accesses(program);
    for (const TraceRecord& record : program_records(program, 0, 0)) {
      const AccessCost cost = analyze(gpu.spec, record.access);
      Instruction instruction = clock::make_instruction(record.access, cost);
      if (is_first) instruction.delay_cycles = kernel.launch_cycles;
      is_first = false;
      instruction.dependent_instructions = record.dependent_instructions;
      if (record.depends_on != 0) instruction.needs_values = values;
      if (instruction.returns_value) ++values;
      if (start == ClockStart::release) {
        kept->moves.push_back(operand_moves(gpu, kernel, instruction, moves));
        instruction.moves = &kept->moves.back();
        moves -= instruction.run_instructions();
      }
      instructions.push_back(instruction);
    }
  }
  add_barrier();
  return {kept, &kept->instructions};
}

class OneBlock : public clock::BlockSource {
 public:
  explicit OneBlock(clock::Block block) : block_(std::move(block)) {}
  const clock::Block* next() override { return std::exchange(given_, true) ? nullptr : &block_; }

 private:
  clock::Block block_;
  bool given_ = false;
};

/// Notes when each warp arrives at each barrier, and goes on behind it.
class BarrierClock : public clock::Observer {
 public:
  explicit BarrierClock(std::uint32_t warps) : arrivals_(warps), passed_(warps) {}

  void barrier_arrived(std::uint16_t warp_slot, const Instruction&, Cycle cycle) override {
    arrivals_[warp_slot].push_back(cycle);
  }
  void barrier_passed(std::uint16_t warp_slot, Cycle cycle) override {
    passed_[warp_slot].push_back(cycle);
  }

  const std::vector<std::vector<Cycle>>& arrivals() const { return arrivals_; }
  const std::vector<std::vector<Cycle>>& passed() const { return passed_; }

 private:
  std::vector<std::vector<Cycle>> arrivals_;
  std::vector<std::vector<Cycle>> passed_;
};

/// Programs without loads reach the barrier at least `store_spacing_cycles` apart (read
/// off the measured start columns; why is not known). Moves the arrivals of the last pass apart,
/// and returns how much later the barrier opens for it.
std::uint64_t space_arrivals(const clock::TimingSpec& timing, const MeasuringKernel& kernel,
                             std::vector<Cycle>& starts) {
  std::vector<std::size_t> order(starts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return starts[a] < starts[b]; });
  const auto last_taken = [&] {
    Cycle free = 0;
    for (const std::size_t warp : order) {
      free = std::max(free, starts[warp]) + timing.barrier_arrival_interval_cycles;
    }
    return free;
  };
  const Cycle before = last_taken();
  for (std::size_t index = 1; index < order.size(); ++index) {
    starts[order[index]] =
        std::max(starts[order[index]], starts[order[index - 1]] + kernel.store_spacing_cycles);
  }
  return last_taken() - before;
}

}  // namespace

ProgramTiming time_program(const GpuDescription& gpu, const MeasuringKernel& kernel,
                           const Program& program, std::uint32_t warps, std::uint32_t warp_stride,
                           ClockStart start, clock::Engine engine) {
  clock::Block block;
  const auto instructions = passes(gpu, kernel, program, start);
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    block.warps.push_back({warp * warp_stride, instructions});
  }
  OneBlock source(std::move(block));
  BarrierClock clock(warps);
  clock::simulate(*gpu.timing, source, &clock, nullptr, engine);
  std::vector<Cycle> starts;
  std::vector<Cycle> finishes;
  std::map<std::uint32_t, std::uint32_t> earlier_warps;  // by sub-partition
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    if (start == ClockStart::arrival) {
      starts.push_back(clock.arrivals()[warp][kPasses - 1]);
    } else {
      const std::uint32_t earlier =
          earlier_warps[warp * warp_stride % gpu.timing->sub_partitions]++;
      starts.push_back(clock.passed()[warp][kPasses - 1] + earlier * kernel.start_interval_cycles +
                       (earlier >= 3 ? kernel.fourth_start_cycles : 0));
    }
    finishes.push_back(clock.arrivals()[warp][kPasses]);
  }
  if (start == ClockStart::arrival && !has_load(program) && program.ops.size() > 1) {
    const std::uint64_t later = space_arrivals(*gpu.timing, kernel, starts);
    for (Cycle& finish : finishes) finish += later;
  }
  const Cycle first = *std::min_element(starts.begin(), starts.end());
  ProgramTiming timing;
  timing.total_cycles = *std::max_element(finishes.begin(), finishes.end()) -
                        *std::max_element(starts.begin(), starts.end());
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    timing.warps.push_back({starts[warp] - first, finishes[warp] - first});
  }
  return timing;
}

}  // namespace smem
