// SPDX-License-Identifier: Apache-2.0
// The model's lost writes against the values that stayed in shared memory on an H200.
#include <fstream>
#include <sstream>
#include <utility>

#include <clock/banks/stored_memory.hpp>
#include <clock/gpu_timings.hpp>
#include <clock/simulate.hpp>
#include <gtest/gtest.h>

#include <sim/clock/trace_blocks.hpp>
#include <sim/config/config_loader.hpp>
#include <smem/store_outcome.hpp>

namespace smem {
namespace {

/// A line of store_winners.csv: "bytes,mask,addresses,contested_address,writers,winner".
struct ContestedByte {
  WarpAccess access;
  std::uint32_t contested_offset_bytes = 0;
  std::uint32_t writers = 0;
  unsigned winner = 0;
};

ContestedByte parse(const std::string& line) {
  std::vector<std::string> fields;
  std::stringstream columns(line);
  for (std::string field; std::getline(columns, field, ',');) fields.push_back(field);
  ContestedByte row;
  row.access.operation = Operation::store;
  row.access.bytes_per_lane = static_cast<std::uint8_t>(std::stoul(fields.at(0)));
  row.access.active_mask = static_cast<std::uint32_t>(std::stoul(fields.at(1), nullptr, 16));
  std::stringstream addresses(fields.at(2));
  for (std::uint32_t& offset : row.access.offsets_bytes) addresses >> offset;
  row.contested_offset_bytes = static_cast<std::uint32_t>(std::stoul(fields.at(3)));
  std::stringstream writers(fields.at(4));
  for (unsigned lane = 0; writers >> lane;) row.writers |= 1u << lane;
  row.winner = static_cast<unsigned>(std::stoul(fields.at(5)));
  return row;
}

/// One record.
class OneRecord : public TraceReader {
 public:
  explicit OneRecord(TraceRecord record) : record_(std::move(record)) {}
  std::size_t read(std::span<TraceRecord> records) override {
    if (std::exchange(is_read_, true)) return 0;
    records[0] = record_;
    return 1;
  }
  const TraceInfo& info() const override { return info_; }

 private:
  TraceRecord record_;
  TraceInfo info_;
  bool is_read_ = false;
};

// Every lane stores its own number into all its bytes; the clocked model's memory holds the
// measured winner's afterwards.
TEST(H200StoreWinners, TheClocksMemoryHoldsTheMeasuredLanesValue) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  auto lanes = std::make_shared<StoredBytes>();
  for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
    (*lanes)[lane].fill(static_cast<std::uint8_t>(lane));
  }
  std::ifstream file(std::string(SMEMSIM_SOURCE_DIR) +
                     "/traces/measured/h200/stores/store_winners.csv");
  std::string line;
  std::size_t rows = 0;
  while (std::getline(file, line)) {
    if (line.starts_with("#") || line.starts_with("bytes")) continue;
    const ContestedByte row = parse(line);
    TraceRecord record;
    record.access = row.access;
    record.stored = lanes;
    OneRecord trace(record);
    TraceBlocks blocks(trace, spec, nullptr, true);
    clock::StoredMemory memory(spec.bank_map.word_bytes());
    clock::simulate(spec, clock::kH200Timing, blocks, nullptr, nullptr, &memory);
    EXPECT_EQ(memory.byte({0, 0}, row.contested_offset_bytes), row.winner) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 268u);
}

TEST(H200StoreWinners, EveryContestedByteKeepsTheMeasuredLanesValueAndOnlyThat) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  std::ifstream file(std::string(SMEMSIM_SOURCE_DIR) +
                     "/traces/measured/h200/stores/store_winners.csv");
  std::string line;
  std::size_t rows = 0;
  while (std::getline(file, line)) {
    if (line.starts_with("#") || line.starts_with("bytes")) continue;
    const ContestedByte row = parse(line);
    const StoreOutcome outcome = store_outcome(spec, row.access);
    for_each_lane(row.writers, [&](unsigned lane) {
      const std::uint32_t byte = row.contested_offset_bytes - row.access.offsets_bytes[lane];
      const bool stays =
          (outcome.surviving_bytes(lane, row.access.bytes_per_lane) >> byte & 1u) != 0;
      EXPECT_EQ(outcome.winner_lanes[lane], row.winner) << line;
      EXPECT_EQ(stays, lane == row.winner) << line;
    });
    ++rows;
  }
  EXPECT_EQ(rows, 268u);
}

}  // namespace
}  // namespace smem
