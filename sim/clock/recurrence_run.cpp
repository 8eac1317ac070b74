// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <clock/recurrence/recurrence.hpp>

#include <sim/clock/recurrence_run.hpp>
#include <sim/clock/timed_instruction.hpp>

namespace smem {
namespace po = boost::program_options;

namespace {

using clock::Block;
using clock::Cycle;
using clock::Instruction;
using clock::InstructionKind;

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

void refuse(const std::optional<std::string>& reason) {
  if (reason) throw RecurrenceRefusal("the recurrence needs " + *reason);
}

/// Runs blocks one after the other, in warp and block slot 0, and tells the observer.
class BlockRun {
 public:
  BlockRun(const clock::TimingSpec& timing, clock::Observer* observer)
      : timing_(timing), recurrence_(timing), observer_(observer) {}

  /// Starts `block` in `start_cycle`; returns the cycle in which it retires.
  Cycle run(const Block& block, Cycle start_cycle);
  clock::SimulationResult result() const { return result_; }

 private:
  void run_access(const Instruction& instruction, const clock::TimedInstruction& timed,
                  bool is_last);
  void run_barrier(const Instruction& instruction, const clock::TimedInstruction& timed);
  void tell_access(const Instruction& instruction, const clock::TimedAccess& access, bool is_last);

  const clock::TimingSpec timing_;
  clock::Recurrence recurrence_;
  clock::Observer* observer_;
  std::uint8_t sub_partition_ = 0;
  clock::SimulationResult result_;
};

Cycle BlockRun::run(const Block& block, Cycle start_cycle) {
  if (observer_ != nullptr) observer_->block_started(0, block, start_cycle);
  Cycle retire_cycle = start_cycle - 1;
  if (!block.warps.empty()) {
    const clock::WarpProgram& warp = block.warps[0];
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
      const clock::TimedInstruction timed = timed_instruction(instruction);
      if (instruction.kind == InstructionKind::access) {
        run_access(instruction, timed, &instruction == last_access);
      } else {
        run_barrier(instruction, timed);
      }
    }
    const Cycle finish_cycle = recurrence_.finish_cycle();
    if (observer_ != nullptr) observer_->warp_finished(0, finish_cycle);
    retire_cycle = finish_cycle + 1;
  }
  if (observer_ != nullptr) observer_->block_finished(0, retire_cycle);
  result_.total_cycles = recurrence_.last_finish_cycle();
  return retire_cycle;
}

void BlockRun::run_access(const Instruction& instruction, const clock::TimedInstruction& timed,
                          bool is_last) {
  result_.wavefronts += std::uint64_t{instruction.wavefronts} * instruction.repeats;
  if (instruction.returns_value) {
    result_.return_busy_cycles += std::uint64_t{instruction.transfer_cycles} * instruction.repeats;
  }
  for (std::uint32_t repeat = 1; repeat <= instruction.repeats; ++repeat) {
    const clock::TimedAccess access = recurrence_.access(timed);
    if (observer_ != nullptr) {
      tell_access(instruction, access, is_last && repeat == instruction.repeats);
    }
  }
}

void BlockRun::run_barrier(const Instruction& instruction, const clock::TimedInstruction& timed) {
  for (std::uint32_t repeat = 0; repeat < instruction.repeats; ++repeat) {
    const clock::TimedBarrier barrier = recurrence_.barrier(timed);
    if (observer_ == nullptr) continue;
    observer_->barrier_arrived(0, instruction, barrier.arrival_cycle);
    observer_->barrier_opened(0, barrier.passed_cycle);
    observer_->barrier_passed(0, barrier.passed_cycle);
  }
}

void BlockRun::tell_access(const Instruction& instruction, const clock::TimedAccess& access,
                           bool is_last) {
  clock::InFlight told;
  told.instruction = &instruction;
  told.sub_partition = sub_partition_;
  told.last_of_warp = is_last;
  told.stamps.able_cycle = access.able_cycle;
  told.stamps.ready_cycle = access.ready_cycle;
  told.stamps.room_cycle = access.room_cycle;
  told.stamps.issue_cycle = access.issue_cycle;
  observer_->access_issued(told);
  told.stamps.path_free_cycle = access.path_free_cycle;
  told.stamps.transfer_cycle = access.transfer_cycle;
  told.stamps.moved_cycle = access.moved_cycle;
  told.stamps.queue_cycle = access.queue_cycle;
  told.stamps.own_service_end_cycle = access.own_service_end_cycle;
  told.stamps.service_cycle = access.service_cycle;
  told.stamps.first_wavefront_cycle = access.first_wavefront_cycle;
  told.stamps.last_wavefront_cycle = access.last_wavefront_cycle;
  told.stamps.return_cycle = access.return_cycle;
  told.stamps.finish_cycle = access.finish_cycle;
  observer_->access_finished(told);
}

}  // namespace

void declare_timing_method(CommandOptions& options) {
  options.add()("timing", po::value<std::string>()->default_value("systemc")->value_name("METHOD"),
                "what works out the cycles: systemc, or recurrence, which gives the same cycles "
                "faster and takes one warp at a time only");
}

TimingMethod timing_method(const CommandOptions& options) {
  const std::string& name = options.get<std::string>("timing");
  if (name == "systemc") return TimingMethod::systemc;
  if (name == "recurrence") return TimingMethod::recurrence;
  throw UsageError("--timing: expected systemc or recurrence, found '" + name + "'");
}

clock::SimulationResult simulate_by_recurrence(const clock::TimingSpec& timing,
                                               clock::BlockSource& source,
                                               clock::Observer* observer) {
  BlockRun run(timing, observer);
  if (observer != nullptr) observer->simulation_started(0);
  Cycle launch_cycle = 0;
  for (const Block* block = source.next(); block != nullptr;) {
    refuse(refusal_of_block(*block));
    const Block* const next = source.next();
    refuse(refusal_of_next(*block, next));
    launch_cycle = run.run(*block, launch_cycle + 1);
    source.retire(*block);
    block = next;
  }
  return run.result();
}

clock::SimulationResult simulate_by(TimingMethod method, const clock::TimingSpec& timing,
                                    clock::BlockSource& source, clock::Observer* observer) {
  switch (method) {
    case TimingMethod::systemc:
      return clock::simulate(timing, source, observer);
    case TimingMethod::recurrence:
      return simulate_by_recurrence(timing, source, observer);
  }
  return {};
}

}  // namespace smem
