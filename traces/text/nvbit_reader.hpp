// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <smem/gpu_spec.hpp>
#include <traces/text/sass_opcode.hpp>
#include <traces/text/text_source.hpp>
#include <traces/trace_reader.hpp>

namespace smem {

/// Reads the text that NVBit's `mem_trace` prints (traces/FORMAT.md). Lines without MEMTRACE: are
/// the program's own output and skipped, accesses to other memories too. The text has no mask and
/// no pc: a lane is active when its address is not 0.
class NvbitReader : public TraceReader {
 public:
  NvbitReader(TextSource source, const GpuSpec& spec, ReadOptions options = {});

  std::size_t read(std::span<TraceRecord> records) override;
  const TraceInfo& info() const override { return info_; }
  std::string place(std::size_t index) const override { return source_.place(lines_[index]); }
  SkippedParts skipped() const override { return skipped_; }

 private:
  bool next_line(std::string_view& line);
  bool take_line(std::string_view line, TraceRecord& record);
  void take_launch(std::string_view text);
  bool take_addresses(std::string_view text, AddressSpace space, WarpAccess& access) const;
  std::uint64_t number(std::string_view text, int base, std::uint64_t most,
                       std::string_view what) const;
  std::array<std::uint32_t, 3> extent(std::string_view text) const;
  std::uint32_t kernel_index(std::uint64_t launch);
  std::uint32_t block_index(std::uint32_t kernel, const std::array<std::uint32_t, 3>& at);
  [[noreturn]] void fail(const std::string& message) const { source_.fail(message, good_records_); }

  TextSource source_;
  std::vector<std::uint64_t> lines_;  ///< of the records of the last read
  GpuSpec spec_;
  ReadOptions options_;
  TraceInfo info_;
  SkippedParts skipped_;
  std::vector<std::uint64_t> launches_;  ///< the launch of each kernel of `info_`
  /// Blocks of the latest kernel whose grid the text does not tell, numbered as they appear.
  std::map<std::array<std::uint32_t, 3>, std::uint32_t> blocks_;
  std::uint32_t blocks_kernel_ = 0;
  bool at_end_ = false;
  std::uint64_t good_records_ = 0;
  std::optional<TraceError> pending_error_;
};

}  // namespace smem
