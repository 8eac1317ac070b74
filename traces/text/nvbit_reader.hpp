// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <smem/gpu_spec.hpp>
#include <traces/text/line_reader.hpp>
#include <traces/text/sass_opcode.hpp>

namespace smem {

/// Reads the text that NVBit's `mem_trace` prints (traces/FORMAT.md). Lines without MEMTRACE: are
/// the program's own output and skipped, accesses to other memories too. The text has no mask and
/// no pc: a lane is active when its address is not 0.
class NvbitReader : public LineReader {
 public:
  NvbitReader(TextSource source, const GpuSpec& spec, ReadOptions options = {});

 private:
  bool take_line(std::string_view line, TraceRecord& record) override;
  void take_launch(std::string_view text);
  [[nodiscard]] bool take_addresses(std::string_view text, AddressSpace space,
                                    WarpAccess& access) const;
  std::uint64_t number(std::string_view text, int base, std::uint64_t most,
                       std::string_view what) const;
  [[nodiscard]] std::array<std::uint32_t, 3> extent(std::string_view text) const;
  std::uint64_t launch_of(std::uint64_t access_launch);
  std::uint32_t kernel_index(std::uint64_t launch);
  std::uint32_t block_index(std::uint32_t kernel, const std::array<std::uint32_t, 3>& at);

  std::optional<std::uint64_t> latest_launch_;  ///< of the LAUNCH lines
  std::optional<std::uint64_t> launch_shift_;   ///< known from the first access on
  std::vector<std::uint64_t> launches_;         ///< the launch of each kernel of `info_`
  /// Blocks of the latest kernel whose grid the text does not tell, numbered as they appear.
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> blocks_;
  std::uint32_t blocks_kernel_ = 0;
};

}  // namespace smem
