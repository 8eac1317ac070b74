// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <limits>
#include <optional>

#include <sim/options/usage_error.hpp>
#include <sim/options/whole_numbers.hpp>

namespace smem {
namespace {

constexpr std::int64_t kMostValue = std::int64_t{1} << 40;
constexpr std::size_t kMostValues = 1u << 16;

/// Nothing when `text` is no whole number; the nearest that fits for a longer one.
std::optional<std::int64_t> parse(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    using Limits = std::numeric_limits<std::int64_t>;
    return text.front() == '-' ? Limits::min() : Limits::max();
  }
  return value;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char character : text) {
    if (character == separator) {
      parts.emplace_back();
    } else {
      parts.back() += character;
    }
  }
  return parts;
}

[[noreturn]] void fail(const std::string& option, const std::string& expected,
                       const std::string& found) {
  throw UsageError("--" + option + ": expected " + expected + ", found '" + found + "'");
}

void add_range(const std::string& option, const std::string& text,
               std::vector<std::int64_t>& values) {
  const std::vector<std::string> parts = split(text, ':');
  std::vector<std::int64_t> numbers;
  for (const std::string& part : parts) {
    const std::optional<std::int64_t> number = parse(part);
    if (!number || parts.size() > 3) {
      fail(option, "whole numbers and ranges such as 8,16 or 0:32:4", text);
    }
    if (*number > kMostValue || *number < -kMostValue) {
      throw InputError("--" + option + ": expected numbers from " + std::to_string(-kMostValue) +
                       " to " + std::to_string(kMostValue) + ", found " + part);
    }
    numbers.push_back(*number);
  }
  const std::int64_t last = numbers.size() > 1 ? numbers[1] : numbers[0];
  const std::int64_t step = numbers.size() > 2 ? numbers[2] : 1;
  if (step < 1) fail(option, "a range's step of at least 1", text);
  if (last < numbers[0]) fail(option, "a range that ends at or after its start", text);
  for (std::int64_t value = numbers[0]; value <= last; value += step) {
    if (values.size() == kMostValues) {
      throw InputError("--" + option + ": expected at most " + std::to_string(kMostValues) +
                       " values, found more in " + text);
    }
    values.push_back(value);
  }
}

}  // namespace

std::uint64_t whole_number(const std::string& option, const std::string& text, std::uint64_t least,
                           std::uint64_t most) {
  const std::optional<std::int64_t> value = parse(text);
  if (!value) fail(option, "a whole number", text);
  const auto refuse = [&](const char* side, std::uint64_t bound) {
    throw InputError("--" + option + ": expected at " + side + ' ' + std::to_string(bound) +
                     ", found " + text);
  };
  if (*value < 0 || static_cast<std::uint64_t>(*value) < least) refuse("least", least);
  if (static_cast<std::uint64_t>(*value) > most) refuse("most", most);
  return static_cast<std::uint64_t>(*value);
}

std::vector<std::int64_t> whole_number_list(const std::string& option, const std::string& text) {
  std::vector<std::int64_t> values;
  for (const std::string& part : split(text, ',')) add_range(option, part, values);
  return values;
}

std::vector<std::string> word_list(const std::string& option, const std::string& text) {
  std::vector<std::string> words = split(text, ',');
  for (const std::string& word : words) {
    if (word.empty()) fail(option, "words separated by commas", text);
  }
  return words;
}

}  // namespace smem
