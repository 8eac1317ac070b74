// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>

#include <traces/access_check.hpp>
#include <traces/text/nvbit_reader.hpp>
#include <traces/text/text_fields.hpp>

namespace smem {
namespace {

constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMost64 = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kWindowBytes = 1u << 24;  ///< shared windows are 16 MiB aligned
constexpr std::size_t kMostUnplacedBlocks = 1u << 20;
constexpr std::string_view kPrefix = "MEMTRACE: CTX ";

/// Takes the text up to the next " - " off `rest`.
std::string_view next_part(std::string_view& rest) {
  constexpr std::string_view kSeparator = " - ";
  const std::size_t end = rest.find(kSeparator);
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + kSeparator.size());
  return trimmed(part);
}

/// What stands behind `key` in `part`, or nothing.
std::optional<std::string_view> value_of(std::string_view part, std::string_view key) {
  if (!part.starts_with(key)) return std::nullopt;
  return trimmed(part.substr(key.size()));
}

/// A line that says what an access's line says, but for its beginning.
bool looks_like_damaged_access(std::string_view line) {
  return line.find("MEMTRACE") != std::string_view::npos ||
         line.find("grid_launch_id ") != std::string_view::npos ||
         (line.find(" - CTA ") != std::string_view::npos &&
          line.find(" - warp ") != std::string_view::npos);
}

}  // namespace

NvbitReader::NvbitReader(TextSource source, const GpuSpec& spec, ReadOptions options)
    : LineReader(std::move(source), spec, options) {
  info_.capture_tool = "NVBit mem_trace";
}

std::uint64_t NvbitReader::number(std::string_view text, int base, std::uint64_t most,
                                  std::string_view what) const {
  std::uint64_t value = 0;
  if (!parse_whole(text, base, value) || value > most) {
    fail("expected " + std::string(what) + ", found " + quoted(text));
  }
  return value;
}

std::array<std::uint32_t, 3> NvbitReader::extent(std::string_view text) const {
  const std::string_view whole = text;
  std::array<std::uint32_t, 3> result{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t end = text.find(',');
    if ((end == std::string_view::npos) != (axis == 2)) {
      fail("expected three numbers x,y,z, found " + quoted(whole));
    }
    result[axis] =
        static_cast<std::uint32_t>(number(text.substr(0, end), 10, kMost32, "a whole number"));
    text.remove_prefix(axis == 2 ? text.size() : end + 1);
  }
  return result;
}

std::uint32_t NvbitReader::kernel_index(std::uint64_t launch) {
  for (std::size_t left = launches_.size(); left > 0; --left) {  // the latest is the likeliest
    if (launches_[left - 1] == launch) return static_cast<std::uint32_t>(left - 1);
  }
  launches_.push_back(launch);
  info_.kernels.push_back({"launch " + std::to_string(launch), {}, {}, 0, 0});
  return static_cast<std::uint32_t>(launches_.size() - 1);
}

std::uint32_t NvbitReader::block_index(std::uint32_t kernel,
                                       const std::array<std::uint32_t, 3>& at) {
  const auto& grid = info_.kernels[kernel].grid;
  if (std::find(grid.begin(), grid.end(), 0u) == grid.end()) {
    const std::uint64_t rows = at[1] + std::uint64_t{grid[1]} * at[2];
    if (at[0] >= grid[0] || at[1] >= grid[1] || at[2] >= grid[2] || rows > kMost32 ||
        at[0] + grid[0] * rows > kMost32) {
      fail("expected a block inside the grid");
    }
    return static_cast<std::uint32_t>(at[0] + grid[0] * rows);
  }
  if (blocks_kernel_ != kernel) blocks_.clear();
  blocks_kernel_ = kernel;
  const auto next = static_cast<std::uint32_t>(blocks_.size());
  const auto [found, is_new] = blocks_.try_emplace(at, next);
  if (is_new && blocks_.size() > kMostUnplacedBlocks) {
    fail("expected at most " + std::to_string(kMostUnplacedBlocks) +
         " blocks in a launch of unknown grid");
  }
  return found->second;
}

