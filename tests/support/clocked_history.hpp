// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <clock/modules/streaming_multiprocessor.hpp>
#include <clock/simulate.hpp>
#include <tests/support/reference_clock.hpp>

namespace smem::test {

/// Blocks in a list.
class ListedBlocks : public clock::BlockSource {
 public:
  explicit ListedBlocks(const std::vector<clock::Block>& blocks) : blocks_(blocks) {}
  const clock::Block* next() override {
    return next_ < blocks_.size() ? &blocks_[next_++] : nullptr;
  }

 private:
  const std::vector<clock::Block>& blocks_;
  std::size_t next_ = 0;
};

/// Notes what the clocked model tells of its warps and accesses; cycles as told.
class HistoryObserver : public clock::Observer {
 public:
  explicit HistoryObserver(const std::vector<clock::Block>& blocks) : blocks_(blocks) {}

  void block_started(std::uint16_t block_slot, const clock::Block& block, clock::Cycle) override;
  void warp_started(std::uint16_t warp_slot, std::uint16_t block_slot, std::uint32_t warp,
                    clock::Cycle cycle) override;
  void warp_finished(std::uint16_t warp_slot, clock::Cycle cycle) override;
  void barrier_passed(std::uint16_t warp_slot, clock::Cycle cycle) override;
  void access_finished(const clock::InFlight& access) override;

  /// With `start` as cycle 0.
  History history(clock::Cycle start) const;

 private:
  const std::vector<clock::Block>& blocks_;
  std::map<std::uint16_t, std::size_t> block_in_slot_;
  std::map<std::uint16_t, WarpPlace> warp_in_slot_;
  History history_;
};

/// What simulate() makes of `blocks`, by the modules alone if not asked otherwise. With
/// `wavefronts` the data stage passes them one by one; without, it may work out their ends ahead.
History clocked_history(const clock::TimingSpec& timing, const std::vector<clock::Block>& blocks,
                        clock::WavefrontObserver* wavefronts = nullptr,
                        clock::Engine engine = clock::Engine::modules);

/// The same of a model that the caller built; see StreamingMultiprocessor.
History clocked_history(clock::StreamingMultiprocessor& model, const clock::TimingSpec& timing,
                        const std::vector<clock::Block>& blocks);

/// The first difference, in words; empty when there is none.
std::string difference(const History& expected, const History& found);

}  // namespace smem::test
