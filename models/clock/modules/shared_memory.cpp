// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include <clock/modules/shared_memory.hpp>

namespace smem::clock {

SharedMemory::SharedMemory(const sc_core::sc_module_name& name, CycleScheduler& scheduler,
                           std::size_t sub_partitions)
    : sc_module(name),
      in_accesses("in_accesses", sub_partitions),
      in_instructions("in_instructions"),
      out_departures("out_departures", sub_partitions),
      out_values("out_values", sub_partitions),
      out_store_ends("out_store_ends", sub_partitions),
      operand_path_("operand_path", scheduler, sub_partitions),
      data_stage_("data_stage", scheduler),
      writeback_("writeback", pool_, sub_partitions) {
  connect(scheduler);
}

SharedMemory::SharedMemory(const sc_core::sc_module_name& name, sc_core::sc_time cycle_time,
                           std::size_t sub_partitions)
    : sc_module(name),
      in_accesses("in_accesses", sub_partitions),
      in_instructions("in_instructions"),
      out_departures("out_departures", sub_partitions),
      out_values("out_values", sub_partitions),
      out_store_ends("out_store_ends", sub_partitions),
      own_scheduler_(std::make_unique<CycleScheduler>("scheduler", Timebase{cycle_time, 1})),
      operand_path_("operand_path", *own_scheduler_, sub_partitions),
      data_stage_("data_stage", *own_scheduler_),
      writeback_("writeback", pool_, sub_partitions) {
  connect(*own_scheduler_);
}

void SharedMemory::connect(const CycleScheduler& scheduler) {
  in_instructions.init(in_accesses.size(), [&](const char* own_name, std::size_t index) {
    return new InstructionEntry(own_name, static_cast<std::uint8_t>(index), scheduler, pool_,
                                operand_path_.in_accesses[index]);
  });
  operand_path_.out_queue.bind(queue_);
  data_stage_.in_queue.bind(queue_);
  data_stage_.out_wavefronts.bind(lane_grouper_.in_wavefronts);
  data_stage_.out_ended.bind(writeback_.in_ended);
  data_stage_.out_data_released.bind(operand_path_.in_data_released);
  lane_grouper_.out_served.bind(banks_.in_served);
  for (std::size_t index = 0; index < in_accesses.size(); ++index) {
    in_accesses[index].bind(operand_path_.in_accesses[index]);
    operand_path_.out_departures[index].bind(out_departures[index]);
    writeback_.out_values[index].bind(out_values[index]);
    writeback_.out_store_ends[index].bind(out_store_ends[index]);
  }
}

void SharedMemory::reset(const TimingSpec& timing, Observer* observer, const BankView& banks) {
  assert(timing.sub_partitions <= in_accesses.size());
  operand_path_.reset(timing);
  queue_.reset(timing);
  data_stage_.reset(timing, banks.mode);
  lane_grouper_.reset(banks.spec, banks.wavefronts);
  banks_.reset(banks.spec, banks.observer, banks.memory);
  writeback_.reset(timing, observer);
}

void SharedMemory::resume(const IdleState& left) {
  operand_path_.resume(left);
  data_stage_.resume(left);
  writeback_.resume(left);
}

}  // namespace smem::clock
