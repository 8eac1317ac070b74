// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <utility>

#include <traces/access_check.hpp>
#include <traces/text/accel_sim_reader.hpp>
#include <traces/text/text_fields.hpp>

namespace smem {
namespace {

constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMost64 = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kWindowBytes = 1u << 24;  ///< shared windows are 16 MiB aligned
constexpr std::uint64_t kLastTracerVersion = 6;

/// Loads from other memories: their result depends on nothing that happens in shared memory.
bool loads_from_elsewhere(std::string_view opcode) {
  for (const std::string_view start : {"LD", "ATOM", "TEX", "TLD", "SULD", "TXQ"}) {
    if (opcode.starts_with(start)) return true;
  }
  return false;
}

/// "key = value" -> value, or nothing when the line has another key.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  line = trimmed(line.substr(key.size()));
  if (!line.starts_with('=')) return std::nullopt;
  return trimmed(line.substr(1));
}

}  // namespace

AccelSimReader::AccelSimReader(TextSource source, const GpuSpec& spec, ReadOptions options)
    : LineReader(std::move(source), spec, options) {
  info_.kernels.emplace_back();
  read_header();
}

std::uint64_t AccelSimReader::number(std::string_view text, int base, std::uint64_t most,
                                     std::string_view what) const {
  std::uint64_t value = 0;
  if (!parse_whole(text, base, value) || value > most) {
    fail("expected " + std::string(what) + ", found " + quoted(text));
  }
  return value;
}

std::array<std::uint32_t, 3> AccelSimReader::extent(std::string_view text) const {
  const std::string_view whole = text;
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  std::array<std::uint32_t, 3> result{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t end = text.find(',');
    if ((end == std::string_view::npos) != (axis == 2)) {
      fail("expected three numbers x,y,z, found " + quoted(whole));
    }
    result[axis] = static_cast<std::uint32_t>(
        number(trimmed(text.substr(0, end)), 10, kMost32, "a whole number"));
    text.remove_prefix(axis == 2 ? text.size() : end + 1);
  }
  return result;
}

void AccelSimReader::read_header() {
  std::string_view line;
  bool named = false;
  while (source_.next_line(line)) {
    line = trimmed(line);
    if (line.empty()) continue;
    if (line.front() == '#') {
      if (!named) fail("expected a header with -kernel name, found its end");
      if (const auto error = kernel_error(spec_, info_.kernels.front())) fail(*error);
      TraceRecord none;
      take_line(line, none);
      return;
    }
    if (line.front() != '-') {
      fail("expected a header line that starts with '-' or the '#' that ends the header, found " +
           quoted(line));
    }
    named |= line.starts_with("-kernel name");
    read_header_line(line);
  }
  throw TraceError(source_.name() + ":" + std::to_string(source_.line_number() + 1) +
                   ": expected a header up to a line that starts with '#', found the end of the "
                   "file");
}

void AccelSimReader::read_header_line(std::string_view line) {
  KernelInfo& kernel = info_.kernels.front();
  const auto take32 = [&](std::string_view value) {
    return static_cast<std::uint32_t>(number(value, 10, kMost32, "a whole number"));
  };
  if (const auto value = value_of(line, "-kernel name")) {
    kernel.name = std::string(*value);
  } else if (const auto grid = value_of(line, "-grid dim")) {
    kernel.grid = extent(*grid);
  } else if (const auto block = value_of(line, "-block dim")) {
    kernel.block = extent(*block);
  } else if (const auto shared = value_of(line, "-shmem")) {
    kernel.shared_bytes = take32(*shared);
  } else if (const auto registers = value_of(line, "-nregs")) {
    kernel.registers_per_thread = take32(*registers);
  } else if (const auto base = value_of(line, "-shmem base_addr")) {
    shared_base_address_ = number(*base, 16, kMost64, "a hexadecimal address");
  } else if (const auto version = value_of(line, "-accelsim tracer version")) {
    tracer_version_ = number(*version, 10, kLastTracerVersion, "a tracer version of at most 6");
    info_.capture_tool = "Accel-Sim tracer version " + std::string(*version);
  } else if (const auto lines = value_of(line, "-enable lineinfo")) {
    has_line_numbers_ = number(*lines, 10, 1, "0 or 1") == 1;
  }
}

bool AccelSimReader::take_structure(std::string_view line) {
  if (line.starts_with("#BEGIN_TB")) {
    if (in_block_) fail("expected #END_TB before the next block, found #BEGIN_TB");
    in_block_ = any_block_ = true;
    return true;
  }
  if (line.starts_with("#END_TB")) {
    end_warp();
    if (!in_block_) fail("expected #BEGIN_TB first, found #END_TB");
    in_block_ = false;
    return true;
  }
  if (line.front() == '#') return true;
  if (const auto block = value_of(line, "thread block")) {
    end_warp();
    set_block(*block);
    return true;
  }
  if (line.starts_with("cluster")) return true;
  if (const auto warp = value_of(line, "warp")) {
    end_warp();
    begin_warp(number(*warp, 10, kMost32, "the number of a warp"));
    return true;
  }
  if (const auto count = value_of(line, "insts")) {
    if (instructions_expected_) fail("expected one insts line a warp, found another");
    instructions_expected_ = number(*count, 10, kMost64, "a number of instructions");
    return true;
  }
  return false;
}

