// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <stdexcept>
#include <utility>

#include <clock/modules/streaming_multiprocessor.hpp>
#include <clock/recurrence/recurrence_run.hpp>
#include <clock/simulate.hpp>
#include <clock/timing.hpp>

namespace smem::clock {
namespace {

/// The one model of the process; null until somebody needs it. SystemC elaborates once; freeing it
/// at exit would touch a kernel that is gone by then.
StreamingMultiprocessor*& built_model() {
  static StreamingMultiprocessor* model = nullptr;
  return model;
}

StreamingMultiprocessor& sm() {
  StreamingMultiprocessor*& model = built_model();
  if (model == nullptr) {
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    model = new StreamingMultiprocessor("sm");
  }
  return *model;
}

/// When the next simulation begins; building the model changes nothing about it.
Cycle next_start_cycle() {
  const StreamingMultiprocessor* const model = built_model();
  return model == nullptr ? 1 : model->next_start_cycle();
}

/// The blocks that the recurrence has left, then those of the source.
class BlocksLeft : public BlockSource {
 public:
  BlocksLeft(BlockSource& source, std::deque<const Block*> left)
      : source_(source), left_(std::move(left)) {}

  const Block* next() override {
    if (left_.empty()) return source_.next();
    const Block* const block = left_.front();
    left_.pop_front();
    return block;
  }
  void retire(const Block& block) override { source_.retire(block); }

 private:
  BlockSource& source_;
  std::deque<const Block*> left_;
};

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
                          WavefrontObserver* wavefronts, Engine engine) {
  if (engine == Engine::modules || wavefronts != nullptr) {
    BankView banks;
    if (wavefronts != nullptr) banks = {BankMode::simulated, nullptr, nullptr, nullptr, wavefronts};
    StreamingMultiprocessor& model = sm();
    model.reset(timing, source, observer, banks);
    return run(model);
  }
  RecurrenceRun recurrence(timing, source, observer, next_start_cycle());
  recurrence.run();
  if (!recurrence.refusal()) return recurrence.result();
  BlocksLeft left(source, recurrence.blocks_left());
  StreamingMultiprocessor& model = sm();
  model.resume(timing, left, observer, recurrence.idle_state());
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
