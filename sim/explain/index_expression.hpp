// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace smem {

/// An index expression that has no value; `what()` is "column N: expected …, found …".
class IndexExpressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One that is well formed and whose value does not exist: a division by zero, an overflow.
class IndexValueError : public IndexExpressionError {
 public:
  using IndexExpressionError::IndexExpressionError;
};

/// The value of an expression such as "(lane % 8) * 144 + lane / 8 * 16" for one lane: 64-bit
/// signed integers, decimal or 0x… numbers, `lane`, parentheses, unary -, and with C's precedence
/// * / %, + -, << >>, &, ^, |. Throws IndexExpressionError for anything else and for nesting deeper
/// than 64; IndexValueError for a division by zero, a shift by less than 0 or more than 62, and an
/// overflow.
std::int64_t evaluate_index(std::string_view expression, unsigned lane);

}  // namespace smem