/// "LAUNCH - Kernel pc … - Kernel name … - grid launch id … - grid size … - …"
void NvbitReader::take_launch(std::string_view text) {
  KernelInfo kernel;
  std::optional<std::uint64_t> launch;
  while (!text.empty()) {
    const std::string_view part = next_part(text);
    const auto whole = [&](std::string_view value) {
      return static_cast<std::uint32_t>(number(value, 10, kMost32, "a whole number"));
    };
    if (const auto name = value_of(part, "Kernel name ")) kernel.name = std::string(*name);
    if (const auto grid = value_of(part, "grid size ")) kernel.grid = extent(*grid);
    if (const auto block = value_of(part, "block size ")) kernel.block = extent(*block);
    if (const auto count = value_of(part, "nregs ")) kernel.registers_per_thread = whole(*count);
    if (const auto bytes = value_of(part, "shmem ")) kernel.shared_bytes = whole(*bytes);
    if (const auto id = value_of(part, "grid launch id ")) {
      launch = number(*id, 10, kMost64, "a launch id");
    }
  }
  if (!launch) fail("expected a launch with a grid launch id, found none");
  if (const auto error = kernel_error(spec_, kernel)) fail(*error);
  latest_launch_ = launch;
  info_.kernels[kernel_index(*launch)] = std::move(kernel);
}

/// False when the addresses lie in another memory.
bool NvbitReader::take_addresses(std::string_view text, AddressSpace space,
                                 WarpAccess& access) const {
  std::array<std::uint64_t, kLanesPerWarp> addresses{};
  access.active_mask = 0;
  for (unsigned lane = 0; lane < kLanesPerWarp; ++lane) {
    addresses[lane] = number(next_word(text), 16, kMost64, "32 hexadecimal addresses");
    if (addresses[lane] != 0) access.active_mask |= 1u << lane;
  }
  if (!trimmed(text).empty()) fail("expected 32 addresses, found more");
  bool is_shared = space == AddressSpace::shared || access.active_mask != 0;
  for_each_lane(addressing_lanes(access), [&](unsigned lane) {
    is_shared &= space == AddressSpace::shared || addresses[lane] < kWindowBytes;
    access.offsets_bytes[lane] = static_cast<std::uint32_t>(addresses[lane] % kWindowBytes);
  });
  return is_shared;
}

/// The launch an access belongs to, as its LAUNCH line numbers it. mem_trace up to 1.5 counts on
/// before it prints that line: there the first access carries a number one lower than the launch
/// before it.
std::uint64_t NvbitReader::launch_of(std::uint64_t access_launch) {
  if (!launch_shift_)
    launch_shift_ = latest_launch_ && *latest_launch_ == access_launch + 1 ? 1 : 0;
  return access_launch + *launch_shift_;
}

bool NvbitReader::take_line(std::string_view line, TraceRecord& record) {
  const std::size_t begin =
      line.find(kPrefix);  // behind output of the program without a line break
  if (begin == std::string_view::npos) {
    if (looks_like_damaged_access(line)) {
      fail("expected " + std::string(kPrefix) + "…, found " + quoted(line));
    }
    return false;
  }
  std::string_view rest = line.substr(begin + kPrefix.size());
  number(next_part(rest), 16, kMost64, "a hexadecimal context");
  if (rest.starts_with("LAUNCH")) {
    take_launch(rest);
    return false;
  }
  const auto part = [&](std::string_view key) {
    const std::string_view found = next_part(rest);
    const auto value = value_of(found, key);
    if (!value) fail("expected " + std::string(key) + "…, found " + quoted(found));
    return *value;
  };
  const std::uint64_t launch = number(part("grid_launch_id "), 10, kMost64, "a launch id");
  const auto block = extent(part("CTA "));
  const std::uint64_t warp = number(part("warp "), 10, kMost32, "the number of a warp");
  const std::string_view opcode_text = next_part(rest);
  const SassOpcode opcode = parse_sass_opcode(opcode_text);
  if (opcode.space != AddressSpace::shared && opcode.space != AddressSpace::generic) return false;
  record = TraceRecord{};
  record.access.operation = opcode.operation;
  record.access.bytes_per_lane = opcode.bytes_per_lane;
  if (!take_addresses(rest, opcode.space, record.access)) {
    if (opcode.operation == Operation::async_copy && record.access.active_mask != 0) {
      count_global_copy();
    }
    return false;
  }
  if (const auto error = access_error(spec_, record.access)) fail(*error);
  record.kernel = kernel_index(launch_of(launch));
  if (opcode.operation == Operation::async_copy) count_shared_copy();
  record.block = block_index(record.kernel, block);
  record.warp = static_cast<std::uint32_t>(warp);
  return true;
}

}  // namespace smem
