// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <stdexcept>

#include <traces/generators/generator_parameter.hpp>

namespace smem {
namespace {

std::size_t index_of(std::span<const GeneratorParameter> parameters, std::string_view name) {
  std::size_t index = 0;
  while (index < parameters.size() && parameters[index].name != name) ++index;
  return index;
}

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

}  // namespace

GeneratorArguments::GeneratorArguments(std::string spec, std::string_view generator,
                                       std::span<const GeneratorParameter> parameters)
    : spec_(std::move(spec)),
      generator_(generator),
      parameters_(parameters),
      is_set_(parameters.size()) {
  for (const GeneratorParameter& parameter : parameters) values_.push_back(parameter.default_value);
}

void GeneratorArguments::set(std::string_view name, std::string_view text) {
  const std::size_t index = index_of(parameters_, name);
  if (index == parameters_.size()) {
    std::string known;
    for (const GeneratorParameter& parameter : parameters_) {
      known += (known.empty() ? "" : ", ") + std::string(parameter.name);
    }
    fail_syntax("parameters out of " + known, quoted(name));
  }
  if (is_set_[index]) fail_syntax("each parameter once", quoted(name) + " again");
  is_set_[index] = true;
  values_[index] = parse(parameters_[index], text);
}

std::int64_t GeneratorArguments::parse(const GeneratorParameter& parameter,
                                       std::string_view text) const {
  const std::string name(parameter.name);
  if (!parameter.choices.empty()) {
    std::string known;
    for (const GeneratorChoice& choice : parameter.choices) {
      if (choice.name == text) return choice.value;
      known += (known.empty() ? "" : ", ") + std::string(choice.name);
    }
    fail_syntax(name + " out of " + known, quoted(text));
  }
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) {
    fail_syntax("a whole number for " + name, quoted(text));
  }
  const bool is_negative = text.starts_with('-');
  const bool is_huge = error == std::errc::result_out_of_range;
  if (is_huge ? is_negative : value < parameter.least) {
    fail(name + " of at least " + std::to_string(parameter.least), std::string(text));
  }
  if (is_huge || value > parameter.most) {
    fail(name + " of at most " + std::to_string(parameter.most), std::string(text));
  }
  return value;
}

std::int64_t GeneratorArguments::signed_value(std::string_view name) const {
  const std::size_t index = index_of(parameters_, name);
  if (index == parameters_.size()) throw std::logic_error("no generator parameter " + quoted(name));
  return values_[index];
}

std::string GeneratorArguments::message(const std::string& expected,
                                        const std::string& found) const {
  return std::string(generator_) + ": expected " + expected + ", found " + found;
}

void GeneratorArguments::fail(const std::string& expected, const std::string& found) const {
  throw TraceError(message(expected, found));
}

void GeneratorArguments::fail_syntax(const std::string& expected, const std::string& found) const {
  throw PatternSyntaxError(message(expected, found));
}

}  // namespace smem
