// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <iostream>

#include <sim/clock/measuring_kernel.hpp>
#include <sim/commands/program_run.hpp>
#include <sim/config/gpu_description.hpp>
#include <sim/options/whole_numbers.hpp>

namespace smem {
namespace po = boost::program_options;

std::optional<ClockStart> clock_start(const CommandOptions& options) {
  if (!options.has("clock-start")) return std::nullopt;
  const std::string& name = options.get<std::string>("clock-start");
  const std::optional<ClockStart> start = clock_start_of_name(name);
  if (!start) {
    throw UsageError("--clock-start: expected " + std::string(kClockStartChoice) + ", found '" +
                     name + "'");
  }
  return start;
}

void declare_program_options(po::options_description_easy_init add) {
  add("warps", po::value<std::string>()->value_name("N,…"),
      "how many warps run the program, a simulation for each number")(
      "warp-stride", po::value<std::string>()->value_name("N"), "warps 0, N, 2N, … run")(
      "clock-start", po::value<std::string>()->value_name("WHERE"),
      "where a warp's start clock is read: on its arrival at the barrier before the program, at "
      "that barrier's release, or there with the data of stores made before (release-data-ready); "
      "by default arrival, or release with --warp-stride");
}

int run_programs(const std::string& command, const CommandOptions& options,
                 std::vector<TraceInput>& files) {
  const GpuDescription gpu = options.clocked_gpu();
  const GpuSpec& spec = gpu.spec;
  if (gpu.timing == nullptr) {
    throw std::runtime_error(std::string(spec.name_view()) +
                             " has no `timing` in its file, so nothing is known of its clock");
  }
  const std::uint32_t most_warps = spec.occupancy.threads_per_block / kLanesPerWarp;
  const auto stride = static_cast<std::uint32_t>(whole_number(
      "warp-stride", options.has("warp-stride") ? options.get<std::string>("warp-stride") : "1", 1,
      most_warps));
  const ClockStart start = clock_start(options).value_or(
      options.has("warp-stride") ? ClockStart::release : ClockStart::arrival);
  const std::vector<std::int64_t> warp_counts =
      whole_number_list("warps", options.has("warps") ? options.get<std::string>("warps") : "1");
  for (const std::int64_t warps : warp_counts) {
    if (warps < 1 || (warps - 1) * stride + 1 > most_warps) {
      throw InputError("--warps: expected 1 to " + std::to_string(most_warps) +
                       " warps in a block, stride included, found " + std::to_string(warps));
    }
  }
  std::vector<ResultTable> tables = {
      ResultTable("program timings", {"program", "warps", "total_cycles"})};
  for (TraceInput& file : files) {
    if (!file.is_program_file()) {
      throw UsageError(command + ": expected program files, as the first is one, found " +
                       file.name());
    }
    const MeasuringKernel kernel = load_measuring_kernel(find_measuring_kernel(file.name()));
    for (const Program& program : file.programs(spec)) {
      for (const std::int64_t warps : warp_counts) {
        const ProgramTiming timing =
            time_program(gpu, kernel, program, static_cast<std::uint32_t>(warps), stride, start);
        tables[0].add_row(
            {std::uint64_t{program.id}, static_cast<std::uint64_t>(warps), timing.total_cycles});
      }
    }
  }
  print_tables(std::cout, tables, options.format());
  return kExitOk;
}

}  // namespace smem
