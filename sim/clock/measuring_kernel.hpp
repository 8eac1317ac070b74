// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace smem {

/// What the kernel that measures short programs adds around them. It is no part of a GPU; where
/// each number comes from stands in traces/measured/h200/programs/measuring_kernel.yaml.
struct MeasuringKernel {
  std::uint32_t launch_cycles = 0;  ///< from the barrier's opening to the first instruction
  std::uint32_t finish_cycles = 0;  ///< from the last value to the finish clock

  /// Where the start clock is read behind the barrier, the data of stores is made behind it, too:
  /// so much later, and a move a register,
  std::uint32_t data_cycles = 0;
  /// and where loads are among the stores, so many of the moves stand before each access.
  std::uint32_t moves_per_access = 0;
  /// A start clock behind the barrier is read so much later by each further warp of a
  /// sub-partition,
  std::uint32_t start_interval_cycles = 0;
  /// and so much later still from the fourth on.
  std::uint32_t fourth_start_cycles = 0;
  /// Programs without loads reach the barrier at least so far apart.
  std::uint32_t store_spacing_cycles = 0;

  friend constexpr bool operator==(const MeasuringKernel&, const MeasuringKernel&) = default;
};

/// A number of the measuring kernel: its name in YAML, which is its member's, and the most it may
/// be; the least is 0.
struct MeasuringKernelField {
  std::string_view name;
  std::uint32_t most;
  std::uint32_t MeasuringKernel::*member;
};

inline constexpr std::array kMeasuringKernelFields = {
    MeasuringKernelField{"launch_cycles", 100000, &MeasuringKernel::launch_cycles},
    MeasuringKernelField{"finish_cycles", 100000, &MeasuringKernel::finish_cycles},
    MeasuringKernelField{"data_cycles", 100000, &MeasuringKernel::data_cycles},
    MeasuringKernelField{"moves_per_access", 255, &MeasuringKernel::moves_per_access},
    MeasuringKernelField{"start_interval_cycles", 100000, &MeasuringKernel::start_interval_cycles},
    MeasuringKernelField{"fourth_start_cycles", 100000, &MeasuringKernel::fourth_start_cycles},
    MeasuringKernelField{"store_spacing_cycles", 100000, &MeasuringKernel::store_spacing_cycles},
};

/// Where the description of the kernel lies that measured the programs of a file ("-" = standard
/// input): measuring_kernel.yaml beside that file, else the H200's, installed with the program, in
/// the source tree, or where the build was told to install. Throws ConfigError when there is none.
[[nodiscard]] std::string find_measuring_kernel(const std::string& program_file);

/// Reads a description. Strict: an unknown or missing key, or a value out of range, throws
/// ConfigError with file, line, column and key.
[[nodiscard]] MeasuringKernel load_measuring_kernel(const std::string& file);

/// The same from text; `name` stands in messages.
[[nodiscard]] MeasuringKernel parse_measuring_kernel(const std::string& text,
                                                     const std::string& name);

}  // namespace smem
