// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <traces/bytes/byte_source.hpp>
#include <traces/formats/open_trace.hpp>
#include <traces/smt/smt_format.hpp>
#include <traces/smt/smt_reader.hpp>
#include <traces/text/accel_sim_reader.hpp>
#include <traces/text/access_list_reader.hpp>
#include <traces/text/kernels_list_reader.hpp>
#include <traces/text/nvbit_reader.hpp>
#include <traces/text/text_fields.hpp>

namespace smem {
namespace {

constexpr std::size_t kRecognisedBytes = 1u << 16;

std::string read_prefix(ByteSource& bytes) {
  std::string prefix(kRecognisedBytes, '\0');
  std::size_t size = 0;
  try {
    while (size < prefix.size()) {
      const std::size_t got = bytes.read(std::span(prefix).subspan(size));
      if (got == 0) break;
      size += got;
    }
  } catch (const TraceError&) {
    // Damage in the first bytes: the reader that gets them will meet it too, and say where.
  }
  prefix.resize(size);
  return prefix;
}

/// Whether a line of a kernelslist.g looks like this: a copy, or a kernel's trace.
bool is_kernels_list_line(std::string_view line) {
  if (line.starts_with("MemcpyHtoD,") || line.starts_with("MemcpyDtoH,")) return true;
  return line.find(',') == std::string_view::npos &&
         (line.starts_with("kernel-") || line.find(".trace") != std::string_view::npos);
}

}  // namespace

TraceFormat recognise_trace(std::string_view first_bytes) {
  const std::string_view magic(reinterpret_cast<const char*>(kSmtMagic.data()), 4);
  if (first_bytes.starts_with(magic)) return TraceFormat::smt;
  const std::size_t begin = std::min(first_bytes.find_first_not_of(" \t\r\n"), first_bytes.size());
  const std::string_view text = first_bytes.substr(begin);
  const std::string_view line = trimmed(text.substr(0, text.find_first_of("\r\n")));
  if (line.starts_with("[") || line.starts_with("{")) return TraceFormat::program;
  if (text.starts_with("MEMTRACE: ") || text.find("\nMEMTRACE: ") != std::string_view::npos) {
    return TraceFormat::nvbit;
  }
  if (line.starts_with("-kernel ")) return TraceFormat::accel_sim;
  if (is_kernels_list_line(line)) return TraceFormat::kernels_list;
  return TraceFormat::access_list;
}

TraceFile::TraceFile(std::string name) : name_(std::move(name)), bytes_(open_bytes(name_)) {
  std::string prefix = read_prefix(*bytes_);
  format_ = recognise_trace(prefix);
  bytes_ = with_prefix(std::move(prefix), std::move(bytes_));
}

std::unique_ptr<TraceReader> TraceFile::records(const GpuSpec& spec, ReadOptions options) && {
  switch (format_) {
    case TraceFormat::smt:
      return std::make_unique<SmtReader>(std::move(bytes_), name_, spec, options);
    case TraceFormat::program:
      return std::make_unique<ProgramReader>(std::move(*this).programs(spec), 1, 1);
    case TraceFormat::accel_sim:
      return std::make_unique<AccelSimReader>(std::move(*this).text(), spec, options);
    case TraceFormat::kernels_list:
      return std::make_unique<KernelsListReader>(std::move(*this).text(), spec, options);
    case TraceFormat::nvbit:
      return std::make_unique<NvbitReader>(std::move(*this).text(), spec, options);
    case TraceFormat::access_list:
      break;
  }
  return std::make_unique<AccessListReader>(std::move(*this).text(), spec, options);
}

std::vector<Program> TraceFile::programs(const GpuSpec& spec) && {
  return read_programs(*std::exchange(bytes_, nullptr), name_, spec);
}

TextSource TraceFile::text() && {
  return TextSource(std::move(bytes_), name_);
}

std::unique_ptr<TraceReader> open_trace(const std::string& file, const GpuSpec& spec,
                                        ReadOptions options) {
  return TraceFile(file).records(spec, options);
}

}  // namespace smem
