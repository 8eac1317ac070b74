// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <iostream>

#include <sim/program_run.hpp>
#include <sim/whole_numbers.hpp>

namespace smem {

std::optional<ClockStart> clock_start(const CommandOptions& options) {
  if (!options.has("clock-start")) return std::nullopt;
  const std::string& name = options.get<std::string>("clock-start");
  if (name == "arrival") return ClockStart::arrival;
  if (name == "release") return ClockStart::release;
  throw UsageError("--clock-start: expected arrival or release, found '" + name + "'");
}

int run_programs(const CommandOptions& options, const std::vector<std::string>& files) {
  const GpuSpec spec = options.gpu();
  if (!spec.timing.known()) {
    throw std::runtime_error(std::string(spec.name_view()) +
                             " has no `timing` in its file, so nothing is known of its clock");
  }
  const std::uint32_t stride =
      options.has("warp-stride") ? options.get<std::uint32_t>("warp-stride") : 1;
  const ClockStart start = clock_start(options).value_or(
      options.has("warp-stride") ? ClockStart::release : ClockStart::arrival);
  const std::vector<std::int64_t> warp_counts =
      whole_number_list("warps", options.has("warps") ? options.get<std::string>("warps") : "1");
  for (const std::int64_t warps : warp_counts) {
    const std::int64_t most = spec.occupancy.threads_per_block / kLanesPerWarp;
    if (stride == 0 || warps < 1 || (warps - 1) * stride + 1 > most) {
      throw InputError("--warps: expected 1 to " + std::to_string(most) +
                       " warps in a block, stride included, found " + std::to_string(warps));
    }
  }
  const bool name_stride = options.has("warp-stride");
  std::vector<std::string> columns = {"program", "warps", "total_cycles"};
  if (name_stride) columns.insert(columns.begin() + 2, "warp_stride");
  std::vector<ResultTable> tables = {ResultTable("program timings", columns)};
  for (const std::string& file : files) {
    for (const Program& program : read_programs(file, spec)) {
      for (const std::int64_t warps : warp_counts) {
        const ProgramTiming timing =
            time_program(spec, program, static_cast<std::uint32_t>(warps), stride, start);
        std::vector<Cell> cells = {std::uint64_t{program.id}, static_cast<std::uint64_t>(warps),
                                   timing.total_cycles};
        if (name_stride) cells.insert(cells.begin() + 2, std::uint64_t{stride});
        tables[0].add_row(std::move(cells));
      }
    }
  }
  print_tables(std::cout, tables, options.format());
  return kExitOk;
}

}  // namespace smem
