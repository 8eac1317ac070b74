// SPDX-License-Identifier: Apache-2.0
// The model's lost writes against the values that stayed in shared memory on an H200.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include <sim/config_loader.hpp>
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

TEST(H200StoreWinners, EveryContestedByteKeepsTheMeasuredLanesValueAndOnlyThat) {
  const GpuSpec spec = load_gpu_spec(find_config("h200"));
  std::ifstream file(std::string(SMEMSIM_SOURCE_DIR) + "/traces/measured/h200/store_winners.csv");
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
