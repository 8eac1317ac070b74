// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <smem/gpu_spec.hpp>
#include <traces/text/accel_sim_reader.hpp>

namespace smem {

/// Reads an Accel-Sim `kernelslist.g`: one command a line, copies (skipped) or the name of a
/// kernel's trace, relative to the list. The kernels' records follow each other; each file is a
/// kernel of `info`. A named file that does not exist may exist with .xz, .zst or .gz behind its
/// name.
class KernelsListReader : public TraceReader {
 public:
  KernelsListReader(TextSource source, const GpuSpec& spec, ReadOptions options = {});

  std::size_t read(std::span<TraceRecord> records) override;
  const TraceInfo& info() const override { return info_; }
  std::string place(std::size_t index) const override;
  SkippedParts skipped() const override;

 private:
  bool open_next();
  void open_kernel(std::string_view line);
  void close_kernel();
  std::size_t read_kernel(std::span<TraceRecord> records);

  TextSource source_;
  GpuSpec spec_;
  ReadOptions options_;
  TraceInfo info_;
  SkippedParts skipped_;  ///< of the kernels that are closed, and of the list's own lines
  std::unique_ptr<AccelSimReader> kernel_;
  std::uint64_t good_records_ = 0;
  std::uint64_t read_begin_ = 0;  ///< the first record of the last read
  std::optional<TraceError> pending_error_;
};

}  // namespace smem
