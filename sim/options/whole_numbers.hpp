// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace smem {

/// A value that is understood and cannot be worked with, such as zero threads, a misaligned address
/// or a record past the end: exit code 1.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The whole number of an option. Throws UsageError "--OPTION: expected …, found …" for anything
/// else, and InputError when it lies outside [least, most].
std::uint64_t whole_number(const std::string& option, const std::string& text, std::uint64_t least,
                           std::uint64_t most);

/// The values of a list of whole numbers and ranges FIRST:LAST or FIRST:LAST:STEP (LAST included
/// when the steps meet it), such as "0,8,16:32:4", in the order written. Throws UsageError, and
/// InputError for too large numbers or too many.
std::vector<std::int64_t> whole_number_list(const std::string& option, const std::string& text);

/// The words of a comma-separated list; UsageError when one is empty.
std::vector<std::string> word_list(const std::string& option, const std::string& text);

}  // namespace smem
