// SPDX-License-Identifier: Apache-2.0
// Fills the shared memory of every SM, so that what a kernel finds there without having written it
// does not depend on the launches before.
// nvcc -arch=sm_90 -shared -Xcompiler -fPIC -o fill_shared.so fill_shared.cu
#include <cuda_runtime.h>

extern __shared__ unsigned shared_words[];

/// Word i becomes (i + 1) * factor.
__global__ void fill_shared(unsigned factor, unsigned words) {
  volatile unsigned* const to = shared_words;  // the compiler may drop stores nothing reads
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) to[i] = (i + 1) * factor;
}

/// Returns when all is filled; a CUDA error code, 0 for none.
extern "C" int fill_every_shared_memory(unsigned factor) {
  int device = 0, sms = 0, block_bytes = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  cudaDeviceGetAttribute(&block_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  cudaFuncSetAttribute(fill_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, block_bytes);
  // A block of that size has its SM for itself; several rounds leave no SM out.
  const auto words = static_cast<unsigned>(block_bytes) / 4;
  fill_shared<<<4 * sms, 512, static_cast<size_t>(block_bytes)>>>(factor, words);
  cudaDeviceSynchronize();
  return static_cast<int>(cudaGetLastError());
}
