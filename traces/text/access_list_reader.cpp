// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <limits>

#include <traces/access_check.hpp>
#include <traces/text/access_list_reader.hpp>
#include <traces/text/text_fields.hpp>

namespace smem {
namespace {

constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMost64 = std::numeric_limits<std::uint64_t>::max();

}  // namespace

const std::array<std::string_view, AccessListReader::kColumnCount> AccessListReader::kColumnNames =
    {"op",
     "bytes",
     "mask",
     "addresses",
     "name",
     "count",
     "kernel",
     "block",
     "warp",
     "pc",
     "issue_gap_instructions",
     "depends_on",
     "dependent_instructions",
     "stored",
     "wavefronts",
     "bank_conflicts",
     "cycles_per_inst",
     "profiler_wavefronts",
     "profiler_bank_conflicts"};

AccessListReader::AccessListReader(TextSource source, const GpuSpec& spec, ReadOptions options)
    : LineReader(std::move(source), spec, options) {
  position_.fill(-1);
  read_header();
}

bool AccessListReader::has_measured_columns() const {
  return has(kWavefronts) || has(kBankConflicts) || has(kCyclesPerInst) || has(kProfilerWavefronts);
}

void AccessListReader::read_header() {
  std::string_view line;
  do {
    if (!source_.next_line(line)) {
      throw TraceError(source_.name() + ":" + std::to_string(source_.line_number() + 1) +
                       ": expected a header line naming the columns, found the end of the file");
    }
    if (line.starts_with("#!")) read_directive(line);
  } while (line.empty() || line.front() == '#');
  split(line);
  column_count_ = fields_.size();
  for (std::size_t index = 0; index < fields_.size(); ++index) {
    const auto found = std::find(kColumnNames.begin(), kColumnNames.end(), fields_[index]);
    if (found == kColumnNames.end()) {
      std::string known;
      for (const std::string_view name : kColumnNames) known += " " + std::string(name);
      fail("expected columns out of" + known + ", found " + quoted(fields_[index]));
    }
    int& position = position_[static_cast<std::size_t>(found - kColumnNames.begin())];
    if (position >= 0)
      fail("expected each column once, found " + quoted(fields_[index]) + " again");
    position = static_cast<int>(index);
  }
  for (const Column column : {kOp, kBytes, kMask, kAddresses}) {
    if (!has(column)) {
      fail("expected a column '" + std::string(kColumnNames[column]) + "', found none");
    }
  }
}

void AccessListReader::read_directive(std::string_view line) {
  std::string_view rest = line.substr(2);
  const std::string_view kind = next_word(rest);
  const auto value_of = [&](std::string_view key) {
    const std::string_view word = next_word(rest);
    if (!word.starts_with(key) || word.size() <= key.size() || word[key.size()] != '=') {
      fail("expected " + std::string(key) + "=… here, found " + quoted(word));
    }
    return word.substr(key.size() + 1);
  };
  const auto whole = [&](std::string_view text) {
    std::uint64_t value = 0;
    if (!parse_whole(text, 10, value) || value > kMost32) {
      fail("expected a whole number, found " + quoted(text));
    }
    return static_cast<std::uint32_t>(value);
  };
  const auto extent = [&](std::string_view text) {
    std::array<std::uint32_t, 3> result{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t end = axis < 2 ? text.find('x') : text.size();
      if (end == std::string_view::npos) fail("expected XxYxZ, found " + quoted(text));
      result[axis] = whole(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
  };
  const auto name = [&] {
    if (!rest.starts_with(" name=")) fail("expected name=… to the end of the line");
    return std::string(rest.substr(6));
  };
  if (kind == "gpu" || kind == "capture_tool") {
    (kind == "gpu" ? info_.gpu : info_.capture_tool) =
        std::string(rest.substr(rest.empty() ? 0 : 1));
  } else if (kind == "kernel") {
    KernelInfo kernel;
    kernel.grid = extent(value_of("grid"));
    kernel.block = extent(value_of("block"));
    kernel.shared_bytes = whole(value_of("shared_bytes"));
    kernel.registers_per_thread = whole(value_of("registers_per_thread"));
    kernel.name = name();
    if (const auto error = kernel_error(spec_, kernel)) fail(*error);
    info_.kernels.push_back(std::move(kernel));
    kernels_declared_ = true;
  } else if (kind == "array") {
    ArrayInfo array;
    array.begin_bytes = whole(value_of("begin_bytes"));
    array.end_bytes = whole(value_of("end_bytes"));
    array.name = name();
    info_.arrays.push_back(std::move(array));
  } else {
    fail("expected a directive gpu, capture_tool, kernel or array, found " + quoted(kind));
  }
}

void AccessListReader::split(std::string_view line) {
  fields_.clear();
  unquoted_.clear();
  quoted_fields_.clear();  // what a damaged line may have left
  while (true) {
    if (!line.starts_with('"')) {
      const std::size_t comma = line.find(',');
      fields_.push_back(line.substr(0, comma));
      if (comma == std::string_view::npos) break;
      line.remove_prefix(comma + 1);
      continue;
    }
    // A quoted field may hold commas; a doubled quote stands for one.
    std::string text;
    std::size_t position = 1;
    while (position < line.size() &&
           (line[position] != '"' || line.substr(position).starts_with("\"\""))) {
      position += line[position] == '"' ? 1 : 0;
      text += line[position++];
    }
    if (position >= line.size()) fail("expected a closing quote, found the end of the line");
    if (position + 1 < line.size() && line[position + 1] != ',') {
      fail("expected ',' after a quoted field, found " + quoted(line.substr(position + 1)));
    }
    unquoted_.push_back(std::move(text));
    fields_.emplace_back();
    quoted_fields_.push_back(fields_.size() - 1);
    if (position + 1 >= line.size()) break;
    line.remove_prefix(position + 2);
  }
  for (std::size_t index = 0; index < quoted_fields_.size(); ++index) {
    fields_[quoted_fields_[index]] = unquoted_[index];
  }
}

std::string_view AccessListReader::field(Column column) const {
  return fields_[static_cast<std::size_t>(position_[column])];
}

std::uint64_t AccessListReader::number(Column column, std::uint64_t least, std::uint64_t most,
                                       int base) const {
  std::uint64_t value = 0;
  if (!parse_whole(field(column), base, value) || value < least || value > most) {
    std::string wanted = base == 16 ? "a hexadecimal number" : "a whole number";
    if (base == 10 && least != 0) wanted += " of at least " + std::to_string(least);
    if (base == 10 && most != kMost64) wanted += " up to " + std::to_string(most);
    if (base == 16 && most == kMost32) wanted += " of at most 8 digits";
    fail("expected " + wanted + " in column '" + std::string(kColumnNames[column]) + "', found " +
         quoted(field(column)));
  }
  return value;
}

double AccessListReader::cycles_per_inst() const {
  const std::string_view text = field(kCyclesPerInst);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || !(value >= 0)) {
    fail("expected a number in column 'cycles_per_inst', found " + quoted(text));
  }
  return value;
}

std::uint32_t AccessListReader::kernel_index(std::string_view text) {
  std::uint64_t index = 0;
  if (kernels_declared_ && parse_whole(text, 10, index)) {
    if (index >= info_.kernels.size()) {
      fail("expected a kernel below " + std::to_string(info_.kernels.size()) + ", found " +
           quoted(text));
    }
    return static_cast<std::uint32_t>(index);
  }
  for (std::size_t left = info_.kernels.size(); left > 0; --left) {  // the latest is the likeliest
    if (info_.kernels[left - 1].name == text) return static_cast<std::uint32_t>(left - 1);
  }
  info_.kernels.push_back({std::string(text), {}, {}, 0, 0});
  return static_cast<std::uint32_t>(info_.kernels.size() - 1);
}

void AccessListReader::parse_addresses(WarpAccess& access) {
  std::string_view rest = field(kAddresses);
  const bool has_addresses = traits(access.operation).address_lanes != 0;
  const std::uint32_t used = addressing_lanes(access);
  access.offsets_bytes.fill(0);
  std::size_t count = 0;
  for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest), ++count) {
    std::uint64_t value = 0;
    if (!parse_whole(word, 10, value) || value > kMost32) {
      fail("expected byte offsets in column 'addresses', found " + quoted(word));
    }
    if (count < kLanesPerWarp && ((used >> count) & 1u) != 0) {
      access.offsets_bytes[count] = static_cast<std::uint32_t>(value);
    }
  }
  if (count != kLanesPerWarp && (has_addresses || count != 0)) {
    fail("expected 32 addresses, found " + std::to_string(count));
  }
}

