// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <span>

#include <boost/program_options.hpp>

namespace smem {

/// A list of options under its heading.
struct OptionGroup {
  const char* heading;
  const boost::program_options::options_description& options;
};

/// Prints every option of the groups, its text wrapped to lines of at most 100 columns that all
/// start in one column.
void print_options(std::ostream& out, std::span<const OptionGroup> groups);

}  // namespace smem
