// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <iostream>

#include <sim/config/config_loader.hpp>
#include <sim/config/gpu_description.hpp>
#include <sim/options/command_options.hpp>
#include <sim/options/named_choice.hpp>
#include <sim/options/option_help.hpp>

namespace smem {
namespace po = boost::program_options;

CommandOptions::CommandOptions(std::string_view name, std::string_view synopsis,
                               std::string_view about)
    : name_(name), synopsis_(synopsis), about_(about) {}

bool CommandOptions::parse(const Arguments& arguments) {
  po::options_description shared;
  shared.add_options()("gpu", po::value<std::string>()->default_value("h200")->value_name("GPU"),
                       "a name in configs/ or a YAML file")(
      "set", po::value<std::vector<std::string>>()->value_name("KEY.PATH=VALUE"),
      "change one value of the GPU's file; may be repeated")(
      "format", po::value<std::string>()->default_value("table")->value_name("FORMAT"),
      "table, csv or json")("help", "print this");
  po::options_description all;
  all.add(own_).add(hidden_).add(shared);
  try {
    po::store(
        po::command_line_parser(arguments)
            .options(all)
            .positional(words_)
            .style(po::command_line_style::unix_style ^ po::command_line_style::allow_guessing)
            .run(),
        values_);
    if (has("help")) {
      std::cout << "Usage: smemsim " << name_ << ' ' << synopsis_ << "\n\n" << about_ << "\n\n";
      print_options(std::cout, std::array{OptionGroup{"Options", own_},
                                          OptionGroup{"Shared options", shared}});
      if (!epilogue_.empty()) std::cout << '\n' << epilogue_;
      return false;
    }
    po::notify(values_);
    (void)format();
    (void)overrides();
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
  return true;
}

std::vector<std::string> CommandOptions::overrides() const {
  if (!has("set")) return {};
  const auto& assignments = get<std::vector<std::string>>("set");
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw UsageError("--set: expected KEY.PATH=VALUE, found '" + assignment + "'");
    }
  }
  return assignments;
}

GpuSpec CommandOptions::gpu() const {
  return clocked_gpu().spec;
}

GpuDescription CommandOptions::clocked_gpu() const {
  return load_gpu_description(find_config(get<std::string>("gpu")), overrides());
}

OutputFormat CommandOptions::format() const {
  struct Row {
    std::string_view name;
    OutputFormat format;
  };
  constexpr std::array kFormats = {Row{"table", OutputFormat::table}, Row{"csv", OutputFormat::csv},
                                   Row{"json", OutputFormat::json}};
  static_assert(kFormats.size() == static_cast<std::size_t>(OutputFormat::json) + 1);
  return choose("format", get<std::string>("format"), kFormats).format;
}

}  // namespace smem
