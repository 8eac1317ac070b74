// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <traces/access_list_reader.hpp>
#include <traces/byte_source.hpp>
#include <traces/open_trace.hpp>
#include <traces/program_file.hpp>
#include <traces/smt_format.hpp>
#include <traces/smt_reader.hpp>

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

}  // namespace

TraceFormat recognise_trace(std::string_view first_bytes) {
  const std::string_view magic(reinterpret_cast<const char*>(kSmtMagic.data()), 4);
  if (first_bytes.starts_with(magic)) return TraceFormat::smt;
  const std::size_t begin = std::min(first_bytes.find_first_not_of(" \t\r\n"), first_bytes.size());
  const std::string_view text = first_bytes.substr(begin);
  if (text.starts_with("[") || text.starts_with("{")) return TraceFormat::program;
  return TraceFormat::access_list;
}

std::unique_ptr<TraceReader> open_trace(const std::string& file, const GpuSpec& spec,
                                        ReadOptions options) {
  std::unique_ptr<ByteSource> bytes = open_bytes(file);
  std::string prefix = read_prefix(*bytes);
  const TraceFormat format = recognise_trace(prefix);
  bytes = with_prefix(std::move(prefix), std::move(bytes));
  switch (format) {
    case TraceFormat::smt:
      return std::make_unique<SmtReader>(std::move(bytes), file, spec, options);
    case TraceFormat::program:
      return std::make_unique<ProgramReader>(read_programs(file, spec), 1, 1);
    case TraceFormat::access_list:
      break;
  }
  return std::make_unique<AccessListReader>(TextSource(std::move(bytes), file), spec);
}

}  // namespace smem
