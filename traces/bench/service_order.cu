// SPDX-License-Identifier: Apache-2.0
// How the warps of one sub-partition share it: warps 0, 4, 8, 12 of a block issue the same
// accesses. usage: service_order order|issue > FILE.csv
//   order: exchanges on words that all warps share; each returns who was there before, so the whole
//          order of service is known. One letter an access: the warp, divided by 4.
//   issue: a clock read behind every access, from the warp's start clock.
// The second of two passes counts; of kLaunches launches the most frequent result is printed.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <map>
#include <string>
#include <vector>

#include "check.cuh"

namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kStride = 4;  // sub-partitions
constexpr unsigned kMostWarps = 4;
constexpr unsigned kLaunches = 15;
constexpr unsigned kSharedBytes = 48 * 1024;
constexpr unsigned kAccesses = 40;

struct Result {
  long long start[kMostWarps];
  long long finish[kMostWarps];
  uint32_t value[kMostWarps][kAccesses];  // who was there before, or the clock behind the access
};

enum class Kind { exchange_order, load_issue, store_issue };

/// `ways` lanes on each bank, all lanes on words of their own.
__device__ uint32_t address_of(uint32_t base, uint32_t ways) {
  const uint32_t lane = threadIdx.x % kLanes;
  return base + lane % ways * 128 + lane / ways % kLanes * 4;
}

template <Kind kind>
__global__ void contend(Result* result, uint32_t ways, uint32_t warps) {
  extern __shared__ uint32_t shared[];
  const uint32_t address =
      address_of(static_cast<uint32_t>(__cvta_generic_to_shared(shared)), ways);
  const uint32_t lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes / kStride;
  const bool takes_part = threadIdx.x / kLanes % kStride == 0 && warp < warps;
  uint32_t value[kAccesses], name[kAccesses], loaded[kAccesses];
#pragma unroll
  for (uint32_t index = 0; index < kAccesses; ++index) {
    name[index] = warp * kAccesses + index + 1;
    asm volatile("" : "+r"(name[index]));
  }
  for (uint32_t pass = 0; pass < 2; ++pass) {
    __syncthreads();
    for (uint32_t word = threadIdx.x; word < kSharedBytes / 4; word += blockDim.x) shared[word] = 0;
    __syncthreads();
    __syncthreads();
    if (!takes_part) continue;
    const long long start = clock64();
#pragma unroll
    for (uint32_t index = 0; index < kAccesses; ++index) {
      if (kind == Kind::exchange_order) {
        asm volatile("atom.shared.exch.b32 %0, [%1], %2;"
                     : "=r"(value[index])
                     : "r"(address), "r"(name[index])
                     : "memory");
        continue;
      }
      if (kind == Kind::load_issue) {
        asm volatile("ld.volatile.shared.u32 %0, [%1];"
                     : "=r"(loaded[index])
                     : "r"(address)
                     : "memory");
      } else {
        asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(name[0]) : "memory");
      }
      asm volatile("mov.u32 %0, %%clock;" : "=r"(value[index])::"memory");
    }
    __syncwarp();
    if (kind == Kind::exchange_order && value[kAccesses - 1] == ~0u) asm volatile("trap;");
    const long long finish = clock64();
    __syncwarp();
    if (lane == 0) {
      result->start[warp] = start;
      result->finish[warp] = finish;
    }
    // In order and volatile: nothing of it moves up between the accesses.
#pragma unroll
    for (uint32_t index = 0; index < kAccesses; ++index) {
      if (kind == Kind::load_issue && loaded[index] != 0) asm volatile("trap;");
      if (lane == 0) {
        asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(&result->value[warp][index]),
                     "r"(value[index])
                     : "memory");
      }
    }
  }
}

std::string order_of(const Result& result, uint32_t warps) {
  std::map<uint32_t, uint32_t> after;
  for (uint32_t warp = 0; warp < warps; ++warp) {
    for (uint32_t index = 0; index < kAccesses; ++index) {
      after[result.value[warp][index]] = warp * kAccesses + index + 1;
    }
  }
  std::string order;
  for (auto next = after.find(0); next != after.end(); next = after.find(next->second)) {
    order += static_cast<char>('0' + (next->second - 1) / kAccesses);
  }
  return order;
}

std::string line_of(const Result& result, uint32_t warps, bool is_order) {
  const long long first = *std::min_element(result.start, result.start + warps);
  std::string line;
  for (uint32_t warp = 0; warp < warps; ++warp) {
    line += (warp == 0 ? "" : " ") + std::to_string(result.start[warp] - first) + ":" +
            std::to_string(result.finish[warp] - first);
  }
  line += ",";
  if (is_order) return line + order_of(result, warps);
  for (uint32_t warp = 0; warp < warps; ++warp) {
    line += warp == 0 ? "" : " |";
    for (uint32_t index = 0; index < kAccesses; ++index) {
      const auto issue = result.value[warp][index] - static_cast<uint32_t>(first);
      line += (index == 0 && warp == 0 ? "" : " ") + std::to_string(issue);
    }
  }
  return line;
}

template <Kind kind>
void measure(const char* name, Result* device) {
  CHECK(cudaFuncSetAttribute(contend<kind>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kSharedBytes));
  for (const uint32_t ways : {1u, 2u, 4u, 8u, 32u}) {
    for (uint32_t warps = 1; warps <= kMostWarps; ++warps) {
      std::map<std::string, unsigned> seen;
      for (unsigned launch = 0; launch < kLaunches; ++launch) {
        contend<kind><<<1, kLanes * kStride * kMostWarps, kSharedBytes>>>(device, ways, warps);
        CHECK(cudaDeviceSynchronize());
        Result host;
        CHECK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDefault));
        ++seen[line_of(host, warps, kind == Kind::exchange_order)];
      }
      const auto most =
          std::max_element(seen.begin(), seen.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      std::printf("%s,%u,%u,%u,%s\n", name, ways, warps, most->second, most->first.c_str());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_order = argc == 2 && std::strcmp(argv[1], "order") == 0;
  if (!is_order && (argc != 2 || std::strcmp(argv[1], "issue") != 0)) {
    std::fprintf(stderr, "usage: %s order|issue\n", argv[0]);
    return 2;
  }
  Result* device;
  CHECK(cudaMalloc(&device, sizeof *device));
  std::printf("op,ways,warps,launches_of_15,start:finish per warp,%s\n",
              is_order ? "order" : "clock behind each access of each warp");
  if (is_order) {
    measure<Kind::exchange_order>("atom.exch.b32", device);
  } else {
    measure<Kind::load_issue>("ld", device);
    measure<Kind::store_issue>("st", device);
  }
  return 0;
}
