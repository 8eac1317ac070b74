// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <sim/options/usage_error.hpp>

namespace smem {

/// The row of `table` whose `name` is `name`. Throws UsageError "--OPTION: expected A, B or C,
/// found 'NAME'".
template <class Table>
[[nodiscard]] const typename Table::value_type& choose(const std::string& option,
                                                       const std::string& name,
                                                       const Table& table) {
  std::string names;
  for (std::size_t index = 0; index < table.size(); ++index) {
    if (table[index].name == name) return table[index];
    if (index != 0) names += index + 1 < table.size() ? ", " : " or ";
    names += table[index].name;
  }
  throw UsageError("--" + option + ": expected " + names + ", found '" + name + "'");
}

}  // namespace smem
