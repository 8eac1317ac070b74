// SPDX-License-Identifier: Apache-2.0
// Somebody else's SM around smemsim's shared memory: SystemC modules with an issuer of their own,
// which lives by SystemC's time and knows nothing of how the path works inside.
//
//   OwnIssuer (one a sub-partition)                     smem::clock::SharedMemory
//     out_instructions  sc_port<InstructionInput> ────▶ in_instructions
//     in_departures     Inbox ◀──────────────────────── out_departures   a place is free
//     in_values         Inbox ◀──────────────────────── out_values       a load's value is back
//     in_store_ends     Inbox ◀──────────────────────── out_store_ends   a store is done
#include <array>
#include <cstdio>
#include <deque>
#include <span>
#include <systemc>
#include <vector>

#include <clock/gpu_timings.hpp>
#include <clock/kernel/inbox.hpp>
#include <clock/make_instruction.hpp>
#include <clock/modules/shared_memory.hpp>

#include <smem/gpus.hpp>

namespace {

using smem::clock::Cycle;

constexpr const smem::clock::TimingSpec& kTiming = smem::clock::kH200Timing;

/// One access of a warp, and whether its address is a value that the warp has loaded before.
struct Step {
  const char* name;
  smem::clock::Instruction instruction;
  bool needs_value;
};

/// Lane l takes the word l * `stride_words`: what it costs is counted by the compiler.
consteval smem::clock::Instruction strided(smem::Operation operation, unsigned stride_words) {
  const smem::WarpAccess access =
      smem::make_access(operation, 4, [=](unsigned lane) { return lane * stride_words * 4; });
  return smem::clock::make_instruction(access, smem::analyze(smem::kH200, access));
}

constexpr std::array kFirstWarp = {
    Step{"load_conflict_free", strided(smem::Operation::load, 1), false},
    Step{"load_4_way", strided(smem::Operation::load, 4), true},
    Step{"store_4_way", strided(smem::Operation::store, 4), true},
    Step{"load_conflict_free", strided(smem::Operation::load, 1), false},
    Step{"store_conflict_free", strided(smem::Operation::store, 1), true},
};
constexpr std::array kSecondWarp = {
    Step{"load_4_way", strided(smem::Operation::load, 4), false},
    Step{"load_4_way", strided(smem::Operation::load, 4), false},
};
constexpr std::uint32_t kSecondWarpStart = 50;  // while the first one is at its stores

/// Issues one warp's accesses in order: an access at the earliest so long after the one before, and
/// only while its sub-partition has a place for it.
class OwnIssuer : public sc_core::sc_module {
 public:
  sc_core::sc_port<smem::clock::InstructionInput> out_instructions{"out_instructions"};
  smem::clock::Inbox<smem::clock::Departure> in_departures;
  smem::clock::Inbox<std::uint16_t> in_values;
  smem::clock::Inbox<std::uint16_t> in_store_ends;

  /// When an access was issued, and when its value was back or the store done.
  struct Times {
    Cycle issue_cycle = 0;
    Cycle back_cycle = 0;
  };

  OwnIssuer(const sc_core::sc_module_name& name, sc_core::sc_time cycle_time)
      : sc_module(name),
        in_departures("in_departures", cycle_time),
        in_values("in_values", cycle_time),
        in_store_ends("in_store_ends", cycle_time),
        cycle_time_(cycle_time) {
    SC_HAS_PROCESS(OwnIssuer);
    SC_METHOD(act);
    dont_initialize();
    sensitive << in_departures.arrival_event() << in_values.arrival_event()
              << in_store_ends.arrival_event() << may_issue_;
  }

  /// Elaboration's last word: the warp, and when it starts.
  void start(std::span<const Step> steps, std::uint16_t warp_slot, std::uint32_t cycle) {
    steps_ = steps;
    warp_slot_ = warp_slot;
    may_issue_cycle_ = cycle;
    may_issue_.notify(cycle * cycle_time_);
  }

  const std::vector<Times>& times() const { return times_; }

