// SPDX-License-Identifier: Apache-2.0
#include <clock/modules/sm_queue.hpp>
#include <clock/timing.hpp>

namespace smem::clock {

void SmQueue::reset(const TimingSpec& timing) {
  entered_.clear();
  freed_.clear();
  waiting_.clear();
  room_ = timing.sm_queue_entries;
  entered_count_ = 0;
}

}  // namespace smem::clock
