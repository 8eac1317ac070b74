// SPDX-License-Identifier: Apache-2.0
#include <sim/commands/commands.hpp>
#include <sim/commands/program_run.hpp>

namespace smem {
namespace po = boost::program_options;

int time_command(const Arguments& arguments) {
  CommandOptions options(
      "time", "PROGRAMS.json… [options]",
      "Runs the programs of program files as the measuring kernel does, one block on one SM, and\n"
      "prints program,warps,total_cycles as it would report them.");
  options.add()("file", po::value<std::vector<std::string>>()->value_name("PROGRAMS.json"),
                "the program files (the words without dashes)");
  declare_program_options(options.add());
  options.take_words_as("file");
  if (!options.parse(arguments)) return kExitOk;
  if (!options.has("file")) {
    throw UsageError("time: expected a program file; see smemsim time --help");
  }
  std::vector<TraceInput> files;
  for (const std::string& name : options.get<std::vector<std::string>>("file")) {
    files.emplace_back(name);
  }
  if (!files[0].is_program_file()) {
    throw UsageError("time: expected program files, found " + files[0].name());
  }
  return run_programs("time", options, files);
}

}  // namespace smem