void AccessListReader::parse_stored(TraceRecord& record) {
  std::string_view rest = field(kStored);
  if (rest.empty()) return;
  auto stored = std::make_shared<StoredBytes>();
  const std::size_t digits = 2u * record.access.bytes_per_lane;
  for (std::size_t lane = 0; lane < kLanesPerWarp; ++lane) {
    const std::string_view word = next_word(rest);
    if (word.size() != digits) {
      fail("expected 32 values of " + std::to_string(digits) +
           " hexadecimal digits (lowest byte first) in column 'stored', found " + quoted(word));
    }
    for (std::size_t byte = 0; byte < record.access.bytes_per_lane; ++byte) {
      std::uint64_t value = 0;
      const std::string_view pair = word.substr(2 * byte, 2);
      if (pair[0] == '+' || pair[0] == '-' || !parse_whole(pair, 16, value)) {
        fail("expected hexadecimal digits in column 'stored', found " + quoted(word));
      }
      (*stored)[lane][byte] = static_cast<std::uint8_t>(value);
    }
  }
  if (!next_word(rest).empty()) fail("expected 32 values in column 'stored', found more");
  record.stored = std::move(stored);
}

void AccessListReader::parse_row(TraceRecord& record) {
  if (fields_.size() != column_count_) {
    fail("expected " + std::to_string(column_count_) + " fields, found " +
         std::to_string(fields_.size()));
  }
  record = TraceRecord{};
  WarpAccess& access = record.access;
  const std::optional<OperationName> operation = find_operation(field(kOp));
  if (!operation) fail("expected an operation such as ld or st, found " + quoted(field(kOp)));
  access.operation = operation->operation;
  access.bytes_per_lane = static_cast<std::uint8_t>(number(kBytes, 0, 16));
  if (operation->bytes != 0 && operation->bytes != access.bytes_per_lane) {
    fail("expected " + std::to_string(operation->bytes) + " bytes for " +
         std::string(operation->name) + ", found " + std::to_string(access.bytes_per_lane));
  }
  access.active_mask = static_cast<std::uint32_t>(number(kMask, 0, kMost32, 16));
  parse_addresses(access);
  if (const auto error = access_error(spec_, access)) fail(*error);
  const auto take32 = [&](Column column, std::uint32_t& into) {
    if (has(column)) into = static_cast<std::uint32_t>(number(column, 0, kMost32));
  };
  if (has(kCount)) record.count = number(kCount, 1, kMost64);
  take32(kBlock, record.block);
  take32(kWarp, record.warp);
  if (has(kPc)) record.pc = number(kPc, 0, kMost64, 16);
  take32(kIssueGap, record.issue_gap_instructions);
  take32(kDependsOn, record.depends_on);
  take32(kDependentInstructions, record.dependent_instructions);
  if (has(kStored)) parse_stored(record);
  record.kernel = kernel_index(has(kKernel) ? field(kKernel) : std::string_view());
}

