// SPDX-License-Identifier: Apache-2.0
#include <tests/fuzz/read_everything.hpp>

#include <traces/text/accel_sim_reader.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const char> bytes(reinterpret_cast<const char*>(data), size);
  smem::test::read_everything([&](const smem::GpuSpec& spec, smem::ReadOptions options) {
    return std::make_unique<smem::AccelSimReader>(
        smem::TextSource(smem::open_bytes(bytes, "input"), "input"), spec, options);
  });
  return 0;
}
