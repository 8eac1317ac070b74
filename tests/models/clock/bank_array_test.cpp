// SPDX-License-Identifier: Apache-2.0
// What the clocked model's banks serve and keep, against counting by hand on random GPUs.
#include <bit>
#include <memory>
#include <random>

#include <clock/banks/bank_array.hpp>
#include <clock/gpu_timings.hpp>
#include <clock/simulate.hpp>
#include <gtest/gtest.h>
#include <tests/support/naive_memory.hpp>
#include <tests/support/random_access.hpp>

#include <sim/clock/trace_blocks.hpp>
#include <sim/config/config_loader.hpp>
#include <sim/config/gpu_description.hpp>
#include <smem/gpus.hpp>

namespace smem::test {
namespace {

/// Records from memory.
class ListedRecords : public TraceReader {
 public:
  explicit ListedRecords(std::vector<TraceRecord> records) : records_(std::move(records)) {
    info_.kernels.resize(4);
  }

  std::size_t read(std::span<TraceRecord> records) override {
    const std::size_t count = std::min(records.size(), records_.size() - next_);
    std::copy_n(records_.begin() + static_cast<std::ptrdiff_t>(next_), count, records.begin());
    next_ += count;
    return count;
  }
  const TraceInfo& info() const override { return info_; }
  const std::vector<TraceRecord>& records() const { return records_; }

 private:
  std::vector<TraceRecord> records_;
  std::size_t next_ = 0;
  TraceInfo info_;
};

std::shared_ptr<const StoredBytes> random_values(std::mt19937& random) {
  auto values = std::make_shared<StoredBytes>();
  for (auto& lane : *values) {
    for (std::uint8_t& byte : lane) byte = static_cast<std::uint8_t>(below(random, 256));
  }
  return values;
}

/// A few blocks of a few warps that store into the same small window, most of it with values.
std::vector<TraceRecord> random_trace(std::mt19937& random, std::uint32_t kernels) {
  constexpr std::array kOperations = {
      Operation::store,       Operation::store,       Operation::store,
      Operation::stmatrix_x1, Operation::stmatrix_x4, Operation::atomic_exchange,
      Operation::async_copy,  Operation::load,        Operation::atomic_cas,
      Operation::reduction,   Operation::barrier,     Operation::ldmatrix_x2};
  std::vector<TraceRecord> records;
  for (std::uint32_t kernel = 0; kernel < kernels; ++kernel) {
    const std::uint32_t blocks = 1 + below(random, 3);
    const std::uint32_t warps = 1 + below(random, 6);
    const unsigned count = 1 + below(random, 40);
    for (unsigned at = 0; at < count; ++at) {
      TraceRecord record;
      const Operation operation = kOperations[below(random, kOperations.size())];
      if (operation == Operation::barrier) {
        record.access.operation = operation;
        record.access.bytes_per_lane = 0;
      } else {
        const auto bytes = static_cast<std::uint8_t>(1u << below(random, 5));
        record.access = random_access(random, operation, bytes, 512);
      }
      record.kernel = kernel;
      record.block = below(random, blocks);
      record.warp = below(random, warps);
      record.count = 1 + below(random, 2);
      if (below(random, 8) != 0) record.stored = random_values(random);
      records.push_back(record);
    }
  }
  return records;
}

GpuDescription random_clocked_gpu(std::mt19937& random, const GpuDescription& known) {
  GpuSpec spec = random_gpu(random);
  spec.occupancy = known.spec.occupancy;
  clock::TimingSpec timing = *known.timing;
  timing.wavefronts_per_cycle = 1 + below(random, 2);
  timing.accesses_in_service = 1 + below(random, 4);
  return {spec, std::make_shared<const clock::TimingSpec>(timing)};
}

/// Checks every wavefront against the naive oracle, and keeps a naive memory.
class NaiveBanks : public clock::BankObserver {
 public:
  NaiveBanks(const GpuSpec& spec, const std::vector<TraceRecord>& records)
      : memory(spec), spec_(spec), records_(records) {}

  void served(const clock::InFlight& access, const clock::ServedWavefront& wavefront,
              const clock::BankSet& busy, clock::Cycle cycle) override {
    const TraceRecord& record = records_[access.instruction->record];
    const NaiveWavefront wanted = naive_wavefront(spec_, record.access, wavefront.index);
    ASSERT_EQ(wavefront.group, wanted.group);
    ASSERT_EQ(wavefront.turn, wanted.turn);
    ASSERT_EQ(wavefront.pass, wanted.pass);
    const auto services = naive_services(spec_, record.access, wanted);
    ASSERT_EQ(wavefront.words.size(), services.size());
    if (cycle != cycle_) busy_ = {};
    ASSERT_GE(cycle, cycle_);
    cycle_ = cycle;
    for (const ServedWord& word : wavefront.words) {
      const NaiveService& service = services.at(word.bank);
      ASSERT_EQ(word.word, service.word);
      std::uint32_t lanes = 0;
      for (const unsigned lane : service.lanes) lanes |= 1u << lane;
      ASSERT_EQ(word.lanes, lanes);
      if (service.lanes.size() > 1) {
        ++(service.lanes == wanted.lanes ? broadcast_words : multicast_words);
      }
      busy_.insert(word.bank);
      ++words;
    }
    for (std::size_t bank = 0; bank < busy.size(); ++bank) {
      ASSERT_EQ(busy[bank], busy_.contains(static_cast<unsigned>(bank)));
    }
    memory.pass(record, wavefront.index);
    ++wavefronts;
  }

