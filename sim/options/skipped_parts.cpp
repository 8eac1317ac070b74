// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <string_view>

#include <sim/options/skipped_parts.hpp>

namespace smem {
namespace {

/// What is said of a number that is not 0: before it, and behind it.
struct SkippedText {
  std::uint64_t SkippedParts::*number;
  std::string_view before;
  std::string_view behind;
};

constexpr std::array kSkippedTexts = {
    SkippedText{&SkippedParts::descriptor_copies, "left out ",
                " bulk copies, which have no lane addresses"},
    SkippedText{&SkippedParts::copies_without_offsets, "left out ",
                " asynchronous copies (LDGSTS) of which the trace has the global addresses alone; "
                "their wavefronts are not counted"},
    SkippedText{&SkippedParts::lines_without_end, "",
                " line has no line break: if the file was cut, its last number may be too"}};

}  // namespace

void tell_skipped(std::ostream& out, const std::string& trace, const SkippedParts& skipped) {
  if (skipped.places != 0) {
    out << "smemsim: " << trace << ": skipped " << skipped.places << " damaged places with ";
    if (skipped.records == 0) {
      out << "an unknown number of records\n";
    } else {
      out << skipped.records << " records known to be lost\n";
    }
  }
  for (const SkippedText& text : kSkippedTexts) {
    if (skipped.*text.number == 0) continue;
    out << "smemsim: " << trace << ": " << text.before << skipped.*text.number << text.behind
        << '\n';
  }
}

}  // namespace smem