void AccelSimReader::set_block(std::string_view text) {
  if (!in_block_) fail("expected #BEGIN_TB first, found a thread block");
  const auto place_in_grid = extent(text);
  const auto& grid = info_.kernels.front().grid;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (grid[axis] != 0 && place_in_grid[axis] >= grid[axis]) {
      fail("expected a block inside the grid, found " + quoted(text));
    }
  }
  // Dividing keeps the numbers small enough; a grid has at most 2^31 * 2^16 * 2^16 blocks.
  const std::uint64_t row = std::max(grid[0], 1u);
  const std::uint64_t plane_rows = std::max(grid[1], 1u);
  const std::uint64_t rows = place_in_grid[1] + plane_rows * place_in_grid[2];
  if (rows > kMost32 || place_in_grid[0] + row * rows > kMost32) {
    fail("expected a block with a linear index of 32 bits, found " + quoted(text));
  }
  block_ = static_cast<std::uint32_t>(place_in_grid[0] + row * rows);
}

void AccelSimReader::begin_warp(std::uint64_t warp) {
  if (!in_block_) fail("expected #BEGIN_TB first, found a warp");
  warp_ = static_cast<std::uint32_t>(warp);
  instructions_expected_.reset();
  instructions_read_ = 0;
  flow_.reset();
}

/// A warp that is followed by something else must be complete.
void AccelSimReader::end_warp() {
  const std::uint64_t expected = std::exchange(instructions_expected_, std::nullopt).value_or(0);
  const std::uint64_t read = std::exchange(instructions_read_, 0);
  if (read < expected) {
    fail("expected " + std::to_string(expected) + " instructions in warp " + std::to_string(warp_) +
         ", found " + std::to_string(read));
  }
}

bool AccelSimReader::take_line(std::string_view line, TraceRecord& record) {
  line = trimmed(line);
  if (line.empty() || take_structure(line)) return false;
  if (!any_block_ && !line.empty() && line.front() >= '0' && line.front() <= '9') {
    fail(
        "expected #BEGIN_TB, found an instruction: a trace as it leaves the tracer; Accel-Sim's "
        "post-traces-processing, run on its kernelslist, sorts it into blocks and warps");
  }
  if (!in_block_ || !instructions_expected_) {
    fail("expected #BEGIN_TB, thread block, warp and insts before instructions, found " +
         quoted(line));
  }
  if (instructions_read_ == *instructions_expected_) {
    fail("expected " + std::to_string(*instructions_expected_) + " instructions in warp " +
         std::to_string(warp_) + ", found more");
  }
  ++instructions_read_;
  return take_instruction(line, record);
}

template <std::size_t kSize>
std::size_t AccelSimReader::parse_registers(std::string_view& rest,
                                            std::array<RegisterFlow::Register, kSize>& registers) {
  const std::size_t count = static_cast<std::size_t>(
      number(next_word(rest), 10, kSize, "a number of registers up to " + std::to_string(kSize)));
  for (std::size_t index = 0; index < count; ++index) {
    std::string_view word = next_word(rest);
    const bool is_uniform = word.starts_with("UR");
    if (!is_uniform && !word.starts_with('R')) {
      fail("expected a register such as R8 or UR4, found " + quoted(word));
    }
    word.remove_prefix(is_uniform ? 2 : 1);
    const std::uint64_t value = number(word, 10, 255, "a register up to R255 or UR255");
    registers[index] =
        static_cast<RegisterFlow::Register>(value + (is_uniform ? RegisterFlow::kFirstUniform : 0));
  }
  return count;
}

void AccelSimReader::parse_instruction(std::string_view line, Instruction& instruction) {
  std::string_view rest = line;
  if (tracer_version_ < 3) {
    for (int skipped = 0; skipped < 4; ++skipped) {
      number(next_word(rest), 10, kMost32, "block x, y, z and warp before the pc");
    }
  }
  if (has_line_numbers_) number(next_word(rest), 10, kMost32, "a source line before the pc");
  instruction.pc = number(next_word(rest), 16, kMost64, "a hexadecimal pc");
  instruction.mask = static_cast<std::uint32_t>(
      number(next_word(rest), 16, kMost32, "a mask of at most 8 hexadecimal digits"));
  instruction.destination_count = parse_registers(rest, instruction.destinations);
  instruction.opcode = next_word(rest);
  if (instruction.opcode.empty()) fail("expected an opcode, found the end of the line");
  instruction.source_count = parse_registers(rest, instruction.sources);
  const std::uint64_t width = number(next_word(rest), 10, kMost32, "a width in bytes");
  if (width != 0) parse_addresses(rest, instruction);
  if (!instruction.is_descriptor) parse_end(rest);
}

