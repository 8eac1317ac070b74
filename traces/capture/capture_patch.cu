// SPDX-License-Identifier: Apache-2.0
// Device half: called for every lane that executes an instrumented instruction.
#include <sanitizer_patching.h>

#include "capture_record.hpp"

using smem::capture::CaptureControl;
using smem::capture::RecordKind;
using smem::capture::WarpRecord;

namespace {

struct Seen {
  RecordKind kind;
  std::uint8_t bytes_per_lane;
  std::uint8_t flags;
  std::uint8_t matrices;
};

__device__ __forceinline__ unsigned linear_block() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

__device__ __forceinline__ unsigned linear_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/// A window address carries the block's rank in its cluster in the bits from 24 on.
constexpr unsigned kRankShift = 24;

__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// The lanes here together are the lanes of the access. Every lane writes its own offset; the
/// lowest one takes the number, waits for room and declares the record complete.
__device__ __forceinline__ void record(void* userdata, std::uint64_t pc, std::uint32_t offset,
                                       Seen seen) {
  auto* const control = static_cast<CaptureControl*>(userdata);
  if (control == nullptr || linear_block() >= control->block_limit) return;
  const unsigned mask = __activemask();
  const unsigned lane = linear_thread() % 32;
  const bool leads = lane == static_cast<unsigned>(__ffs(static_cast<int>(mask))) - 1;
  if (__any_sync(mask, offset >> kRankShift != cluster_rank() && offset >> kRankShift != 0)) {
    if (leads) atomicAdd(&control->remote, 1ull);
    return;
  }
  unsigned long long number = 0;
  if (leads) number = atomicAdd(&control->next, 1ull);
  number = __shfl_sync(mask, number, __ffs(static_cast<int>(mask)) - 1);
  if (number >= control->record_limit) return;
  WarpRecord* const slot = &control->ring[number % control->capacity_records];
  if (leads) {
    while (number - *control->drained >= control->capacity_records) __nanosleep(1000);
    slot->pc = pc;
    slot->block = linear_block();
    slot->warp = linear_thread() / 32;
    slot->active_mask = mask;
    slot->kind = seen.kind;
    slot->bytes_per_lane = seen.bytes_per_lane;
    slot->flags = seen.flags;
    slot->matrices = seen.matrices;
  }
  __syncwarp(mask);
  slot->offsets_bytes[lane] = offset & ((1u << kRankShift) - 1);
  __threadfence_system();
  __syncwarp(mask);
  if (leads) *const_cast<volatile std::uint64_t*>(&slot->ready) = number + 1;
}

__device__ __forceinline__ std::uint8_t byte_of(std::uint32_t value) {
  return static_cast<std::uint8_t>(value);
}

}  // namespace

extern "C" __device__ __noinline__ SanitizerPatchResult
smemsim_memory(void* userdata, std::uint64_t pc, void* address, std::uint32_t bytes,
               std::uint32_t flags, const void*) {
  const auto offset = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(address));
  record(userdata, pc, offset, {RecordKind::memory, byte_of(bytes), byte_of(flags), 1});
  return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult
smemsim_matrix(void* userdata, std::uint64_t pc, std::uint32_t address, std::uint32_t bytes,
               std::uint32_t flags, std::uint32_t count, const void*) {
  record(userdata, pc, address,
         {RecordKind::matrix, byte_of(bytes), byte_of(flags), byte_of(count)});
  return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult smemsim_async_copy(void* userdata,
                                                                           std::uint64_t pc, void*,
                                                                           std::uint32_t address,
                                                                           std::uint32_t bytes) {
  record(userdata, pc, address,
         {RecordKind::async_copy, byte_of(bytes), smem::capture::kWrites, 1});
  return SANITIZER_PATCH_SUCCESS;
}

extern "C" __device__ __noinline__ SanitizerPatchResult
smemsim_barrier(void* userdata, std::uint64_t pc, std::uint32_t, std::uint32_t, std::uint32_t) {
  record(userdata, pc, 0, {RecordKind::barrier, 0, 0, 1});
  return SANITIZER_PATCH_SUCCESS;
}
