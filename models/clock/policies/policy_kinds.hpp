// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clock/policies/policy_tables.hpp>
#include <clock/timing.hpp>

namespace smem::clock {

/// Calls `visit(key, table, member)` for every kind of policy: its key in a GPU's file, the rows it
/// may name and where TimingSpec keeps it.
template <class Visit>
constexpr void for_each_policy_kind(const Visit& visit) {
  visit("warp_order", kWarpOrders, &TimingSpec::warp_order);
  visit("sub_partition_order", kSubPartitionOrders, &TimingSpec::sub_partition_order);
  visit("admission_order", kAdmissionOrders, &TimingSpec::admission_order);
  visit("service_order", kServiceOrders, &TimingSpec::service_order);
}

}  // namespace smem::clock
