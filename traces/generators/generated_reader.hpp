// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <smem/gpu_spec.hpp>
#include <traces/generators/generator_parameter.hpp>
#include <traces/trace_reader.hpp>

namespace smem {

/// A pattern as a trace: every warp of every block goes through the same steps, each one
/// instruction or, for warps that branch around it, none. Records come block by block, warp by
/// warp, in program order; step n has pc 16 n, the size of an instruction.
class GeneratedReader : public TraceReader {
 public:
  /// Throws TraceError when the pattern makes an access that the GPU cannot perform.
  std::size_t read(std::span<TraceRecord> records) override;
  [[nodiscard]] const TraceInfo& info() const override { return info_; }

 protected:
  /// What a pattern consists of. `block` and `shared_bytes` are checked against the GPU's limits.
  struct Extent {
    std::array<std::uint32_t, 3> grid = {1, 1, 1};
    std::array<std::uint32_t, 3> block = {1, 1, 1};
    std::uint64_t steps = 1;
    std::uint64_t shared_bytes = 0;  ///< end of the highest array
  };
  struct Step {
    std::uint32_t block = 0;
    std::uint32_t warp = 0;
    std::uint32_t step = 0;
  };

  explicit GeneratedReader(const GpuSpec& spec) : spec_(spec) {}

  /// Sets what `read` goes through; the kernel is named after `arguments.spec()`. Throws TraceError
  /// for more threads a block, or more shared memory, than the GPU has.
  void set_extent(const GeneratorArguments& arguments, const Extent& extent);
  void add_array(std::string name, std::uint64_t begin_bytes, std::uint64_t end_bytes);

  /// Sets operation, width, mask and offsets of one step; false when the warp does not perform it.
  [[nodiscard]] virtual bool fill(const Step& step, WarpAccess& access) const = 0;

  /// Lanes of `warp` that are threads of the block.
  [[nodiscard]] std::uint32_t thread_mask(std::uint32_t warp) const;
  std::uint32_t threads() const { return threads_; }

 private:
  bool advance();

  GpuSpec spec_;
  TraceInfo info_;
  std::uint32_t threads_ = 0;
  std::uint32_t blocks_ = 0;
  std::uint32_t warps_ = 0;
  std::uint32_t steps_ = 0;
  Step next_;
  std::uint64_t good_records_ = 0;
};

/// A step of every thread of a block at once: the block waits for all.
[[nodiscard]] inline bool fill_barrier(std::uint32_t mask, WarpAccess& access) {
  access.operation = Operation::barrier;
  access.bytes_per_lane = 0;
  access.active_mask = mask;
  return true;
}

/// Whole steps of `size` that cover `count`.
[[nodiscard]] constexpr std::uint32_t steps_over(std::uint32_t count, std::uint32_t size) {
  return (count + size - 1) / size;
}

}  // namespace smem
