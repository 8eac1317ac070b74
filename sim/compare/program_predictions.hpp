// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sim/clock/measuring_kernel.hpp>
#include <traces/measurements/program_file.hpp>
#include <traces/measurements/program_measurements.hpp>

namespace smem {

struct GpuDescription;  // sim/config/gpu_description.hpp

/// The programs of a program file.
struct NamedPrograms {
  std::string file;  ///< as messages name it
  std::vector<Program> programs;
  MeasuringKernel kernel;  ///< which measured them
};

/// A measured run of a program, and how long the clock takes for it.
struct ProgramPrediction {
  std::string name;  ///< the program's
  ProgramMeasurement measured;
  std::uint64_t total_cycles = 0;
};

/// Times every run of `measured_file` (read_program_measurements), in its order. The start clock is
/// `asked_start`, else what the measurements say; without a word, those that name a warp stride
/// were taken by the kernel that reads it behind the barrier. Throws TraceError when the file is
/// none, names a program that is not among `programs`, or runs other than 1 to 64 warps.
[[nodiscard]] std::vector<ProgramPrediction> predict_programs(
    const NamedPrograms& programs, const std::string& measured_file,
    const std::optional<ClockStart>& asked_start, const GpuDescription& gpu);

}  // namespace smem