/// True when the line was a record.
bool AccessListReader::take_line(std::string_view line, TraceRecord& record) {
  if (line.starts_with("#!")) read_directive(line);
  if (line.empty() || line.front() == '#') return false;
  split(line);
  parse_row(record);
  MeasuredRow row;
  if (has(kWavefronts)) row.wavefronts = number(kWavefronts, 0, kMost64);
  if (has(kBankConflicts)) row.bank_conflicts = number(kBankConflicts, 0, kMost64);
  if (has(kProfilerWavefronts) && !field(kProfilerWavefronts).empty()) {
    row.profiler_wavefronts = number(kProfilerWavefronts, 0, kMost64);
  }
  if (has(kCyclesPerInst)) row.cycles_per_inst = cycles_per_inst();
  measured_.push_back(row);
  names_.emplace_back(has(kName) ? field(kName) : std::string_view());
  return true;
}

void AccessListReader::finish() {
  if (good_records() == 0 && skipped_.places == 0) {
    fail("expected an access behind the header, found the end of the file");
  }
}

void AccessListReader::begin_read() {
  LineReader::begin_read();
  measured_.clear();
  names_.clear();
}

std::uint64_t AccessListReader::records_of_damaged(std::string_view line) const {
  return line.starts_with('#') ? 0 : 1;
}

}  // namespace smem
