// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <regex>
#include <string>

namespace smem::capture {

/// What smemsim-capture passes on in the environment (SMEMSIM_CAPTURE_…).
struct CaptureOptions {
  std::string output =
      "capture.smt";  ///< a file; with a '/' at its end a folder, one file a launch
  std::string patch;  ///< the compiled device half
  std::string nvdisasm = "nvdisasm";
  std::regex kernel{".*"};              ///< searched for in the mangled and the readable name
  std::uint64_t blocks = UINT64_MAX;    ///< of each launch, from block 0 on
  std::uint64_t launches = UINT64_MAX;  ///< captured ones
  std::uint64_t skip_launches = 0;      ///< matching ones before the first captured one
  std::uint64_t records_per_launch = 1u << 28;  ///< further accesses are counted and reported

  [[nodiscard]] bool split() const { return output.ends_with('/'); }
};

/// Reads the environment. Throws std::invalid_argument with one line for a value it cannot use.
[[nodiscard]] CaptureOptions read_capture_options();

}  // namespace smem::capture
