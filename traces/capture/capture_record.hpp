// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace smem::capture {

/// What the device saw; the host turns it into an Operation with the help of the machine code.
enum class RecordKind : std::uint8_t { memory, matrix, async_copy, barrier };

/// The sanitizer's access flags: both set and no value = an atomic.
inline constexpr std::uint8_t kReads = 1;
inline constexpr std::uint8_t kWrites = 2;

/// One warp instruction, written by the lanes that execute it.
struct WarpRecord {
  std::uint64_t ready;  ///< its number plus one once it is complete, written last
  std::uint64_t pc;     ///< absolute
  std::uint32_t block;  ///< linear index in the grid, x fastest
  std::uint32_t warp;
  std::uint32_t active_mask;
  RecordKind kind;
  std::uint8_t bytes_per_lane;
  std::uint8_t flags;
  std::uint8_t matrices;
  std::uint32_t offsets_bytes[32];  ///< in the shared window; those of inactive lanes are stale
};

/// Shared by device and host. The ring is host memory the device writes to; a warp that finds it
/// full waits until the host has drained some of it.
struct CaptureControl {
  WarpRecord* ring;
  std::uint64_t capacity_records;
  volatile std::uint64_t* drained;  ///< host memory: records the host has taken
  std::uint64_t block_limit;        ///< blocks from this one on are not recorded
  std::uint64_t record_limit;       ///< records beyond it are counted only
  unsigned long long next;          ///< device memory: number of the next record
  unsigned long long remote;        ///< accesses to another block of the cluster: not recorded
};

}  // namespace smem::capture
