// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <traces/text/accel_sim_reader.hpp>
#include <traces/text/text_reader.hpp>

namespace smem {

/// Reads an Accel-Sim `kernelslist.g`: one command a line, copies (skipped) or the name of a
/// kernel's trace, relative to the list. The kernels' records follow each other; each file is a
/// kernel of `info`. A named file that does not exist may exist with .xz, .zst or .gz behind its
/// name.
class KernelsListReader : public TextReader {
 public:
  KernelsListReader(TextSource source, const GpuSpec& spec, ReadOptions options = {})
      : TextReader(std::move(source), spec, options) {}

  [[nodiscard]] std::string place(std::size_t index) const override;
  [[nodiscard]] SkippedParts skipped() const override;

 private:
  void begin_read() override { read_begin_ = good_records_; }
  std::size_t read_some(std::span<TraceRecord> records) override;
  bool skip_damage() override;
  bool open_next();
  void open_kernel(std::string_view line);
  void close_kernel();

  std::unique_ptr<AccelSimReader>
      kernel_;                    ///< its own skipped parts join the list's when it closes
  std::uint64_t read_begin_ = 0;  ///< the first record of the last read
};

}  // namespace smem