  void lanes_lost(const clock::InFlight& access, const StoreOutcome& outcome,
                  clock::Cycle) override {
    EXPECT_EQ(outcome, store_outcome(spec_, records_[access.instruction->record].access));
    lost_lanes += static_cast<std::uint64_t>(std::popcount(outcome.lost_lanes()));
  }

  NaiveMemory memory;
  std::uint64_t wavefronts = 0;
  std::uint64_t words = 0;
  std::uint64_t multicast_words = 0;
  std::uint64_t broadcast_words = 0;
  std::uint64_t lost_lanes = 0;

 private:
  const GpuSpec& spec_;
  const std::vector<TraceRecord>& records_;
  std::set<unsigned> busy_;
  clock::Cycle cycle_ = 0;
};

// Property: every wavefront has the group, turn, pass and words that counting gives it; the memory
// left behind is a byte-by-byte one's, written in the order of service. Generator: random_trace on
// random_clocked_gpu, 200 of them with up to 240 accesses. Seed 31.
TEST(BankArray, EqualsANaiveMemoryWrittenInTheOrderOfServiceOnRandomGpus) {
  const GpuDescription known{kH200, std::make_shared<const clock::TimingSpec>(clock::kH200Timing)};
  std::mt19937 random(31);
  std::uint64_t known_bytes = 0;
  std::uint64_t forgotten_bytes = 0;
  std::uint64_t lost_lanes = 0;
  for (unsigned round = 0; round < 200; ++round) {
    const GpuDescription gpu = random_clocked_gpu(random, known);
    const GpuSpec& spec = gpu.spec;
    ListedRecords trace(random_trace(random, 1 + below(random, 3)));
    std::uint64_t wavefronts = 0;
    TraceBlocks blocks(
        trace, spec,
        [&](const TraceRecord& record, const AccessCost& cost) {
          wavefronts += record.count * cost.wavefronts;
        },
        true);
    NaiveBanks naive(spec, trace.records());
    clock::StoredMemory memory(spec.bank_map.word_bytes());
    const clock::SimulationResult result =
        clock::simulate(spec, *gpu.timing, blocks, nullptr, &naive, &memory);
    ASSERT_FALSE(HasFatalFailure()) << "round " << round;
    ASSERT_EQ(naive.wavefronts, wavefronts) << "round " << round;
    ASSERT_EQ(result.wavefronts, wavefronts);
    ASSERT_EQ(result.banks.words, naive.words);
    ASSERT_EQ(result.banks.multicast_words, naive.multicast_words);
    ASSERT_EQ(result.banks.broadcast_words, naive.broadcast_words);
    ASSERT_EQ(result.banks.lost_lanes, naive.lost_lanes);
    lost_lanes += naive.lost_lanes;
    std::size_t naive_known = 0;
    for (const auto& [address, value] : naive.memory.bytes) {
      const auto [kernel, block, offset] = address;
      const auto kept = memory.byte({kernel, block}, offset);
      ASSERT_EQ(kept.has_value(), value.has_value()) << "round " << round << ", byte " << offset;
      if (!value) ++forgotten_bytes;
      if (!value) continue;
      ASSERT_EQ(unsigned{*kept}, *value) << "round " << round << ", byte " << offset;
      ++naive_known;
    }
    std::size_t kept_known = 0;
    for (const auto& [key, words] : memory.blocks()) {
      for (const auto& [index, word] : words) {
        kept_known += static_cast<std::size_t>(std::popcount(word.known_bytes));
      }
    }
    ASSERT_EQ(kept_known, naive_known) << "round " << round;
    known_bytes += naive_known;
  }
  EXPECT_GT(known_bytes, 20000u);
  EXPECT_GT(forgotten_bytes, 1000u);
  EXPECT_GT(lost_lanes, 1000u);
}

// The order between warps decides, too: the one served later stays.
TEST(BankArray, ALaterAccessOfAnotherWarpOverwrites) {
  const GpuDescription gpu{kH200, std::make_shared<const clock::TimingSpec>(clock::kH200Timing)};
  const GpuSpec& spec = gpu.spec;
  std::vector<TraceRecord> records;
  for (std::uint32_t warp = 0; warp < 2; ++warp) {
    TraceRecord record;
    record.access = make_access(Operation::store, 4, [](unsigned lane) { return lane * 4; });
    record.warp = warp;
    record.issue_gap_instructions = warp == 0 ? 100 : 0;
    auto values = std::make_shared<StoredBytes>();
    for (auto& lane : *values) lane.fill(static_cast<std::uint8_t>(10 + warp));
    record.stored = values;
    records.push_back(record);
  }
  ListedRecords trace(records);
  TraceBlocks blocks(trace, spec, nullptr, true);
  clock::StoredMemory memory(spec.bank_map.word_bytes());
  clock::simulate(spec, *gpu.timing, blocks, nullptr, nullptr, &memory);
  EXPECT_EQ(memory.byte({0, 0}, 5), 10);
}

TEST(GpuTimingsHeader, HoldsExactlyWhatTheDescriptionSays) {
  EXPECT_EQ(clock::kH200Timing, *load_gpu_description(find_config("h200")).timing);
}

}  // namespace
}  // namespace smem::test
