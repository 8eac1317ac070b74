// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <clock/recurrence/recurrence_run.hpp>

namespace smem::clock {
namespace {

std::string place_of(const Block& block) {
  return " in block " + std::to_string(block.block) + " of kernel " + std::to_string(block.kernel);
}

/// What of `block` the recurrence does not accept, in words.
std::optional<std::string> refusal_of_block(const Block& block) {
  if (block.warps.size() > 1) {
    return "one warp a block, found " + std::to_string(block.warps.size()) + place_of(block);
  }
  if (block.warps.empty()) return std::nullopt;
  std::uint64_t values = 0;
  for (const Instruction& instruction : *block.warps[0].instructions) {
    if (instruction.repeats == 0) return "repeats of at least 1, found 0" + place_of(block);
    if (instruction.needs_values > values) {
      return "values of earlier accesses, found the need of value " +
             std::to_string(instruction.needs_values) + " after " + std::to_string(values) +
             place_of(block);
    }
    if (instruction.kind == InstructionKind::barrier) continue;
    if (instruction.wavefronts == 0) {
      return "accesses of at least one wavefront, found 0" + place_of(block);
    }
    if (instruction.returns_value) values += instruction.repeats;
  }
  return std::nullopt;
}

/// The same of `next`, which waits while `block` runs.
std::optional<std::string> refusal_of_next(const Block& block, const Block* next) {
  if (next == nullptr || next->kernel != block.kernel || next->resident_blocks <= 1) {
    return std::nullopt;
  }
  return "one resident block, found " + std::to_string(next->resident_blocks) + " of kernel " +
         std::to_string(next->kernel);
}

}  // namespace

RecurrenceRun::RecurrenceRun(const TimingSpec& timing, BlockSource& source, Observer* observer,
                             Cycle start_cycle)
    : source_(source),
      observer_(observer),
      timing_(timing),
      recurrence_(timing),
      start_cycle_(start_cycle),
      launch_cycle_(start_cycle) {}

void RecurrenceRun::run() {
  if (observer_ != nullptr) observer_->simulation_started(start_cycle_);
  const Block* block = source_.next();
  while (block != nullptr) {
    blocks_left_ = {block};
    refusal_ = refusal_of_block(*block);
    if (refusal_) return;
    const Block* const next = source_.next();
    if (next != nullptr) blocks_left_.push_back(next);
    refusal_ = refusal_of_next(*block, next);
    if (refusal_) return;
    launch_cycle_ = run_block(*block, launch_cycle_ + 1);
    source_.retire(*block);
    block = next;
  }
  blocks_left_.clear();
}

Cycle RecurrenceRun::run_block(const Block& block, Cycle start_cycle) {
  if (observer_ != nullptr) observer_->block_started(0, block, start_cycle);
  Cycle retire_cycle = start_cycle - 1;
  if (!block.warps.empty()) {
    const WarpProgram& warp = block.warps[0];
    std::uint32_t values_kept = 0;
    const Instruction* last_access = nullptr;
    for (const Instruction& instruction : *warp.instructions) {
      values_kept = std::max(values_kept, instruction.needs_values);
      if (instruction.kind == InstructionKind::access) last_access = &instruction;
    }
    sub_partition_ = static_cast<std::uint8_t>(warp.warp % timing_.sub_partitions);
    recurrence_.start_warp(sub_partition_, start_cycle, values_kept);
    if (observer_ != nullptr) observer_->warp_started(0, 0, warp.warp, start_cycle);
    for (const Instruction& instruction : *warp.instructions) {
      switch (instruction.kind) {
        case InstructionKind::access:
          run_access(instruction, &instruction == last_access);
          break;
        case InstructionKind::barrier:
          run_barrier(instruction);
          break;
      }
    }
    const Cycle finish_cycle = recurrence_.finish_cycle();
    if (observer_ != nullptr) observer_->warp_finished(0, finish_cycle);
    retire_cycle = finish_cycle + 1;
  }
  if (observer_ != nullptr) observer_->block_finished(0, retire_cycle);
  return retire_cycle;
}

void RecurrenceRun::run_access(const Instruction& instruction, bool is_last) {
  wavefronts_ += std::uint64_t{instruction.wavefronts} * instruction.repeats;
  if (instruction.returns_value) {
    return_busy_cycles_ += std::uint64_t{instruction.transfer_cycles} * instruction.repeats;
  }
  for (std::uint32_t repeat = 1; repeat <= instruction.repeats; ++repeat) {
    const AccessStamps stamps = recurrence_.access(instruction);
    if (observer_ != nullptr) {
      tell_access(instruction, stamps, is_last && repeat == instruction.repeats);
    }
  }
}

void RecurrenceRun::run_barrier(const Instruction& instruction) {
  for (std::uint32_t repeat = 0; repeat < instruction.repeats; ++repeat) {
    const BarrierStamps barrier = recurrence_.barrier(instruction);
    if (observer_ == nullptr) continue;
    observer_->barrier_arrived(0, instruction, barrier.arrival_cycle);
    observer_->barrier_opened(0, barrier.passed_cycle);
    observer_->barrier_passed(0, barrier.passed_cycle);
  }
}

void RecurrenceRun::tell_access(const Instruction& instruction, const AccessStamps& stamps,
                                bool is_last) {
  InFlight told;
  told.instruction = &instruction;
  told.sub_partition = sub_partition_;
  told.last_of_warp = is_last;
  told.stamps = stamps;
  observer_->access_issued(told);
  observer_->access_finished(told);
}

IdleState RecurrenceRun::idle_state() const {
  IdleState state = recurrence_.idle_state(launch_cycle_);
  state.start_cycle = start_cycle_;
  state.wavefronts = wavefronts_;
  state.return_busy_cycles = return_busy_cycles_;
  return state;
}

SimulationResult RecurrenceRun::result() const {
  SimulationResult result;
  result.start_cycle = start_cycle_;
  const Cycle end_cycle = recurrence_.last_finish_cycle();
  result.total_cycles = end_cycle > start_cycle_ ? end_cycle - start_cycle_ : 0;
  result.wavefronts = wavefronts_;
  result.return_busy_cycles = return_busy_cycles_;
  return result;
}

SimulationResult simulate_by_recurrence(const TimingSpec& timing, BlockSource& source,
                                        Observer* observer) {
  RecurrenceRun run(timing, source, observer, 0);
  run.run();
  if (run.refusal()) throw RecurrenceRefusal("the recurrence needs " + *run.refusal());
  return run.result();
}

}  // namespace smem::clock
