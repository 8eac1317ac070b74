// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clock/policies/service_order.hpp>

namespace smem::clock {

/// The access that entered the SM's queue first.
class OldestFirst final : public ServiceOrder {
 public:
  [[nodiscard]] std::size_t pick(std::span<const ServiceCandidate> /*candidates*/) const override {
    return 0;
  }
  [[nodiscard]] bool takes_first() const override { return true; }
};

inline constexpr OldestFirst kOldestFirst{};

}  // namespace smem::clock
