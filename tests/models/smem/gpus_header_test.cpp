// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sim/config/config_loader.hpp>
#include <smem/analyzer.hpp>
#include <smem/gpus.hpp>

namespace smem {
namespace {

static_assert(kH200.sm_count == 132);
static_assert(wavefronts(kH200, make_access(Operation::load, 4,
                                            [](unsigned lane) { return lane * 128; })) == 32);

TEST(GpusHeader, HoldsExactlyWhatTheDescriptionsSay) {
  const std::array<std::pair<const char*, const GpuSpec*>, 4> constants = {
      {{"h200", &kH200}, {"h100", &kH100}, {"a100", &kA100}, {"rtx3090", &kRtx3090}}};
  for (const auto& [name, constant] : constants) {
    EXPECT_EQ(*constant, load_gpu_spec(find_config(name))) << name;
  }
}

}  // namespace
}  // namespace smem
