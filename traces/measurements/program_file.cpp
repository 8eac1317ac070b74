// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include <traces/access_check.hpp>
#include <traces/measurements/program_file.hpp>

namespace smem {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kRowBytes = 128;
constexpr int kMostDepth = 32;
constexpr std::size_t kMaxFileBytes = 256u << 20;

std::string read_all(ByteSource& bytes, const std::string& name) {
  std::string text;
  std::size_t size = 0;
  while (true) {
    text.resize(size + (1u << 16));
    const std::size_t got = bytes.read(std::span(text).subspan(size));
    size += got;
    if (got == 0) break;
    if (size > kMaxFileBytes) throw TraceError(name + ": expected at most 256 MiB of programs");
  }
  text.resize(size);
  return text;
}

WarpAccess op_access(const ProgramOp& op) {
  const std::uint32_t lanes_per_row = kRowBytes / op.bytes;
  return make_access(op.operation, op.bytes, [&](unsigned lane) {
    const std::uint32_t slot = (lane / op.ways) % lanes_per_row;
    const std::uint32_t row = lane % op.ways + kLanesPerWarp * (lane / lanes_per_row);
    return row * kRowBytes + slot * op.bytes;
  });
}

/// Reads the ops of one program; `where` names it in messages.
class OpParser {
 public:
  OpParser(std::string where, const GpuSpec& spec) : where_(std::move(where)), spec_(spec) {}

  ProgramOp parse(const Json& json, bool has_load_before) const {
    if (!json.is_object()) fail("an object {op, bytes, ways, after}", json);
    ProgramOp op;
    const Json& name = member(json, "op");
    const auto found = name.is_string() ? find_operation(name.get<std::string>()) : std::nullopt;
    if (!found || found->operation == Operation::barrier) fail("an operation such as ld", name);
    op.operation = found->operation;
    op.bytes = static_cast<std::uint8_t>(whole(json, "bytes", 1, 16));
    op.ways = static_cast<std::uint32_t>(whole(json, "ways", 1, 32));
    const std::int64_t after = whole(json, "after", -1, 1'000'000);
    if (after == 0) fail("after -1 or at least 1", json["after"]);
    if (after > 0) {
      if (!has_load_before) fail("a load before an op with after >= 1", json);
      op.dependent_instructions = static_cast<std::uint32_t>((after + 1) / 2);
    }
    if (const auto error = access_error(spec_, op_access(op))) {
      throw TraceError(where_ + ": " + *error);
    }
    return op;
  }

  const Json& member(const Json& json, const char* key) const {
    const auto found = json.find(key);
    if (found == json.end()) throw TraceError(where_ + ": expected a member '" + key + "'");
    return *found;
  }
  std::int64_t whole(const Json& json, const char* key, std::int64_t least,
                     std::int64_t most) const {
    const Json& value = member(json, key);
    const bool is_past_signed =
        value.is_number_unsigned() &&
        value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    if (!value.is_number_integer() || is_past_signed || value.get<std::int64_t>() < least ||
        value.get<std::int64_t>() > most) {
      fail(std::string(key) + " from " + std::to_string(least) + " to " + std::to_string(most),
           value);
    }
    return value.get<std::int64_t>();
  }
  [[noreturn]] void fail(const std::string& expected, const Json& found) const {
    throw TraceError(where_ + ": expected " + expected + ", found " + found.dump().substr(0, 60));
  }

 private:
  std::string where_;
  const GpuSpec& spec_;
};

Program parse_program(const Json& json, const std::string& where, const GpuSpec& spec) {
  const OpParser of_program(where, spec);
  if (!json.is_object()) of_program.fail("an object {id, name, ops}", json);
  Program program;
  program.id = static_cast<std::uint32_t>(of_program.whole(json, "id", 0, 0xffffffffll));
  const Json& name = of_program.member(json, "name");
  if (!name.is_string()) of_program.fail("a name", name);
  program.name = name.get<std::string>();
  program.starts_late = json.contains("late");
  const Json& ops = of_program.member(json, "ops");
  if (!ops.is_array() || ops.empty()) of_program.fail("a list of ops", ops);
  bool has_load = false;
  for (std::size_t index = 0; index < ops.size(); ++index) {
    const OpParser parser(where + ", op " + std::to_string(index), spec);
    program.ops.push_back(parser.parse(ops[index], has_load));
    has_load = has_load || traits(program.ops.back().operation).returns_value;
  }
  if (!traits(program.ops.back().operation).returns_value) program.ops.emplace_back();
  return program;
}

}  // namespace

std::vector<Program> read_programs(const std::string& file, const GpuSpec& spec) {
  return read_programs(*open_bytes(file), file, spec);
}

std::vector<Program> read_programs(ByteSource& bytes, const std::string& name,
                                   const GpuSpec& spec) {
  const std::string text = read_all(bytes, name);
  Json json;
  try {
    json = Json::parse(text, [&](int depth, Json::parse_event_t, Json&) {
      if (depth <= kMostDepth) return true;
      throw TraceError(name + ": expected at most " + std::to_string(kMostDepth) +
                       " lists and objects within each other, found more");
    });
  } catch (const Json::parse_error& error) {
    const std::size_t end = std::min(error.byte, text.size());
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    throw TraceError(name + ":" + std::to_string(line) +
                     ": expected JSON, found an error at byte " + std::to_string(error.byte));
  }
  if (!json.is_array() || json.empty()) throw TraceError(name + ":1: expected a list of programs");
  std::vector<Program> programs;
  for (std::size_t index = 0; index < json.size(); ++index) {
    programs.push_back(
        parse_program(json[index], name + ": program " + std::to_string(index), spec));
  }
  return programs;
}

std::vector<TraceRecord> program_records(const Program& program, std::uint32_t kernel,
                                         std::uint32_t warp) {
  constexpr std::uint64_t kInstructionBytes = 16;
  std::vector<TraceRecord> records(program.ops.size());
  std::size_t latest_load = 0;
  for (std::size_t index = 0; index < records.size(); ++index) {
    const ProgramOp& op = program.ops[index];
    TraceRecord& record = records[index];
    record.access = op_access(op);
    record.kernel = kernel;
    record.warp = warp;
    record.pc = index * kInstructionBytes;
    record.dependent_instructions = op.dependent_instructions;
    if (op.dependent_instructions != 0) {
      record.depends_on = static_cast<std::uint32_t>(index - latest_load);
    }
    if (traits(op.operation).returns_value) latest_load = index;
  }
  return records;
}

ProgramReader::ProgramReader(std::vector<Program> programs, std::uint32_t warps,
                             std::uint32_t warp_stride)
    : programs_(std::move(programs)), warps_(warps), warp_stride_(warp_stride) {
  for (const Program& program : programs_) {
    info_.kernels.push_back(
        {program.name, {1, 1, 1}, {((warps - 1) * warp_stride + 1) * kLanesPerWarp, 1, 1}, 0, 0});
  }
}

std::size_t ProgramReader::read(std::span<TraceRecord> records) {
  std::size_t filled = 0;
  while (filled < records.size()) {
    if (next_ == current_.size()) {
      if (warp_ == warps_) {
        ++program_;
        warp_ = 0;
      }
      if (program_ >= programs_.size()) break;
      current_ = program_records(programs_[program_], static_cast<std::uint32_t>(program_),
                                 warp_ * warp_stride_);
      ++warp_;
      next_ = 0;
    }
    records[filled++] = current_[next_++];
  }
  return filled;
}

}  // namespace smem
