// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <clock/modules/shared_memory.hpp>

namespace smem::clock {

SharedMemory::SharedMemory(const sc_core::sc_module_name& name, std::span<const std::size_t> order)
    : sc_module(name) {
  for (std::size_t index = 0; index < kClockedModules; ++index) {
    construct(order.empty() ? index : order[index]);
  }
  connect();
}

void SharedMemory::construct(std::size_t which) {
  constexpr std::size_t kIssuers = TimingSpec::kMaxSubPartitions;
  if (which < kIssuers) {
    issuers_[which] =
        std::make_unique<WarpIssuer>(("issuer_" + std::to_string(which)).c_str(), scheduler_,
                                     static_cast<std::uint8_t>(which), pool_);
  } else if (which == kIssuers) {
    operands_ = std::make_unique<OperandPath>("operand_path", scheduler_);
  } else if (which == kIssuers + 1) {
    crossbar_ = std::make_unique<Crossbar>("crossbar", scheduler_, writeback_);
  } else {
    blocks_ = std::make_unique<BlockScheduler>("block_scheduler", scheduler_);
  }
}

void SharedMemory::connect() {
  grouper_.out_banks = &banks_;
  operands_->out_accesses = &crossbar_->in_accesses;
  crossbar_->out_taken = &operands_->in_taken;
  crossbar_->out_data_released = &operands_->in_data_released;
  for (std::size_t index = 0; index < TimingSpec::kMaxSubPartitions; ++index) {
    WarpIssuer& issuer = *issuers_[index];
    issuer.out_accesses = &operands_->in_accesses[index];
    operands_->out_departures[index] = &issuer.in_departures;
    writeback_.out_values[index] = &issuer.in_values;
    writeback_.out_store_ends[index] = &issuer.in_store_ends;
    blocks_->in_events[index] = &issuer.out_events;
    issuer.out_events.bind(*blocks_);
    blocks_->out_starts[index] = &issuer.in_starts;
    blocks_->out_releases[index] = &issuer.in_releases;
  }
}

void SharedMemory::reset(const TimingSpec& timing, BlockSource& source, Observer* observer,
                         WavefrontObserver* wavefronts) {
  start_cycle_ = scheduler_.now() + 1;
  for (const auto& issuer : issuers_) issuer->reset(timing, observer);
  operands_->reset(timing);
  crossbar_->reset(timing, wavefronts);
  writeback_.reset(timing, observer);
  if (observer != nullptr) observer->simulation_started(start_cycle_);
  blocks_->reset(timing, source, observer);
  blocks_->wake_at(start_cycle_);
}

void SharedMemory::look_into_banks(const GpuSpec& spec, BankObserver* banks, StoredMemory* memory) {
  grouper_.reset(spec);
  banks_.reset(spec, banks, memory);
  crossbar_->reset(spec.timing, &grouper_);
}

void SharedMemory::run() {
  sc_core::sc_start();
}

}  // namespace smem::clock
