// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <tests/fuzz/read_everything.hpp>

#include <traces/text/kernels_list_reader.hpp>

namespace {

/// A folder with one small kernel for lists to name.
std::string list_beside_a_kernel() {
  const auto folder = std::filesystem::temp_directory_path() / "smemsim_kernels_list_fuzz";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "kernel-1.traceg")
      << "-kernel name = k\n-grid dim = (1,1,1)\n-accelsim tracer version = 5\n#\n#BEGIN_TB\n"
         "thread block = 0,0,0\nwarp = 0\ninsts = 1\n0000 ffffffff 1 R8 LDS 1 R2 4 1 0x400 4\n"
         "#END_TB\n";
  return (folder / "kernelslist.g").string();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string name = list_beside_a_kernel();
  const std::span<const char> bytes(reinterpret_cast<const char*>(data), size);
  smem::test::read_everything([&](const smem::GpuSpec& spec, smem::ReadOptions options) {
    return std::make_unique<smem::KernelsListReader>(
        smem::TextSource(smem::open_bytes(bytes, name), name), spec, options);
  });
  return 0;
}
