// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include <clock/block_source.hpp>

#include <sim/count/counted_batches.hpp>
#include <smem/analyzer.hpp>
#include <smem/gpu_spec.hpp>
#include <traces/trace_reader.hpp>

namespace smem {

/// A place in the code: what per-pc sums go by.
struct Site {
  std::uint32_t kernel = 0;
  std::uint64_t pc = 0;
  Operation operation = Operation::load;
  std::uint8_t bytes_per_lane = 0;

  friend bool operator==(const Site&, const Site&) = default;
};

/// A trace as the clock takes it: block by block, each with the instructions of its warps. Holds
/// one kernel's instructions and those of the kernel before it, which is still running when the
/// next is read.
///
/// Blocks come in the order of their first record; as many are resident as the GPU holds of the
/// kernel's threads, registers and shared memory (what the trace does not say limits nothing).
class TraceBlocks : public clock::BlockSource {
 public:
  /// Hears of every record while it is read, with its pure cost.
  using Listener = std::function<void(const TraceRecord& record, const AccessCost& cost)>;

  /// `keep_records`: instructions point to their accesses, for who needs addresses and values.
  TraceBlocks(TraceReader& trace, const GpuSpec& spec, Listener listener, bool keep_records);

  /// Throws TraceError when the trace does, when a dependence leads nowhere, a block has warps that
  /// the GPU cannot hold, or a number is past what the clock counts.
  const clock::Block* next() override;

  const std::vector<Site>& sites() const { return sites_; }

 private:
  struct WarpUnderway {
    std::vector<clock::Instruction> instructions;
    std::vector<std::uint32_t> values_through;  ///< values returned up to each record
    std::uint64_t instructions_skipped = 0;     ///< without an active lane: an issue slot only
  };
  struct BlockUnderway {
    std::uint32_t block = 0;
    std::unordered_map<std::uint32_t, std::size_t> index_of_warp;
    std::vector<std::pair<std::uint32_t, WarpUnderway>> warps;
  };

  struct Kernel {
    std::deque<clock::Block> blocks;
    std::deque<TraceRecord> records;  ///< when they are kept
  };

  bool read_kernel();
  bool refill();
  void add(const TraceRecord& record, const AccessCost& cost);
  [[noreturn]] void fail(const std::string& message) const;
  std::uint32_t counted(std::uint64_t number, const char* what) const;
  void add_to_warp(WarpUnderway& warp, const TraceRecord& record, const AccessCost& cost);
  WarpUnderway& warp_of(const TraceRecord& record);
  std::uint32_t site_of(const TraceRecord& record);
  std::uint32_t resident_blocks_of(std::uint32_t kernel, std::size_t warps) const;

  GpuSpec spec_;
  Listener listener_;
  bool keep_records_;
  BatchAnalyzer analyzer_;
  CountedBatches batches_;
  std::size_t next_record_ = 0;  ///< of the batch
  std::vector<Site> sites_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> sites_by_hash_;
  std::vector<BlockUnderway> underway_;
  std::unordered_map<std::uint32_t, std::size_t> index_of_block_;
  Kernel kernel_;
  Kernel running_;  ///< the one before, until the next is read
  std::size_t next_block_ = 0;
};

}  // namespace smem
