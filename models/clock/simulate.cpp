// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include <clock/modules/streaming_multiprocessor.hpp>
#include <clock/simulate.hpp>

namespace smem::clock {
namespace {

/// The one model of the process. SystemC elaborates once; freeing it at exit would touch a kernel
/// that is gone by then.
StreamingMultiprocessor& sm() {
  static StreamingMultiprocessor* const model = [] {
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    return new StreamingMultiprocessor("sm");
  }();
  return *model;
}

SimulationResult run(StreamingMultiprocessor& model) {
  model.run();
  if (!model.all_done()) {
    throw std::runtime_error("the simulated SM came to a standstill before the last block ended");
  }
  SimulationResult result;
  result.start_cycle = model.start_cycle();
  const Cycle end = model.shared_memory().writeback().last_finish_cycle();
  result.total_cycles = end > result.start_cycle ? end - result.start_cycle : 0;
  result.wavefronts = model.shared_memory().data_stage().wavefronts();
  result.return_busy_cycles = model.shared_memory().writeback().busy_cycles();
  return result;
}

}  // namespace

SimulationResult simulate(const TimingSpec& timing, BlockSource& source, Observer* observer,
                          WavefrontObserver* wavefronts) {
  StreamingMultiprocessor& model = sm();
  BankView banks;
  if (wavefronts != nullptr) banks = {BankMode::simulated, nullptr, nullptr, nullptr, wavefronts};
  model.reset(timing, source, observer, banks);
  return run(model);
}

SimulationResult simulate(const GpuSpec& spec, const TimingSpec& timing, BlockSource& source,
                          Observer* observer, BankObserver* banks, StoredMemory* memory) {
  StreamingMultiprocessor& model = sm();
  model.reset(timing, source, observer, {BankMode::simulated, &spec, banks, memory, nullptr});
  SimulationResult result = run(model);
  result.banks = model.shared_memory().banks().totals();
  return result;
}

}  // namespace smem::clock
