// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include <sim/explain/index_expression.hpp>

namespace smem {
namespace {

using Value = std::optional<std::int64_t>;  ///< nothing: no such value

Value multiply(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(left, right, &result) ? Value() : Value(result);
}
Value add(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  return __builtin_add_overflow(left, right, &result) ? Value() : Value(result);
}
Value subtract(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  return __builtin_sub_overflow(left, right, &result) ? Value() : Value(result);
}
bool divides(std::int64_t left, std::int64_t right) {
  return right != 0 && !(right == -1 && left == INT64_MIN);
}
Value divide(std::int64_t left, std::int64_t right) {
  return divides(left, right) ? Value(left / right) : Value();
}
Value remainder(std::int64_t left, std::int64_t right) {
  return divides(left, right) ? Value(left % right) : Value();
}
Value shift_left(std::int64_t left, std::int64_t right) {
  return right < 0 || right > 62 ? Value() : multiply(left, std::int64_t{1} << right);
}
Value shift_right(std::int64_t left, std::int64_t right) {
  return right < 0 || right > 62 ? Value() : Value(left >> right);
}
Value bit_and(std::int64_t left, std::int64_t right) {
  return left & right;
}
Value bit_xor(std::int64_t left, std::int64_t right) {
  return left ^ right;
}
Value bit_or(std::int64_t left, std::int64_t right) {
  return left | right;
}

struct BinaryOperator {
  std::string_view spelling;
  unsigned precedence;  ///< higher binds tighter
  Value (*apply)(std::int64_t left, std::int64_t right);
  std::string_view expects;  ///< of its operands, for messages
};

constexpr std::array<BinaryOperator, 10> kOperators = {{
    {"*", 6, multiply, "a product below 2^63"},
    {"/", 6, divide, "a divisor that is not 0"},
    {"%", 6, remainder, "a divisor that is not 0"},
    {"+", 5, add, "a sum below 2^63"},
    {"-", 5, subtract, "a difference above -2^63"},
    {"<<", 4, shift_left, "a shift from 0 to 62 and a result below 2^63"},
    {">>", 4, shift_right, "a shift from 0 to 62"},
    {"&", 3, bit_and, ""},
    {"^", 2, bit_xor, ""},
    {"|", 1, bit_or, ""},
}};

/// A Pratt parser that computes as it goes: an expression is short, and has 32 values.
class Evaluator {
 public:
  Evaluator(std::string_view text, unsigned lane) : text_(text), lane_(lane) {}

  std::int64_t whole() {
    const std::int64_t value = expression(0, 0);
    if (at_ != text_.size()) fail("an operator or the end", at_);
    return value;
  }

 private:
  static constexpr unsigned kDeepest = 64;

  std::int64_t expression(unsigned least_precedence, unsigned depth) {
    if (depth > kDeepest) fail("at most 64 levels of nesting", at_);
    std::int64_t left = operand(depth);
    while (const BinaryOperator* found = peek_operator()) {
      if (found->precedence <= least_precedence) break;
      const std::size_t place = at_;
      at_ += found->spelling.size();
      const std::int64_t right = expression(found->precedence, depth + 1);
      const Value value = found->apply(left, right);
      if (!value) fail_value(std::string(found->expects), place);
      left = *value;
    }
    return left;
  }

  std::int64_t operand(unsigned depth) {
    skip_spaces();
    const std::size_t place = at_;
    if (take("(")) {
      const std::int64_t value = expression(0, depth + 1);
      if (!take(")")) fail("')'", at_);
      return value;
    }
    if (take("-")) {
      if (depth >= kDeepest) fail("at most 64 levels of nesting", place);
      const Value value = subtract(0, operand(depth + 1));
      if (!value) fail_value("a number above -2^63", place);
      skip_spaces();
      return *value;
    }
    constexpr std::string_view kLane = "lane";
    if (text_.substr(at_).starts_with(kLane)) {
      at_ += kLane.size();
      if (at_ < text_.size() && is_word(text_[at_])) fail("'lane'", place);
      skip_spaces();
      return lane_;
    }
    return number();
  }

  std::int64_t number() {
    const std::size_t place = at_;
    const std::string_view rest = text_.substr(at_);
    const bool hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
    const char* begin = rest.data() + (hexadecimal ? 2 : 0);
    const char* end = rest.data() + rest.size();
    std::int64_t value = 0;
    const bool digit = begin != end && *begin != '-';
    const auto [stop, error] = std::from_chars(begin, end, value, hexadecimal ? 16 : 10);
    if (!digit || error != std::errc() || (stop != end && is_word(*stop))) {
      fail("a number, 'lane', '-' or '('", place);
    }
    at_ = static_cast<std::size_t>(stop - text_.data());
    skip_spaces();
    return value;
  }

  const BinaryOperator* peek_operator() {
    skip_spaces();
    for (const BinaryOperator& candidate : kOperators) {
      if (text_.substr(at_).starts_with(candidate.spelling)) return &candidate;
    }
    return nullptr;
  }

  bool take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    skip_spaces();
    return true;
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  static bool is_word(char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || letter == '_';
  }

  std::string message(const std::string& expected, std::size_t place) const {
    const std::string found =
        place == text_.size() ? "the end" : "'" + std::string(text_.substr(place, 20)) + "'";
    return "column " + std::to_string(place + 1) + ": expected " + expected + ", found " + found;
  }
  [[noreturn]] void fail(const std::string& expected, std::size_t place) const {
    throw IndexExpressionError(message(expected, place));
  }
  [[noreturn]] void fail_value(const std::string& expected, std::size_t place) const {
    throw IndexValueError(message(expected, place));
  }

  std::string_view text_;
  unsigned lane_;
  std::size_t at_ = 0;
};

}  // namespace

std::int64_t evaluate_index(std::string_view expression, unsigned lane) {
  return Evaluator(expression, lane).whole();
}

}  // namespace smem
