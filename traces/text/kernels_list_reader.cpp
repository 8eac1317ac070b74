// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <traces/text/kernels_list_reader.hpp>
#include <traces/text/text_fields.hpp>

namespace smem {
namespace {

/// The file a list's line means; empty when there is none.
std::string resolved(const std::string& list, std::string_view name) {
  const std::filesystem::path named = std::filesystem::path(list).parent_path() / name;
  for (const char* ending : {"", ".xz", ".zst", ".gz"}) {
    std::filesystem::path file = named;
    file += ending;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) return file.string();
  }
  return {};
}

}  // namespace

SkippedParts KernelsListReader::skipped() const {
  SkippedParts sum = skipped_;
  if (kernel_ == nullptr) return sum;
  const SkippedParts more = kernel_->skipped();
  sum.places += more.places;
  sum.records += more.records;
  sum.descriptor_copies += more.descriptor_copies;
  sum.copies_without_offsets += more.copies_without_offsets;
  sum.lines_without_end += more.lines_without_end;
  return sum;
}

void KernelsListReader::close_kernel() {
  skipped_ = skipped();
  kernel_.reset();
}

void KernelsListReader::open_kernel(std::string_view line) {
  if (!line.starts_with("kernel") && line.find(".trace") == std::string_view::npos) {
    fail("expected Memcpy… or the name of a kernel's trace, found " + quoted(line));
  }
  const std::string file = resolved(source_.name(), line);
  if (file.empty()) fail("expected a file beside the list, found no " + quoted(line));
  try {
    kernel_ = std::make_unique<AccelSimReader>(TextSource(file), spec_, options_);
  } catch (const TraceError& error) {
    throw TraceError(error.what(), good_records_);
  }
  info_.kernels.push_back(kernel_->info().kernels.front());
  info_.capture_tool = kernel_->info().capture_tool;
}

/// Opens the next kernel; false at the end of the list. Throws TraceError.
bool KernelsListReader::open_next() {
  std::string_view line;
  while (source_.next_line(line)) {
    line = trimmed(line);
    if (line.empty() || line.front() == '#' || line.starts_with("Memcpy") ||
        line.starts_with("cudaMalloc"))
      continue;
    if (!options_.skip_damaged) {
      open_kernel(line);
      return true;
    }
    try {
      open_kernel(line);
      return true;
    } catch (const TraceError&) {
      ++skipped_.places;
    }
  }
  if (info_.kernels.empty() && skipped_.places == 0) {
    source_.fail("expected the name of a kernel's trace, found the end of the list", 0);
  }
  return false;
}

std::string KernelsListReader::place(std::size_t index) const {
  return source_.name() + ": record " + std::to_string(read_begin_ + index);
}

std::size_t KernelsListReader::read_some(std::span<TraceRecord> records) {
  if (kernel_ == nullptr && !open_next()) {
    at_end_ = true;
    return 0;
  }
  const std::size_t count = kernel_->read(records);
  for (TraceRecord& record : records.first(count)) {
    record.kernel = static_cast<std::uint32_t>(info_.kernels.size() - 1);
  }
  if (count == 0) close_kernel();
  return count;
}

bool KernelsListReader::skip_damage() {
  if (kernel_ == nullptr) return false;
  ++skipped_.places;
  close_kernel();
  return true;
}

}  // namespace smem
