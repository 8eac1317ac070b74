// SPDX-License-Identifier: Apache-2.0
// Runs the accesses of a plain list on the GPU. Input (written by measure.py), one access a line:
//   OP BYTES MASK GLOBAL_STEP ADDRESS*32 GLOBAL*32
// with byte offsets in decimal and MASK in hex. Modes:
//   counters PER_LAUNCH: launches only (Nsight Compute counts); with 3 accesses a launch they are
//     repeated 1, 256 and 65536 times, so that one counter carries three numbers in base 256;
//     with 1 access a launch it is repeated 1024 times. One output line per launch: its accesses.
//   throughput: 16 warps of one block repeat the access; cycles per further warp instruction.
//   latency: one warp, every access waits for the one before; cycles per step (one LOP3 included).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <string>
#include <vector>

#include "accesses.cuh"
#include "check.cuh"

namespace smem::bench {

constexpr unsigned kLanes = 32;
constexpr unsigned kWarps = 16;
constexpr unsigned kUnroll = 8;
constexpr unsigned kSharedBytes = 200 * 1024;  // one block an SM
constexpr size_t kGlobalBytes = size_t{256} << 20;
constexpr unsigned kDigitBase = 256;
constexpr unsigned kSingleRepeats = 1024;

struct Row {
  unsigned table_index;
  uint32_t mask;
  uint32_t global_step_bytes;  ///< cp.async: how far the global side moves with every repeat
  uint32_t address[kLanes];
  uint32_t global[kLanes];
};

struct Job {
  const Row* rows;
  const char* global;
  uint32_t* sink;
  long long* cycles;
  uint32_t value;
  uint32_t zero;
};

__device__ Operands operands(const Job& job, const Row& row, unsigned lane) {
  extern __shared__ __align__(1024) char shared[];
  const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  return {base + row.address[lane], job.global + row.global[lane], job.value, job.zero};
}

__device__ __forceinline__ bool active(const Row& row, unsigned lane) {
  return (row.mask >> lane) & 1u;
}

template <class Access>
__global__ void count_kernel(Job job, uint3 first_and_count, uint3 repeats) {
  const unsigned lane = threadIdx.x;
  uint32_t result = 0;
#pragma unroll 1
  for (unsigned index = 0; index < first_and_count.y; ++index) {
    const Row& row = job.rows[first_and_count.x + index];
    Operands of = operands(job, row, lane);
    const uint32_t step = row.global_step_bytes;
    const unsigned count = index == 0 ? repeats.x : index == 1 ? repeats.y : repeats.z;
    if (active(row, lane)) {
#pragma unroll 1
      for (unsigned repeat = 0; repeat < count; ++repeat) {
        result ^= Access::perform(of);
        if (kIsCopy<Access>) wait_for_copies();
        of.address += of.zero;
        of.global += step;
      }
    }
    __syncwarp();
  }
  if (result == 0x5eed5eedu) job.sink[lane] = result;
}

template <class Access>
__global__ void __launch_bounds__(kWarps* kLanes)
    steady_kernel(Job job, unsigned first, unsigned repeats) {
  const unsigned lane = threadIdx.x % kLanes;
  const Row& row = job.rows[first + blockIdx.x];
  Operands of = operands(job, row, lane);
  const uint32_t step = row.global_step_bytes;
  uint32_t result = 0;
  const bool on = active(row, lane);
  __syncthreads();
  const long long start = clock64();
  if (on) {
#pragma unroll 1
    for (unsigned repeat = 0; repeat < repeats; ++repeat) {
#pragma unroll
      for (unsigned copy = 0; copy < kUnroll; ++copy) {
        result ^= Access::perform(of);
        of.address += of.zero;
        of.global += step;
      }
    }
  }
  if (kIsCopy<Access>) wait_for_copies();
  if (result == 0x5eed5eedu) job.sink[lane] = result;
  __syncthreads();
  const long long finish = clock64();
  if (threadIdx.x == 0) job.cycles[blockIdx.x] = finish - start;
}

template <class Access>
__global__ void chain_kernel(Job job, unsigned first, unsigned repeats) {
  const unsigned lane = threadIdx.x;
  const Row& row = job.rows[first + blockIdx.x];
  Operands of = operands(job, row, lane);
  const bool on = active(row, lane);
  const uint32_t step = row.global_step_bytes;
  uint32_t result = 0;
  __syncwarp();
  const long long start = clock64();
  if (on) {
#pragma unroll 1
    for (unsigned repeat = 0; repeat < repeats; ++repeat) {
#pragma unroll
      for (unsigned copy = 0; copy < kUnroll; ++copy) {
        result = Access::perform(of);
        if (kIsCopy<Access>) wait_for_copies();
        of.address ^= result & of.zero;
        of.global += step;
      }
    }
  }
  if (result == 0x5eed5eedu) job.sink[lane] = result;
  __syncwarp();
  const long long finish = clock64();
  if (threadIdx.x == 0) job.cycles[blockIdx.x] = finish - start;
}

struct TableRow {
  const char* name;
  unsigned bytes;
  void (*count)(Job, uint3, uint3);
  void (*steady)(Job, unsigned, unsigned);
  void (*chain)(Job, unsigned, unsigned);
};

template <class... Access>
std::vector<TableRow> make_table(const std::tuple<Access...>*) {
  return {{Access::kName, Access::kBytes, count_kernel<Access>, steady_kernel<Access>,
           chain_kernel<Access>}...};
}

const std::vector<TableRow>& table() {
  static const std::vector<TableRow> rows = make_table(static_cast<const Accesses*>(nullptr));
  return rows;
}

unsigned find_access(const std::string& name, unsigned bytes) {
  for (unsigned index = 0; index < table().size(); ++index) {
    if (name == table()[index].name && bytes == table()[index].bytes) return index;
  }
  std::fprintf(stderr, "expected an operation of this kit, found %s of %u bytes\n", name.c_str(),
               bytes);
  std::exit(2);
}

std::vector<Row> read_rows(const char* path) {
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) {
    std::perror(path);
    std::exit(2);
  }
  std::vector<Row> rows;
  char name[64];
  unsigned bytes;
  Row row;
  while (std::fscanf(file, "%63s %u %x %u", name, &bytes, &row.mask, &row.global_step_bytes) == 4) {
    row.table_index = find_access(name, bytes);
    int read = 0;
    for (uint32_t& address : row.address) read += std::fscanf(file, "%u", &address);
    for (uint32_t& global : row.global) read += std::fscanf(file, "%u", &global);
    if (read != 2 * static_cast<int>(kLanes)) {
      std::fprintf(stderr, "%s:%zu: expected 64 offsets, found %d\n", path, rows.size() + 1, read);
      std::exit(2);
    }
    rows.push_back(row);
  }
  std::fclose(file);
  return rows;
}

