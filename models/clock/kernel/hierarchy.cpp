// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include <clock/kernel/hierarchy.hpp>

namespace smem::clock {

void print_hierarchy(std::ostream& out, const sc_core::sc_object& root) {
  out << root.name() << ' ' << root.kind();
  if (const auto* port = dynamic_cast<const sc_core::sc_port_base*>(&root)) {
    const auto* target = dynamic_cast<const sc_core::sc_object*>(port->get_interface());
    if (target != nullptr) out << " -> " << target->name();
  }
  out << '\n';
  for (const sc_core::sc_object* child : root.get_child_objects()) print_hierarchy(out, *child);
}

}  // namespace smem::clock
