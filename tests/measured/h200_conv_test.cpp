// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <smem/gpus.hpp>
#include <traces/formats/open_trace.hpp>
#include <traces/generators/generator_spec.hpp>

namespace smem {
namespace {

/// What a warp did in one access: operation, bytes a lane, mask, and the active lanes' offsets.
using Access = std::tuple<Operation, std::uint8_t, std::uint32_t, std::vector<std::uint32_t>>;
/// All accesses of each (block, warp), sorted: the compiler orders them as it likes between
/// barriers.
using Accesses = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Access>>;

Accesses accesses_of(TraceReader& trace) {
  Accesses all;
  std::vector<TraceRecord> records(1024);
  while (const std::size_t count = trace.read(records)) {
    for (std::size_t index = 0; index < count; ++index) {
      const TraceRecord& record = records[index];
      const WarpAccess& access = record.access;
      if (access.operation == Operation::barrier) continue;
      std::vector<std::uint32_t> offsets;
      for_each_lane(access.active_mask,
                    [&](unsigned lane) { offsets.push_back(access.offsets_bytes[lane]); });
      all[{record.block, record.warp}].emplace_back(access.operation, access.bytes_per_lane,
                                                    access.active_mask, std::move(offsets));
    }
  }
  for (auto& [warp, list] : all) std::sort(list.begin(), list.end());
  return all;
}

class CapturedConvolution : public testing::TestWithParam<std::pair<std::string, std::string>> {};

// Not the counters alone: every warp's every address, as captured on an H200.
TEST_P(CapturedConvolution, IsWhatTheConvGeneratorMakes) {
  const GpuSpec& spec = kH200;
  const auto& [kernel, sample] = GetParam();
  const auto captured = open_trace(SMEMSIM_SOURCE_DIR "/traces/samples/" + sample, spec);
  const auto generated = make_generator(
      "conv:kernel=" + kernel + ",image=32,channels=3,storing_layers=1,base=1024", spec);
  const Accesses expected = accesses_of(*captured);
  const Accesses found = accesses_of(*generated);
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(expected.size(), 256u * 16);
  std::size_t different = 0;
  for (const auto& [warp, list] : expected) {
    const auto at = found.find(warp);
    different += at == found.end() || at->second != list;
  }
  EXPECT_EQ(different, 0u) << "warps of " << expected.size();
}

INSTANTIATE_TEST_SUITE_P(KernelSizes, CapturedConvolution,
                         testing::Values(std::pair("3", "conv3.smt"),
                                         std::pair("5", "conv5.csv.zst")));

}  // namespace
}  // namespace smem
