// SPDX-License-Identifier: Apache-2.0
// Prints how many blocks an SM holds, as the CUDA runtime calculates it, for kernels of many
// register counts, block sizes and amounts of dynamic shared memory:
//   threads,registers_per_thread,dynamic_shared_memory_bytes,resident_blocks
//
//   nvcc -std=c++20 -arch=sm_90 -O2 -o occupancy_table occupancy_table.cu
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

namespace {

constexpr int kThreads[] = {1,   32,  33,  64,  96,  128, 160, 192, 224, 256, 288,
                            320, 384, 416, 448, 512, 608, 640, 768, 992, 1024};
constexpr int kSharedBytes[] = {0,      1,      127,    128,    129,   1000,  1024,  4096,
                                6144,   8192,   8320,   9000,   12288, 16384, 20000, 24576,
                                32768,  40960,  48000,  49152,  65536, 75000, 99328, 101376,
                                115712, 131072, 163840, 200000, 232448};

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// Keeps more values alive than it has registers, so that the compiler uses all it may.
template <int kRegisters>
__global__ void __maxnreg__(kRegisters) kernel(float* data, int count) {
  extern __shared__ float shared[];
  float values[kRegisters];
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) values[i] = data[i * count + threadIdx.x];
  for (int round = 0; round < count; ++round) {
#pragma unroll
    for (int i = 0; i < kRegisters; ++i) {
      values[i] = values[i] * values[(i + 1) % kRegisters] + data[round];
    }
  }
#pragma unroll
  for (int i = 0; i < kRegisters; ++i) data[i * count + threadIdx.x] = values[i] + shared[i];
}

template <int kRegisters>
void print_rows() {
  const auto function = kernel<kRegisters>;
  check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
  check(cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, function));
  for (const int threads : kThreads) {
    for (const int bytes : kSharedBytes) {
      int blocks = 0;
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads,
                                                          static_cast<std::size_t>(bytes)));
      std::printf("%d,%d,%d,%d\n", threads, attributes.numRegs, bytes, blocks);
    }
  }
}

template <int... kRegisters>
void print_all() {
  (print_rows<kRegisters>(), ...);
}

}  // namespace

int main() {
  print_all<24, 32, 40, 48, 56, 64, 72, 80, 96, 104, 112, 128, 144, 160, 168, 192, 208, 232, 255>();
  return 0;
}
