// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <string>

#include <clock/timing.hpp>

#include <sim/clock/clock_waveform.hpp>

namespace smem {
namespace {

using clock::Cycle;

constexpr unsigned kWarpBits = 16;
constexpr unsigned kRecordBits = 64;
constexpr unsigned kWavefrontBits = 16;

VcdValue number(std::uint64_t value) {
  return {true, {value, 0}};
}

VcdValue busy_mask(const clock::BankSet& banks) {
  VcdValue value;
  for (std::size_t bank = 0; bank < banks.size(); ++bank) {
    if (banks[bank]) value.bits[bank / 64] |= std::uint64_t{1} << (bank % 64);
  }
  return value;
}

unsigned depth_bits(std::uint32_t entries) {
  return static_cast<unsigned>(std::bit_width(entries));
}

}  // namespace

ClockWaveform::ClockWaveform(std::ostream& out, const GpuSpec& spec,
                             const clock::TimingSpec& timing)
    : writer_(out) {
  writer_.open_scope("sm");
  declare_sub_partitions(timing);
  declare_data_stage(spec, timing);
  writer_.open_scope("return_path");
  return_warp_ = writer_.declare("warp", kWarpBits, kUndriven);
  writer_.close_scope();
  writer_.close_scope();
  writer_.begin();
}

void ClockWaveform::declare_sub_partitions(const clock::TimingSpec& timing) {
  for (std::uint32_t index = 0; index < timing.sub_partitions; ++index) {
    writer_.open_scope("sub_partition_" + std::to_string(index));
    SubPartition signals;
    signals.queue = writer_.declare("queue", depth_bits(timing.queue_entries), number(0));
    signals.in_sm_queue =
        writer_.declare("in_sm_queue", depth_bits(timing.sm_queue_entries), number(0));
    sub_partitions_.push_back(signals);
    writer_.close_scope();
  }
}

void ClockWaveform::declare_data_stage(const GpuSpec& spec, const clock::TimingSpec& timing) {
  writer_.open_scope("data_stage");
  for (std::uint32_t index = 0; index < timing.accesses_in_service; ++index) {
    const std::string slot = "slot_" + std::to_string(index);
    ServiceSlot signals;
    signals.warp = writer_.declare(slot + "_warp", kWarpBits, kUndriven);
    signals.record = writer_.declare(slot + "_record", kRecordBits, kUndriven);
    signals.wavefront = writer_.declare(slot + "_wavefront", kWavefrontBits, kUndriven);
    slots_.push_back(signals);
  }
  busy_banks_ = writer_.declare("busy_banks", spec.bank_map.bank_count(), number(0));
  writer_.close_scope();
}

void ClockWaveform::access_issued(const clock::InFlight& access) {
  last_issue_cycle_ = access.stamps.issue_cycle;
  issue_cycles_.insert(last_issue_cycle_);
}

void ClockWaveform::access_finished(const clock::InFlight& access) {
  const clock::AccessStamps& stamps = access.stamps;
  const SubPartition& sub_partition = sub_partitions_[access.sub_partition];
  writer_.add(time_of(stamps.issue_cycle), sub_partition.queue, 1);
  writer_.add(time_of(stamps.queue_cycle), sub_partition.queue, -1);
  writer_.add(time_of(stamps.queue_cycle), sub_partition.in_sm_queue, 1);
  writer_.add(time_of(stamps.service_cycle), sub_partition.in_sm_queue, -1);
  // It occupies its slot from the cycle after it entered: the one before may still be in there.
  const ServiceSlot& slot = slots_[access.service_slot];
  const Cycle end = stamps.last_wavefront_cycle + 1;
  pulse(slot.warp, stamps.service_cycle + 1, end, access.warp_slot);
  pulse(slot.record, stamps.service_cycle + 1, end, access.instruction->record);
  if (access.instruction->returns_value) {
    pulse(return_warp_, stamps.return_cycle,
          stamps.return_cycle + access.instruction->transfer_cycles, access.warp_slot);
  }
  last_cycle_ = std::max(last_cycle_, stamps.finish_cycle);
  issue_cycles_.erase(issue_cycles_.find(stamps.issue_cycle));
  write_settled();
}

void ClockWaveform::served(const clock::InFlight& access, const clock::ServedWavefront& wavefront,
                           const clock::BankSet& busy, Cycle cycle) {
  pulse(slots_[access.service_slot].wavefront, cycle, cycle + 1, wavefront.index);
  writer_.set(time_of(cycle), busy_banks_, busy_mask(busy));
  writer_.set(time_of(cycle + 1), busy_banks_, number(0));
}

void ClockWaveform::pulse(VcdWriter::Signal signal, Cycle begin, Cycle end, std::uint64_t value) {
  if (begin == end) return;
  writer_.set(time_of(begin), signal, number(value));
  writer_.set(time_of(end), signal, kUndriven);
}

void ClockWaveform::write_settled() {
  writer_.write_before(time_of(issue_cycles_.empty() ? last_issue_cycle_ : *issue_cycles_.begin()));
}

void ClockWaveform::finish() {
  writer_.finish(last_cycle_ > start_cycle_ ? time_of(last_cycle_) : 0);
}

}  // namespace smem
