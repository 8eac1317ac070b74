// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include <clock/modules/shared_memory.hpp>
#include <clock/simulate.hpp>

namespace smem::clock {
namespace {

/// The one model of the process. SystemC elaborates once; freeing it at exit would touch a kernel
/// that is gone by then.
SharedMemory& shared_memory() {
  static SharedMemory* const model = [] {
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    return new SharedMemory("shared_memory");
  }();
  return *model;
}

SimulationResult run(SharedMemory& model) {
  model.run();
  if (!model.all_done()) {
    throw std::runtime_error("the simulated SM came to a standstill before the last block ended");
  }
  SimulationResult result;
  result.start_cycle = model.start_cycle();
  const Cycle end = model.writeback().last_finish_cycle();
  result.total_cycles = end > result.start_cycle ? end - result.start_cycle : 0;
  result.wavefronts = model.crossbar().wavefronts();
  result.return_busy_cycles = model.writeback().busy_cycles();
  return result;
}

}  // namespace

SimulationResult simulate(const TimingSpec& timing, BlockSource& source, Observer* observer,
                          WavefrontObserver* wavefronts) {
  SharedMemory& model = shared_memory();
  model.reset(timing, source, observer, wavefronts);
  return run(model);
}

SimulationResult simulate(const GpuSpec& spec, BlockSource& source, Observer* observer,
                          BankObserver* banks, StoredMemory* memory) {
  SharedMemory& model = shared_memory();
  model.reset(spec.timing, source, observer, nullptr);
  model.look_into_banks(spec, banks, memory);
  SimulationResult result = run(model);
  result.banks = model.banks().totals();
  return result;
}

}  // namespace smem::clock
