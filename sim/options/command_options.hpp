// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/program_options.hpp>

#include <sim/options/usage_error.hpp>
#include <sim/output/result_table.hpp>
#include <smem/gpu_spec.hpp>

namespace smem {

struct GpuDescription;  // sim/config/gpu_description.hpp

/// The options of one command: its own, and --gpu, --set, --format and --help, which all share.
class CommandOptions {
 public:
  /// `synopsis` follows "smemsim NAME" in the help; `about` says what the command does.
  CommandOptions(std::string_view name, std::string_view synopsis, std::string_view about);

  /// Adds the command's own options: `options.add()("chunk", value<…>(), "…")`.
  boost::program_options::options_description_easy_init add() { return own_.add_options(); }
  /// The same for options that the help does not name.
  boost::program_options::options_description_easy_init add_hidden() {
    return hidden_.add_options();
  }
  /// Collects words without dashes under the option `name` (which must have been added).
  void take_words_as(const char* name) { words_.add(name, -1); }
  /// Text printed after the option list.
  void set_epilogue(std::string text) { epilogue_ = std::move(text); }

  /// Parses; false when --help was asked for, and printed. Throws UsageError.
  [[nodiscard]] bool parse(const Arguments& arguments);

  [[nodiscard]] bool has(const std::string& name) const { return values_.count(name) != 0; }
  /// Whether the command line has the option; a default does not count.
  [[nodiscard]] bool given(const std::string& name) const {
    return has(name) && !values_[name].defaulted();
  }
  template <class Value>
  [[nodiscard]] const Value& get(const std::string& name) const {
    return values_[name].as<Value>();
  }

  /// The GPU of --gpu with every --set applied. Throws ConfigError.
  [[nodiscard]] GpuSpec gpu() const;
  /// The same with its clock.
  [[nodiscard]] GpuDescription clocked_gpu() const;
  [[nodiscard]] OutputFormat format() const;

 private:
  /// The assignments of --set. Throws UsageError when one is none.
  [[nodiscard]] std::vector<std::string> overrides() const;

  std::string name_;
  std::string synopsis_;
  std::string about_;
  std::string epilogue_;
  boost::program_options::options_description own_;
  boost::program_options::options_description hidden_;
  boost::program_options::positional_options_description words_;
  boost::program_options::variables_map values_;
};

}  // namespace smem
