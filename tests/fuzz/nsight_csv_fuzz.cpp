// SPDX-License-Identifier: Apache-2.0
#include <span>

#include <traces/measurements/nsight_csv.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const char> bytes(reinterpret_cast<const char*>(data), size);
  for (const bool skip_damaged : {false, true}) {
    try {
      (void)smem::read_nsight_csv(smem::TextSource(smem::open_bytes(bytes, "input"), "input"),
                                  {skip_damaged});
    } catch (const smem::TraceError&) {
    }
  }
  return 0;
}
