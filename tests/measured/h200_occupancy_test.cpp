// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include <sim/config/config_loader.hpp>
#include <smem/occupancy.hpp>

namespace smem {
namespace {

// Every answer the CUDA runtime gave on an H200: 11,571 combinations of threads, registers and
// dynamic shared memory.
TEST(H200Occupancy, AgreesWithTheRuntimeOnEveryRow) {
  const GpuSpec spec = load_gpu_spec(SMEMSIM_SOURCE_DIR "/configs/h200.yaml");
  std::ifstream in(SMEMSIM_SOURCE_DIR "/traces/measured/h200/occupancy/occupancy.csv");
  std::string line;
  std::size_t rows = 0;
  while (std::getline(in, line)) {
    if (line.starts_with('#') || line.starts_with("threads")) continue;
    std::istringstream fields(line);
    BlockResources block;
    std::uint64_t resident = 0;
    char comma = 0;
    fields >> block.threads >> comma >> block.registers_per_thread >> comma >>
        block.shared_memory_bytes >> comma >> resident;
    ASSERT_TRUE(fields) << line;
    EXPECT_EQ(resident_blocks(spec.occupancy, block).blocks(), resident) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 11571u);
}

}  // namespace
}  // namespace smem
