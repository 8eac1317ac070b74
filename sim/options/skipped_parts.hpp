// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>

#include <traces/trace_reader.hpp>

namespace smem {

/// Says what a reader left out of `trace`, a line a kind; nothing when it left out nothing.
void tell_skipped(std::ostream& out, const std::string& trace, const SkippedParts& skipped);

}  // namespace smem
