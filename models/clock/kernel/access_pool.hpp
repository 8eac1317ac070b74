// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <vector>

#include <clock/in_flight.hpp>

namespace smem::clock {

/// The accesses under way. They stay where they are from issue to finish; modules hand on pointers.
class AccessPool {
 public:
  InFlight* take() {
    if (free_.empty()) {
      accesses_.emplace_back();
      return &accesses_.back();
    }
    InFlight* access = free_.back();
    free_.pop_back();
    return access;
  }

  void give_back(InFlight* access) { free_.push_back(access); }

 private:
  std::deque<InFlight> accesses_;
  std::vector<InFlight*> free_;
};

}  // namespace smem::clock
