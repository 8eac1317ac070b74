// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <smem/stored_bytes.hpp>
#include <smem/warp_access.hpp>

namespace smem {

/// One warp instruction of a trace: the access, where it stands, and what the clock needs to know.
struct TraceRecord {
  WarpAccess access;
  std::uint32_t kernel = 0;  ///< index into TraceInfo::kernels
  std::uint32_t block = 0;   ///< linear block index in the grid, x fastest
  std::uint32_t warp = 0;    ///< warp of the block
  std::uint64_t pc = 0;      ///< byte offset from the function's start
  std::uint64_t count = 1;   ///< the same access so many times in a row
  /// Instructions the warp issued since its previous record (0 = back to back).
  std::uint32_t issue_gap_instructions = 0;
  /// The address needs the value returned `depends_on` records ago in this warp; 0 = ready.
  std::uint32_t depends_on = 0;
  /// Dependent ALU instructions between that value and this access's address.
  std::uint32_t dependent_instructions = 0;
  std::shared_ptr<const StoredBytes> stored;  ///< null unless the trace carries values

  friend bool operator==(const TraceRecord&, const TraceRecord&) = default;
};

/// A kernel launch of a trace. Zero = the trace does not say.
struct KernelInfo {
  std::string name;
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t shared_bytes = 0;
  std::uint32_t registers_per_thread = 0;

  friend bool operator==(const KernelInfo&, const KernelInfo&) = default;
};

/// A named range of shared memory, [begin_bytes, end_bytes), for `--by array`.
struct ArrayInfo {
  std::string name;
  std::uint32_t begin_bytes = 0;
  std::uint32_t end_bytes = 0;

  friend bool operator==(const ArrayInfo&, const ArrayInfo&) = default;
};

/// What a trace says about itself. Text formats fill `kernels` while they are read.
struct TraceInfo {
  std::string gpu;           ///< where it was captured; empty = unknown
  std::string capture_tool;  ///< what wrote it; empty = unknown
  std::vector<KernelInfo> kernels;
  std::vector<ArrayInfo> arrays;

  friend bool operator==(const TraceInfo&, const TraceInfo&) = default;
};

}  // namespace smem
