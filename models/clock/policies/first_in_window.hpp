// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clock/policies/admission_order.hpp>

namespace smem::clock {

/// The first of the queue.
class FirstInWindow final : public AdmissionOrder {
 public:
  [[nodiscard]] std::size_t pick(
      std::span<const AdmissionCandidate> /*candidates*/) const override {
    return 0;
  }
  [[nodiscard]] bool takes_first() const override { return true; }
};

inline constexpr FirstInWindow kFirstInWindow{};

}  // namespace smem::clock