 private:
  Cycle now() const { return sc_core::sc_time_stamp().value() / cycle_time_.value(); }

  void act() {
    for (; in_departures.has_arrived(); ++places_) in_departures.receive();
    while (in_values.has_arrived()) finish(in_values, loads_);
    while (in_store_ends.has_arrived()) finish(in_store_ends, stores_);
    const std::size_t next = times_.size();
    if (next == steps_.size() || places_ == 0 || now() < may_issue_cycle_) return;
    if (steps_[next].needs_value && !loads_.empty()) return;
    const smem::clock::Instruction& instruction = steps_[next].instruction;
    --places_;
    (instruction.returns_value ? loads_ : stores_).push_back(next);
    times_.push_back({now(), 0});
    out_instructions->issue(instruction, {.warp_slot = warp_slot_, .wants_store_end = true});
    may_issue_cycle_ = now() + kTiming.warp_memory_interval_cycles;
    may_issue_.notify(kTiming.warp_memory_interval_cycles * cycle_time_);
  }

  /// What comes back says which warp it is for; a warp's values come in the order of its loads.
  void finish(smem::clock::Inbox<std::uint16_t>& inbox, std::deque<std::size_t>& under_way) {
    inbox.receive();
    times_[under_way.front()].back_cycle = now();
    under_way.pop_front();
  }

  const sc_core::sc_time cycle_time_;
  std::span<const Step> steps_;
  std::uint16_t warp_slot_ = 0;
  std::uint32_t places_ = kTiming.queue_entries;
  Cycle may_issue_cycle_ = 0;
  sc_core::sc_event may_issue_;
  std::deque<std::size_t> loads_;   ///< under way, by their place in the program
  std::deque<std::size_t> stores_;  ///< the same
  std::vector<Times> times_;
};

class OwnSm : public sc_core::sc_module {
 public:
  explicit OwnSm(const sc_core::sc_module_name& name) : sc_module(name) {
    for (std::size_t index = 0; index < kTiming.sub_partitions; ++index) {
      OwnIssuer& issuer = issuers_[index];
      issuer.out_instructions.bind(shared_memory_.in_instructions[index]);
      shared_memory_.out_departures[index].bind(issuer.in_departures);
      shared_memory_.out_values[index].bind(issuer.in_values);
      shared_memory_.out_store_ends[index].bind(issuer.in_store_ends);
    }
    shared_memory_.reset(kTiming, nullptr);
    issuers_[0].start(kFirstWarp, 0, 0);
    issuers_[1].start(kSecondWarp, 1, kSecondWarpStart);
  }

  void print() const {
    std::printf("warp  access               issue_cycle  back_cycle  cycles\n");
    Cycle total_cycles = 0;
    for (const auto& [warp, steps] :
         {std::pair<std::size_t, std::span<const Step>>{0, kFirstWarp}, {1, kSecondWarp}}) {
      for (std::size_t index = 0; index < issuers_[warp].times().size(); ++index) {
        const auto [issue_cycle, back_cycle] = issuers_[warp].times()[index];
        std::printf("%4zu  %-19s  %11llu  %10llu  %6llu\n", warp, steps[index].name,
                    static_cast<unsigned long long>(issue_cycle),
                    static_cast<unsigned long long>(back_cycle),
                    static_cast<unsigned long long>(back_cycle - issue_cycle));
        total_cycles = std::max(total_cycles, back_cycle);
      }
    }
    std::printf("total_cycles %llu\n", static_cast<unsigned long long>(total_cycles));
  }

 private:
  const sc_core::sc_time cycle_time_{500, sc_core::SC_PS};
  smem::clock::SharedMemory shared_memory_{"shared_memory", cycle_time_, kTiming.sub_partitions};
  sc_core::sc_vector<OwnIssuer> issuers_{
      "issuer", kTiming.sub_partitions,
      [this](const char* own_name, std::size_t) { return new OwnIssuer(own_name, cycle_time_); }};
};

}  // namespace

int sc_main(int, char**) {
  const OwnSm sm("sm");
  sc_core::sc_start();
  sm.print();
  return 0;
}
