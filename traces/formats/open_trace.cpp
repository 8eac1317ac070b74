// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cassert>
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

/// What formats are told apart by: the first bytes, and of text its first line.
struct Beginning {
  std::string_view bytes;
  std::string_view text;  ///< from the first character that is no space
  std::string_view line;
};

Beginning beginning_of(std::string_view bytes) {
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  const std::size_t begin = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  const std::string_view text = bytes.substr(begin);
  return {bytes, text, trimmed(text.substr(0, text.find_first_of("\r\n")))};
}

/// A format: how it is told apart from those below it, and who reads its records.
struct FormatRow {
  std::string_view name;
  std::string_view begins_with;  ///< what `recognise` looks for, in the help's words
  bool (*recognise)(const Beginning& beginning);
  std::unique_ptr<TraceReader> (*open)(std::unique_ptr<ByteSource> bytes, const std::string& name,
                                       const GpuSpec& spec, ReadOptions options);
};

bool is_smt(const Beginning& beginning) {
  return beginning.bytes.starts_with(
      std::string_view(reinterpret_cast<const char*>(kSmtMagic.data()), 4));
}

bool is_program(const Beginning& beginning) {
  return beginning.line.starts_with("[") || beginning.line.starts_with("{");
}

bool is_nvbit(const Beginning& beginning) {
  return beginning.text.starts_with("MEMTRACE: ") ||
         beginning.text.find("\nMEMTRACE: ") != std::string_view::npos;
}

bool is_accel_sim(const Beginning& beginning) {
  return beginning.line.starts_with("-kernel ");
}

/// The first line is a copy, or a kernel's trace.
bool is_kernels_list(const Beginning& beginning) {
  const std::string_view line = beginning.line;
  for (const std::string_view command : {"MemcpyHtoD,", "MemcpyDtoH,", "cudaMalloc,"}) {
    if (line.starts_with(command)) return true;
  }
  return line.find(',') == std::string_view::npos &&
         (line.starts_with("kernel-") || line.find(".trace") != std::string_view::npos);
}

bool is_anything(const Beginning& /*beginning*/) {
  return true;
}

template <class Reader>
std::unique_ptr<TraceReader> open_text(std::unique_ptr<ByteSource> bytes, const std::string& name,
                                       const GpuSpec& spec, ReadOptions options) {
  return std::make_unique<Reader>(TextSource(std::move(bytes), name), spec, options);
}

std::unique_ptr<TraceReader> open_smt(std::unique_ptr<ByteSource> bytes, const std::string& name,
                                      const GpuSpec& spec, ReadOptions options) {
  return std::make_unique<SmtReader>(std::move(bytes), name, spec, options);
}

std::unique_ptr<TraceReader> open_program(std::unique_ptr<ByteSource> bytes,
                                          const std::string& name, const GpuSpec& spec,
                                          ReadOptions /*options*/) {
  return std::make_unique<ProgramReader>(read_programs(*bytes, name, spec), 1, 1);
}

/// The first row that recognises a file has it, the last takes what is left.
constexpr std::array kFormats = {
    FormatRow{".smt", "\\x89SMT", is_smt, open_smt},
    FormatRow{kProgramFormat, "[ or {", is_program, open_program},
    FormatRow{"NVBit mem_trace", "a line MEMTRACE: … among the first", is_nvbit,
              open_text<NvbitReader>},
    FormatRow{"Accel-Sim .traceg", "-kernel …", is_accel_sim, open_text<AccelSimReader>},
    FormatRow{"Accel-Sim kernelslist.g", "MemcpyHtoD,…, kernel-… or a name with .trace",
              is_kernels_list, open_text<KernelsListReader>},
    FormatRow{kAccessListFormat, "anything else", is_anything, open_text<AccessListReader>},
};

template <class Fits>
const FormatRow& first_row(Fits fits) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(), fits);
  assert(found != kFormats.end());
  return *found;
}

}  // namespace

std::string_view recognise_trace(std::string_view first_bytes) {
  const Beginning beginning = beginning_of(first_bytes);
  return first_row([&](const FormatRow& row) { return row.recognise(beginning); }).name;
}

std::string format_help() {
  constexpr std::size_t kBeginningColumn = 26;
  std::string text = "Files, plain or as gzip, zstd or xz, told apart by what they begin with:\n";
  for (const FormatRow& row : kFormats) {
    std::string line = "  " + std::string(row.name);
    line.resize(kBeginningColumn, ' ');
    text += line.append(row.begins_with) += '\n';
  }
  return text;
}

TraceFile::TraceFile(std::string name) : name_(std::move(name)), bytes_(open_bytes(name_)) {
  std::string prefix = read_prefix(*bytes_);
  format_ = recognise_trace(prefix);
  bytes_ = with_prefix(std::move(prefix), std::move(bytes_));
}

std::unique_ptr<TraceReader> TraceFile::records(const GpuSpec& spec, ReadOptions options) && {
  const FormatRow& row = first_row([&](const FormatRow& one) { return one.name == format_; });
  return row.open(std::exchange(bytes_, nullptr), name_, spec, options);
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
