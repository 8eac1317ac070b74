// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <smem/operation.hpp>
#include <traces/trace_error.hpp>

namespace smem {

/// The text of a generated pattern that does not fit its help: an unknown parameter or word, text
/// where a number belongs.
class PatternSyntaxError : public TraceError {
 public:
  using TraceError::TraceError;
};

/// One of the words a parameter may be.
struct GeneratorChoice {
  std::string_view name;
  std::int64_t value;
};

/// A parameter of a generated pattern: a whole number in [least, most], or one of `choices`.
struct GeneratorParameter {
  std::string_view name;
  std::int64_t default_value;
  std::int64_t least;
  std::int64_t most;
  std::string_view meaning;
  std::span<const GeneratorChoice> choices = {};
};

/// The values of all parameters of one generator, checked, and the text they came from.
class GeneratorArguments {
 public:
  GeneratorArguments(std::string spec, std::string_view generator,
                     std::span<const GeneratorParameter> parameters);

  /// Sets a parameter from text. Throws PatternSyntaxError, or TraceError for a number out of
  /// range: "GENERATOR: expected …, found …".
  void set(std::string_view name, std::string_view text);

  /// A parameter's value; `name` must be one of the generator's.
  [[nodiscard]] std::int64_t signed_value(std::string_view name) const;
  std::uint32_t operator[](std::string_view name) const {
    return static_cast<std::uint32_t>(signed_value(name));
  }

  /// The text this came from, such as "stride:words=33".
  [[nodiscard]] const std::string& spec() const { return spec_; }
  std::string_view generator() const { return generator_; }

  /// Throws TraceError "GENERATOR: expected EXPECTED, found FOUND".
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;
  /// The same as PatternSyntaxError.
  [[noreturn]] void fail_syntax(const std::string& expected, const std::string& found) const;

 private:
  [[nodiscard]] std::int64_t parse(const GeneratorParameter& parameter,
                                   std::string_view text) const;
  [[nodiscard]] std::string message(const std::string& expected, const std::string& found) const;

  std::string spec_;
  std::string_view generator_;
  std::span<const GeneratorParameter> parameters_;
  std::vector<std::int64_t> values_;
  std::vector<bool> is_set_;
};

/// Bounds of sizes: far above any GPU, low enough that products of three fit 64 bits.
inline constexpr std::int64_t kMostGenerated = 1 << 20;

inline constexpr std::array kWidthChoices = {GeneratorChoice{"1", 1}, GeneratorChoice{"2", 2},
                                             GeneratorChoice{"4", 4}, GeneratorChoice{"8", 8},
                                             GeneratorChoice{"16", 16}};

[[nodiscard]] constexpr GeneratorChoice operation_choice(Operation operation) {
  return {family_name(operation), static_cast<std::int64_t>(operation)};
}

inline constexpr std::array kLoadStoreChoices = {operation_choice(Operation::load),
                                                 operation_choice(Operation::store)};

/// Operations that differ in their addresses: a transposed one has those of its plain one.
[[nodiscard]] constexpr bool is_generated(const OperationTraits& row) {
  return row.address_lanes != 0 && !row.transposed;
}

inline constexpr auto kOperationChoices = [] {
  std::array<GeneratorChoice, std::ranges::count_if(kOperationTraits, is_generated)> choices{};
  std::size_t count = 0;
  for (const OperationTraits& row : kOperationTraits) {
    if (is_generated(row)) choices[count++] = operation_choice(row.operation);
  }
  return choices;
}();

// Parameters that several generators have.
inline constexpr GeneratorParameter kWidthParameter{
    "width", 4, 1, 16, "bytes per lane of one instruction", kWidthChoices};
inline constexpr GeneratorParameter kElementBytesParameter{
    "element_bytes", 4, 1, 16, "bytes of an element", kWidthChoices};
inline constexpr GeneratorParameter kLoadStoreParameter{
    "op", static_cast<std::int64_t>(Operation::load), 0, 1, "the operation", kLoadStoreChoices};
inline constexpr GeneratorParameter kOperationParameter{
    "op", static_cast<std::int64_t>(Operation::load), 0, 0, "the operation", kOperationChoices};
inline constexpr GeneratorParameter kBaseParameter{"base", 0, 0, kMostGenerated,
                                                   "byte offset of the pattern in shared memory"};
inline constexpr GeneratorParameter kBlocksParameter{"blocks", 1, 1, kMostGenerated,
                                                     "blocks that do the same"};

}  // namespace smem
