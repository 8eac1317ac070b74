// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <utility>

#include <traces/access_check.hpp>
#include <traces/generators/generated_reader.hpp>

namespace smem {
namespace {

constexpr std::uint64_t kInstructionBytes = 16;

}  // namespace

void GeneratedReader::set_extent(const GeneratorArguments& arguments, const Extent& extent) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const auto product = [&](const std::array<std::uint32_t, 3>& sizes, std::uint64_t most,
                           const char* what) {
    std::uint64_t result = 1;
    for (const std::uint32_t size : sizes) {
      if (size > most / result) {
        arguments.fail("at most " + std::to_string(most) + ' ' + what,
                       std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) + " x " +
                           std::to_string(sizes[2]));
      }
      result *= size;
    }
    return static_cast<std::uint32_t>(result);
  };
  blocks_ = product(extent.grid, kMost, "blocks");
  threads_ = product(extent.block, spec_.occupancy.threads_per_block, "threads a block");
  warps_ = steps_over(threads_, kLanesPerWarp);
  if (extent.steps > kMost) {
    arguments.fail("at most " + std::to_string(kMost) + " instructions a warp",
                   std::to_string(extent.steps));
  }
  steps_ = static_cast<std::uint32_t>(extent.steps);
  if (extent.shared_bytes > spec_.shared_window_bytes) {
    arguments.fail("at most " + std::to_string(spec_.shared_window_bytes) +
                       " bytes of shared memory on " + std::string(spec_.name_view()),
                   std::to_string(extent.shared_bytes));
  }
  info_.kernels = {{arguments.spec(), extent.grid, extent.block,
                    static_cast<std::uint32_t>(extent.shared_bytes), 0}};
}

void GeneratedReader::add_array(std::string name, std::uint64_t begin_bytes,
                                std::uint64_t end_bytes) {
  info_.arrays.push_back({std::move(name), static_cast<std::uint32_t>(begin_bytes),
                          static_cast<std::uint32_t>(end_bytes)});
}

std::uint32_t GeneratedReader::thread_mask(std::uint32_t warp) const {
  const std::uint32_t left = threads_ - warp * kLanesPerWarp;
  return left >= kLanesPerWarp ? kFullMask : (1u << left) - 1u;
}

bool GeneratedReader::advance() {
  if (++next_.step < steps_) return true;
  next_.step = 0;
  if (++next_.warp < warps_) return true;
  next_.warp = 0;
  return ++next_.block < blocks_;
}

std::size_t GeneratedReader::read(std::span<TraceRecord> records) {
  std::size_t filled = 0;
  bool more = next_.block < blocks_ && steps_ != 0;
  while (filled < records.size() && more) {
    TraceRecord& record = records[filled];
    record = TraceRecord{};
    const Step step = next_;
    if (fill(step, record.access) && record.access.active_mask != 0) {
      if (const auto error = access_error(spec_, record.access)) {
        if (filled != 0) return filled;  // the next call comes back to this step and throws
        throw TraceError(info_.kernels[0].name + ": " + *error, good_records_);
      }
      record.block = step.block;
      record.warp = step.warp;
      record.pc = kInstructionBytes * step.step;
      ++filled;
      ++good_records_;
    }
    more = advance();
  }
  return filled;
}

}  // namespace smem
