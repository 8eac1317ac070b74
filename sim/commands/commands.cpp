// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <sim/commands/commands.hpp>

namespace smem {
namespace {
constexpr std::array kCommands = {
    Command{"run", "replay traces or generated patterns: wavefronts, conflicts, cycles, and why",
            run_command},
    Command{"explain", "one access as a picture: lanes, banks, collisions, merging, lost writes",
            explain_command},
    Command{"convert", "any readable trace to .smt or to an access list", convert_command},
    Command{"sweep", "chunk x pad x type x width x threads: ways, cycles, and the pad to take",
            sweep_command},
    Command{"budget", "tile planning: reuse, shared memory, registers, resident blocks",
            budget_command},
    Command{"time", "short programs in cycles, as the measuring kernel would report them",
            time_command},
    Command{"compare", "prediction against measurement", compare_command},
};
}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

}  // namespace smem
