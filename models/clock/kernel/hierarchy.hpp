// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include <clock/kernel/ports.hpp>

namespace smem::clock {

/// Lists `root` and all below it, a line each: its full name and SystemC's kind; ports with what
/// they are bound to, once the model is elaborated.
void print_hierarchy(std::ostream& out, const sc_core::sc_object& root);

}  // namespace smem::clock
