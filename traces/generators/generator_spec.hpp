// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <smem/gpu_spec.hpp>
#include <traces/generators/generator_parameter.hpp>
#include <traces/trace_reader.hpp>

namespace smem {

/// A generated pattern: its name in specs, its parameters, and what makes its reader.
struct Generator {
  std::string_view name;
  std::string_view meaning;
  std::span<const GeneratorParameter> parameters;
  std::unique_ptr<TraceReader> (*make)(const GeneratorArguments& arguments, const GpuSpec& spec);
};

/// All generators, in the order `--help` lists them.
[[nodiscard]] std::span<const Generator> generators();

/// Whether `text` is the spec of a generator rather than a file's name: NAME:KEY=VALUE,… with the
/// NAME of a generator.
[[nodiscard]] bool is_generator_spec(std::string_view text);

/// The reader of a spec such as "chunk:chunk=64,pad=1,width=16"; parameters left out have their
/// defaults, and NAME alone is a spec too. Throws TraceError, one line "NAME: expected …, found …",
/// for an unknown generator or parameter, a value out of range, or a pattern `gpu` has no room for.
[[nodiscard]] std::unique_ptr<TraceReader> make_generator(std::string_view spec,
                                                          const GpuSpec& gpu);

/// What `--help` says about generators: every parameter with its meaning and default.
[[nodiscard]] std::string generator_help();

}  // namespace smem
