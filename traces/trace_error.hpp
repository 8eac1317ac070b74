// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <smem/error.hpp>

namespace smem {

/// A trace that cannot be read on: `what()` is one line "FILE:LINE: expected …, found …" (binary
/// formats: "FILE: byte N: …"). `good_records` were delivered before the damage.
class TraceError : public Error {
 public:
  explicit TraceError(const std::string& message, std::uint64_t good_records = 0)
      : Error(message), good_records_(good_records) {}

  [[nodiscard]] std::uint64_t good_records() const { return good_records_; }

 private:
  std::uint64_t good_records_;
};

}  // namespace smem