/// Version 5 writes up to two immediates behind the addresses, 6 also NoVal, or Val and the values
/// of the registers.
void AccelSimReader::parse_end(std::string_view rest) const {
  const unsigned most_immediates = tracer_version_ >= 5 ? 2 : 0;
  std::string_view word = next_word(rest);
  for (unsigned count = 0; count < most_immediates && !word.empty(); ++count) {
    const char first = word.front();
    if (first != '-' && (first < '0' || first > '9')) break;
    word = next_word(rest);
  }
  if (tracer_version_ >= 6 && word == "Val") return;
  if (tracer_version_ >= 6 && word == "NoVal") word = next_word(rest);
  if (!word.empty()) {
    fail("expected the end of the line after the addresses, found " + quoted(word));
  }
}

void AccelSimReader::parse_addresses(std::string_view& rest, Instruction& instruction) {
  const std::uint64_t mode = number(next_word(rest), 10, 4, "an address mode of 0 to 4");
  instruction.is_descriptor = mode >= 3;
  if (instruction.is_descriptor) return;
  instruction.has_addresses = true;
  if (instruction.mask == 0) {  // what stands there was never set
    rest = {};
    return;
  }
  const auto address = [&] {
    return number(next_word(rest), 16, kMost64, "a hexadecimal address");
  };
  const auto step = [&] {
    std::int64_t value = 0;
    const std::string_view word = next_word(rest);
    if (!parse_signed(word, value)) fail("expected a decimal step, found " + quoted(word));
    return static_cast<std::uint64_t>(value);
  };
  std::uint64_t current = mode == 0 ? 0 : address();
  const std::uint64_t stride = mode == 1 ? step() : 0;
  bool first = true;
  for_each_lane(instruction.mask, [&](unsigned lane) {
    if (mode == 0) {
      current = address();
    } else if (!first) {
      current += mode == 1 ? stride : step();
    }
    first = false;
    instruction.addresses[lane] = current;
  });
}

std::optional<std::uint32_t> AccelSimReader::shared_offset(std::uint64_t address,
                                                           AddressSpace space) const {
  if (address - shared_base_address_ < kWindowBytes) {
    return static_cast<std::uint32_t>(address - shared_base_address_);
  }
  if (address < kWindowBytes) return static_cast<std::uint32_t>(address);  // an offset already
  // An opcode that can only mean shared memory names a window of which the header says nothing.
  if (space == AddressSpace::shared && shared_base_address_ == 0) {
    return static_cast<std::uint32_t>(address % kWindowBytes);
  }
  return std::nullopt;
}

bool AccelSimReader::make_record(const Instruction& instruction, TraceRecord& record) {
  const SassOpcode opcode = parse_sass_opcode(instruction.opcode);
  if (opcode.space == AddressSpace::none) return false;
  record = TraceRecord{};
  record.access = {opcode.operation, opcode.bytes_per_lane, instruction.mask, {}};
  record.block = block_;
  record.warp = warp_;
  record.pc = instruction.pc;
  if (opcode.space == AddressSpace::barrier) return true;
  if (!instruction.has_addresses) {
    if (opcode.space == AddressSpace::generic || instruction.is_descriptor) return false;
    fail("expected addresses for " + std::string(instruction.opcode) + ", found none");
  }
  bool is_shared = opcode.space == AddressSpace::shared || instruction.mask != 0;
  for_each_lane(instruction.mask, [&](unsigned lane) {
    const auto offset = shared_offset(instruction.addresses[lane], opcode.space);
    if (!offset && opcode.space == AddressSpace::shared) {
      fail("expected addresses inside the shared window, found another in lane " +
           std::to_string(lane));
    }
    is_shared &= offset.has_value();
    record.access.offsets_bytes[lane] = offset.value_or(0);
  });
  if (!is_shared) return false;
  const std::uint32_t used = addressing_lanes(record.access);
  for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
    if (((used >> lane) & 1u) == 0) record.access.offsets_bytes[lane] = 0;
  }
  if (const auto error = access_error(spec_, record.access)) fail(*error);
  return true;
}

bool AccelSimReader::take_instruction(std::string_view line, TraceRecord& record) {
  Instruction instruction;
  parse_instruction(line, instruction);
  if (instruction.is_descriptor) ++skipped_.descriptor_copies;
  const std::span destinations(instruction.destinations.data(), instruction.destination_count);
  const std::span sources(instruction.sources.data(), instruction.source_count);
  if (!make_record(instruction, record)) {
    // LDGSTS comes twice, with its global and with its shared addresses: count it once.
    if (instruction.opcode.starts_with("LDGSTS") && instruction.has_addresses) {
      if (instruction.mask != 0) count_global_copy();
      return false;
    }
    flow_.instruction(destinations, sources, loads_from_elsewhere(instruction.opcode));
    return false;
  }
  if (record.access.operation == Operation::async_copy) count_shared_copy();
  flow_.access(record, destinations, sources,
               result_registers(record.access.operation, record.access.bytes_per_lane));
  return true;
}

/// At the end of the file.
void AccelSimReader::finish() {
  end_warp();
  if (in_block_) fail("expected #END_TB, found the end of the file");
  if (!any_block_) fail("expected #BEGIN_TB, found the end of the file");
}

}  // namespace smem
