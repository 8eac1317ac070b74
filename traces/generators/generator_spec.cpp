// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <traces/generators/chunk_generator.hpp>
#include <traces/generators/conv_generator.hpp>
#include <traces/generators/generator_spec.hpp>
#include <traces/generators/stride_generator.hpp>
#include <traces/generators/swizzle_generator.hpp>
#include <traces/generators/tile_generator.hpp>
#include <traces/generators/transpose_generator.hpp>

namespace smem {
namespace {

template <class Reader>
std::unique_ptr<TraceReader> make(const GeneratorArguments& arguments, const GpuSpec& spec) {
  return std::make_unique<Reader>(arguments, spec);
}

template <class Reader>
constexpr Generator row() {
  return {Reader::kName, Reader::kMeaning, Reader::kParameters, &make<Reader>};
}

constexpr std::array kGenerators = {
    row<StrideGenerator>(), row<ChunkGenerator>(),   row<TransposeGenerator>(),
    row<TileGenerator>(),   row<SwizzleGenerator>(), row<ConvGenerator>(),
};

const Generator* find_generator(std::string_view name) {
  for (const Generator& generator : kGenerators) {
    if (generator.name == name) return &generator;
  }
  return nullptr;
}

/// Takes the text up to the next comma off `rest`.
std::string_view next_assignment(std::string_view& rest) {
  const std::size_t comma = rest.find(',');
  const std::string_view part = rest.substr(0, comma);
  rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  return part;
}

std::string_view default_text(const GeneratorParameter& parameter, std::string& number) {
  for (const GeneratorChoice& choice : parameter.choices) {
    if (choice.value == parameter.default_value) return choice.name;
  }
  number = std::to_string(parameter.default_value);
  return number;
}

}  // namespace

std::span<const Generator> generators() {
  return kGenerators;
}

bool is_generator_spec(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && find_generator(text.substr(0, colon)) != nullptr;
}

std::unique_ptr<TraceReader> make_generator(std::string_view spec, const GpuSpec& gpu) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const Generator* generator = find_generator(name);
  if (generator == nullptr) {
    std::string known;
    for (const Generator& row : kGenerators) {
      known += (known.empty() ? "" : ", ") + std::string(row.name);
    }
    throw PatternSyntaxError(std::string(spec) + ": expected a generator out of " + known +
                             ", found '" + std::string(name) + "'");
  }
  GeneratorArguments arguments(std::string(spec), generator->name, generator->parameters);
  std::string_view rest =
      colon == std::string_view::npos ? std::string_view() : spec.substr(colon + 1);
  while (!rest.empty()) {
    const bool comma_at_end = rest.back() == ',' && rest.find(',') == rest.size() - 1;
    const std::string_view part = next_assignment(rest);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      arguments.fail_syntax("parameters as key=value", "'" + std::string(part) + "'");
    }
    arguments.set(part.substr(0, equals), part.substr(equals + 1));
    if (comma_at_end) arguments.fail_syntax("another key=value after the last ','", "nothing");
  }
  return generator->make(arguments, gpu);
}

std::string generator_help() {
  constexpr std::size_t kHelpColumns = 100;
  constexpr std::size_t kMeaningColumn = 26;
  std::string text = "Generated patterns, as NAME:KEY=VALUE,… (NAME: alone has all defaults):\n";
  for (const Generator& generator : kGenerators) {
    text += "  " + std::string(generator.name) + ": " + std::string(generator.meaning) + '\n';
    for (const GeneratorParameter& parameter : generator.parameters) {
      std::string number;
      std::string line = "    " + std::string(parameter.name) + '=';
      line += default_text(parameter, number);
      line.resize(std::max(line.size() + 1, kMeaningColumn), ' ');
      line += parameter.meaning;
      const char* separator = " (";
      for (const GeneratorChoice& choice : parameter.choices) {
        line += separator;
        separator = ", ";
        if (line.size() + choice.name.size() + 1 > kHelpColumns) {
          text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
          line.assign(kMeaningColumn, ' ');
        }
        line += choice.name;
      }
      text += line + (parameter.choices.empty() ? "\n" : ")\n");
    }
  }
  return text;
}

}  // namespace smem
