// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

#include <sim/explain/access_explanation.hpp>

namespace smem {

/// Draws an explained access as text of at most 100 columns: its cost, why its groups merged or
/// not, lanes on banks wavefront by wavefront, the words of the tallest bank, and lost writes.
///
///   bank  0  1  2  3        which lane each bank serves in each wavefront of the group;
///      1  0+ 4+ 8+12+       the lowest lane is named, + says that more lanes share the word
void draw_access(std::ostream& out, const AccessExplanation& explanation,
                 const std::string& gpu_name);

}  // namespace smem
