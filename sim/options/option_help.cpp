// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>
#include <sstream>
#include <string>

#include <sim/options/option_help.hpp>
#include <sim/output/text_columns.hpp>

namespace smem {
namespace po = boost::program_options;
namespace {

constexpr std::size_t kLineColumns = 100;

/// "  --gpu GPU (=h200)"
std::string name_of(const po::option_description& option) {
  const std::string parameter = option.format_parameter();
  return "  " + option.format_name() + (parameter.empty() ? "" : " " + parameter);
}

/// The option's line and those its text goes on in, which begin at `text_column`.
void print_option(std::ostream& out, const po::option_description& option,
                  std::size_t text_column) {
  std::string line = name_of(option);
  line.append(text_column - text_columns(line), ' ');
  std::istringstream words(option.description());
  bool is_first = true;
  for (std::string word; words >> word; is_first = false) {
    if (!is_first && text_columns(line) + 1 + text_columns(word) > kLineColumns) {
      out << line << '\n';
      line.assign(text_column, ' ');
      is_first = true;
    }
    line += (is_first ? "" : " ") + word;
  }
  out << line << '\n';
}

}  // namespace

void print_options(std::ostream& out, std::span<const OptionGroup> groups) {
  std::size_t longest = 0;
  for (const OptionGroup& group : groups) {
    for (const auto& option : group.options.options()) {
      longest = std::max(longest, text_columns(name_of(*option)));
    }
  }
  for (const OptionGroup& group : groups) {
    out << group.heading << ":\n";
    for (const auto& option : group.options.options()) print_option(out, *option, longest + 2);
    if (&group != &groups.back()) out << '\n';
  }
}

}  // namespace smem