/// Calls `visit(first, count)` for every run of rows of one operation, at most `most` long.
template <class Visit>
void for_each_run(const std::vector<Row>& rows, unsigned most, Visit visit) {
  for (unsigned first = 0; first < rows.size();) {
    unsigned end = first + 1;
    while (end < rows.size() && end - first < most &&
           rows[end].table_index == rows[first].table_index) {
      ++end;
    }
    visit(first, end - first);
    first = end;
  }
}

template <class Kernel>
void allow_shared(Kernel kernel) {
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
}

void run_counters(const Job& job, const std::vector<Row>& rows, unsigned per_launch) {
  for_each_run(rows, per_launch, [&](unsigned first, unsigned count) {
    const TableRow& of = table()[rows[first].table_index];
    allow_shared(of.count);
    const uint3 repeats = per_launch == 1 ? uint3{kSingleRepeats, 0, 0}
                                          : uint3{1, kDigitBase, kDigitBase * kDigitBase};
    of.count<<<1, kLanes, kSharedBytes>>>(job, uint3{first, count, 0}, repeats);
    CHECK(cudaGetLastError());
    std::printf("%u %u\n", first, count);
  });
  CHECK(cudaDeviceSynchronize());
}

using TimedKernel = void (*)(Job, unsigned, unsigned);

/// Cycles of `count` blocks, each on its own SM: the least of several runs for each.
std::vector<long long> time_blocks(TimedKernel kernel, unsigned threads, const Job& job,
                                   unsigned first, unsigned count, unsigned repeats) {
  allow_shared(kernel);
  std::vector<long long> least(count, INT64_MAX), cycles(count);
  for (int attempt = 0; attempt < 4; ++attempt) {
    kernel<<<count, threads, kSharedBytes>>>(job, first, repeats);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(cycles.data(), job.cycles, count * sizeof(long long), cudaMemcpyDefault));
    for (unsigned index = 0; index < count; ++index) {
      if (attempt > 0) least[index] = std::min(least[index], cycles[index]);
    }
  }
  return least;
}

void run_timed(const Job& job, const std::vector<Row>& rows, bool throughput) {
  const unsigned few = throughput ? 16 : 8, many = throughput ? 80 : 40;
  for_each_run(rows, 1024, [&](unsigned first, unsigned count) {
    const TableRow& of = table()[rows[first].table_index];
    const TimedKernel kernel = throughput ? of.steady : of.chain;
    const unsigned threads = throughput ? kWarps * kLanes : kLanes;
    const auto short_run = time_blocks(kernel, threads, job, first, count, few);
    const auto long_run = time_blocks(kernel, threads, job, first, count, many);
    const double steps = double{kUnroll} * (many - few) * (throughput ? kWarps : 1);
    for (unsigned index = 0; index < count; ++index) {
      std::printf("%.3f\n", static_cast<double>(long_run[index] - short_run[index]) / steps);
    }
  });
}

}  // namespace smem::bench

int main(int argc, char** argv) {
  using namespace smem::bench;
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s counters LIST PER_LAUNCH | throughput LIST | latency LIST\n",
                 argv[0]);
    return 2;
  }
  const std::vector<Row> rows = read_rows(argv[2]);
  Job job{};
  Row* device_rows = nullptr;
  char* global = nullptr;
  CHECK(cudaMalloc(&device_rows, rows.size() * sizeof(Row)));
  CHECK(cudaMemcpy(device_rows, rows.data(), rows.size() * sizeof(Row), cudaMemcpyDefault));
  CHECK(cudaMalloc(&global, kGlobalBytes));
  CHECK(cudaMemset(global, 0, kGlobalBytes));
  CHECK(cudaMalloc(&job.sink, kLanes * sizeof(uint32_t)));
  CHECK(cudaMalloc(&job.cycles, 1024 * sizeof(long long)));
  job.rows = device_rows;
  job.global = global;
  job.value = 1;
  job.zero = 0;
  if (std::strcmp(argv[1], "counters") == 0 && argc == 4) {
    run_counters(job, rows, static_cast<unsigned>(std::atoi(argv[3])));
  } else if (std::strcmp(argv[1], "throughput") == 0) {
    run_timed(job, rows, true);
  } else if (std::strcmp(argv[1], "latency") == 0) {
    run_timed(job, rows, false);
  } else {
    std::fprintf(stderr, "expected counters, throughput or latency, found %s\n", argv[1]);
    return 2;
  }
  return 0;
}
