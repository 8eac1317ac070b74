// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <stdexcept>
#include <string_view>

#include <clock/policies/first_in_window.hpp>
#include <clock/policies/greedy_then_oldest.hpp>
#include <clock/policies/loose_round_robin.hpp>
#include <clock/policies/lowest_sub_partition.hpp>
#include <clock/policies/lowest_warp.hpp>
#include <clock/policies/oldest_first.hpp>
#include <clock/policies/sub_partitions_in_turn.hpp>

namespace smem::clock {

/// A policy and its name in a GPU's file.
template <class Policy>
struct PolicyRow {
  std::string_view name;
  const Policy* policy;
};

inline constexpr std::array kWarpOrders = {
    PolicyRow<WarpOrder>{"loose_round_robin", &kLooseRoundRobin},
    PolicyRow<WarpOrder>{"greedy_then_oldest", &kGreedyThenOldest},
    PolicyRow<WarpOrder>{"lowest_warp", &kLowestWarp},
};

inline constexpr std::array kSubPartitionOrders = {
    PolicyRow<SubPartitionOrder>{"in_turn", &kSubPartitionsInTurn},
    PolicyRow<SubPartitionOrder>{"lowest", &kLowestSubPartition},
};

inline constexpr std::array kAdmissionOrders = {
    PolicyRow<AdmissionOrder>{"first_in_window", &kFirstInWindow},
};

inline constexpr std::array kServiceOrders = {
    PolicyRow<ServiceOrder>{"oldest_first", &kOldestFirst},
};

/// The row's policy; std::out_of_range, or no constant expression, where there is none.
template <class Policy, std::size_t kRows>
constexpr const Policy* policy_named(const std::array<PolicyRow<Policy>, kRows>& table,
                                     std::string_view name) {
  for (const PolicyRow<Policy>& row : table) {
    if (row.name == name) return row.policy;
  }
  throw std::out_of_range("no policy of that name");
}

/// The policy's name; empty for one that stands in no row.
template <class Policy, std::size_t kRows>
constexpr std::string_view name_of(const std::array<PolicyRow<Policy>, kRows>& table,
                                   const Policy* policy) {
  for (const PolicyRow<Policy>& row : table) {
    if (row.policy == policy) return row.name;
  }
  return {};
}

}  // namespace smem::clock
