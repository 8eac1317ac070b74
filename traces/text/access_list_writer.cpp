// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include <traces/text/access_list_writer.hpp>
#include <traces/trace_error.hpp>

namespace smem {
namespace {

constexpr std::size_t kDrainBytes = 1u << 16;
constexpr const char* kHeader =
    "op,bytes,mask,addresses,kernel,block,warp,pc,count,issue_gap_instructions,depends_on,"
    "dependent_instructions,stored\n";

void put_number(std::string& text, std::uint64_t value, int base = 10) {
  char digits[20];
  const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value, base);
  text.append(digits, end);
}

std::string extent(const std::array<std::uint32_t, 3>& sizes) {
  return std::to_string(sizes[0]) + "x" + std::to_string(sizes[1]) + "x" + std::to_string(sizes[2]);
}

const std::string& without_line_break(const std::string& name) {
  if (name.find_first_of("\n\r") != std::string::npos) {
    throw TraceError("expected a name without a line break, as an access list needs, found '" +
                     name.substr(0, name.find_first_of("\n\r")) + "…'");
  }
  return name;
}

}  // namespace

AccessListWriter::AccessListWriter(ByteSink& sink) : sink_(sink) {}

void AccessListWriter::put_text(const char* directive, const std::string& text) {
  text_ += "#! ";
  text_ += directive;
  text_ += " " + without_line_break(text) + "\n";
}

void AccessListWriter::put_kernel(const KernelInfo& kernel) {
  text_ += "#! kernel grid=" + extent(kernel.grid) + " block=" + extent(kernel.block) +
           " shared_bytes=" + std::to_string(kernel.shared_bytes) +
           " registers_per_thread=" + std::to_string(kernel.registers_per_thread) +
           " name=" + without_line_break(kernel.name) + "\n";
}

void AccessListWriter::update(const TraceInfo& info) {
  if (info.gpu != known_.gpu) put_text("gpu", known_.gpu = info.gpu);
  if (info.capture_tool != known_.capture_tool) {
    put_text("capture_tool", known_.capture_tool = info.capture_tool);
  }
  while (known_.kernels.size() < info.kernels.size()) {
    known_.kernels.push_back(info.kernels[known_.kernels.size()]);
    put_kernel(known_.kernels.back());
  }
  while (known_.arrays.size() < info.arrays.size()) {
    known_.arrays.push_back(info.arrays[known_.arrays.size()]);
    const ArrayInfo& array = known_.arrays.back();
    text_ += "#! array begin_bytes=" + std::to_string(array.begin_bytes) +
             " end_bytes=" + std::to_string(array.end_bytes) +
             " name=" + without_line_break(array.name) + "\n";
  }
}

void AccessListWriter::begin_records() {
  if (header_written_) return;
  // A list without kernel lines has one unnamed kernel as soon as it has records.
  if (known_.kernels.empty() && record_count_ == 0)
    update({known_.gpu, known_.capture_tool, {{}}, known_.arrays});
  text_ += kHeader;
  header_written_ = true;
}

void AccessListWriter::put_stored(const TraceRecord& record) {
  if (record.stored == nullptr) return;
  constexpr const char* kDigits = "0123456789abcdef";
  for (std::size_t lane = 0; lane < kLanesPerWarp; ++lane) {
    if (lane != 0) text_ += ' ';
    for (std::size_t byte = 0; byte < record.access.bytes_per_lane; ++byte) {
      text_ += kDigits[(*record.stored)[lane][byte] >> 4];
      text_ += kDigits[(*record.stored)[lane][byte] & 15];
    }
  }
}

void AccessListWriter::write(const TraceRecord& record) {
  begin_records();
  const WarpAccess& access = record.access;
  const std::string_view name = operation_name(access.operation, access.bytes_per_lane);
  if (name.empty() || access.bytes_per_lane > 16) {
    throw TraceError(
        "expected an operation that access lists name, found " +
            std::string(
                kRuleKindNames[static_cast<std::size_t>(traits(access.operation).rule_kind)]) +
            " of " + std::to_string(access.bytes_per_lane) + " bytes",
        record_count_);
  }
  text_ += name;
  text_ += ',';
  put_number(text_, access.bytes_per_lane);
  text_ += ',';
  put_number(text_, access.active_mask, 16);
  text_ += ',';
  const std::uint32_t used = addressing_lanes(access.operation, access.active_mask);
  for (unsigned lane = 0; lane < kLanesPerWarp && access.operation != Operation::barrier; ++lane) {
    if (lane != 0) text_ += ' ';
    put_number(text_, ((used >> lane) & 1u) != 0 ? access.offsets_bytes[lane] : 0);
  }
  const auto put = [this](std::uint64_t value, int base = 10) {
    text_ += ',';
    put_number(text_, value, base);
  };
  put(record.kernel);
  put(record.block);
  put(record.warp);
  put(record.pc, 16);
  put(record.count);
  put(record.issue_gap_instructions);
  put(record.depends_on);
  put(record.dependent_instructions);
  text_ += ',';
  put_stored(record);
  text_ += '\n';
  ++record_count_;
  drain(kDrainBytes);
}

void AccessListWriter::write(std::span<const TraceRecord> records) {
  for (const TraceRecord& record : records) write(record);
}

void AccessListWriter::drain(std::size_t least_bytes) {
  if (text_.size() < least_bytes) return;
  sink_.write(text_);
  text_.clear();
}

void AccessListWriter::finish() {
  if (!header_written_) text_ += kHeader;
  header_written_ = true;
  drain(0);
  sink_.finish();
}

}  // namespace smem
