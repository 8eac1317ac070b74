// SPDX-License-Identifier: Apache-2.0
// Small kernels whose shared-memory accesses were captured and counted (README.md beside this).
// usage: kernels [NAME…]   runs those whose name contains one of the words; all without any.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    const cudaError_t status = (call);                                                     \
    if (status != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (0)

namespace {

__device__ uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

}  // namespace

/// 32x32 tiles of a 64x64 matrix, 32x8 threads; Pad 1 removes the column conflicts.
template <int Pad>
__global__ void transpose(const float* in, float* out, int size) {
  __shared__ float tile[32][32 + Pad];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8)
    tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * size + x];
  __syncthreads();
  const int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8)
    out[(ty + row) * size + tx] = tile[threadIdx.x][threadIdx.y + row];
}

/// 64x64x32 tiles, 16x16 threads of 4x4 results; A is stored transposed, column after column.
template <int Pad>
__global__ void sgemm(const float* a, const float* b, float* c, int size) {
  __shared__ __align__(16) float as[32][64 + Pad], bs[32][64 + Pad];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < size; k0 += 32) {
    for (int index = threadIdx.x; index < 64 * 32; index += 256) {
      as[index % 32][index / 32] = a[(blockIdx.y * 64 + index / 32) * size + k0 + index % 32];
      bs[index / 64][index % 64] = b[(k0 + index / 64) * size + blockIdx.x * 64 + index % 64];
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      const float4 left = *reinterpret_cast<const float4*>(&as[k][ty * 4]);
      const float4 right = *reinterpret_cast<const float4*>(&bs[k][tx * 4]);
      const float l[4] = {left.x, left.y, left.z, left.w},
                  r[4] = {right.x, right.y, right.z, right.w};
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] += l[i] * r[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      c[(blockIdx.y * 64 + ty * 4 + i) * size + blockIdx.x * 64 + tx * 4 + j] = sum[i][j];
}

/// 64x64x64 tile of half, 4 warps, mma.m16n8k16; rows of 128 bytes, chunks of 16 bytes XORed with
/// row % 8 when Swizzle. Async: tiles come by cp.async. The result leaves through stmatrix.
template <bool Swizzle, bool Async>
__global__ void __launch_bounds__(128) hgemm(const half* a, const half* b, half* c, int size) {
  __shared__ __align__(1024) half as[64 * 64], bs[64 * 64];
  const auto at = [](int row, int chunk) {
    return row * 64 + (Swizzle ? chunk ^ (row % 8) : chunk) * 8;
  };
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum[8][4] = {};
  for (int k0 = 0; k0 < size; k0 += 64) {
    for (int index = threadIdx.x; index < 64 * 8; index += 128) {
      const int row = index / 8, chunk = index % 8;
      const half* from_a = a + (blockIdx.y * 64 + row) * size + k0 + chunk * 8;
      const half* from_b = b + (k0 + row) * size + blockIdx.x * 64 + chunk * 8;
      if (Async) {
        asm volatile(
            "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(as + at(row, chunk))),
            "l"(from_a)
            : "memory");
        asm volatile(
            "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(bs + at(row, chunk))),
            "l"(from_b)
            : "memory");
      } else {
        *reinterpret_cast<uint4*>(as + at(row, chunk)) = *reinterpret_cast<const uint4*>(from_a);
        *reinterpret_cast<uint4*>(bs + at(row, chunk)) = *reinterpret_cast<const uint4*>(from_b);
      }
    }
    if (Async) asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (int k = 0; k < 4; ++k) {
      uint32_t fa[4];
      const int row = warp * 16 + lane % 16;
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                   : "r"(shared_address(as + at(row, k * 2 + lane / 16))));
      for (int n = 0; n < 8; ++n) {
        uint32_t fb[2];
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                     : "=r"(fb[0]), "=r"(fb[1])
                     : "r"(shared_address(bs + at(k * 16 + lane % 16, n))));
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+f"(sum[n][0]), "+f"(sum[n][1]), "+f"(sum[n][2]), "+f"(sum[n][3])
            : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
      }
    }
    __syncthreads();
  }
  for (int n = 0; n < 8; ++n) {
    const half2 low = __floats2half2_rn(sum[n][0], sum[n][1]),
                high = __floats2half2_rn(sum[n][2], sum[n][3]);
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(
                     shared_address(as + at(warp * 16 + lane % 16, n))),
                 "r"(*reinterpret_cast<const uint32_t*>(&low)),
                 "r"(*reinterpret_cast<const uint32_t*>(&high))
                 : "memory");
  }
  __syncthreads();
  for (int index = threadIdx.x; index < 64 * 8; index += 128) {
    const int row = index / 8, chunk = index % 8;
    *reinterpret_cast<uint4*>(c + (blockIdx.y * 64 + row) * size + blockIdx.x * 64 + chunk * 8) =
        *reinterpret_cast<const uint4*>(as + at(row, chunk));
  }
}

/// Interleaved addressing: in step s only threads that are multiples of 2s work.
__global__ void reduction_divergent(const float* in, float* out) {
  __shared__ float values[256];
  values[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (unsigned step = 1; step < 256; step *= 2) {
    if (threadIdx.x % (2 * step) == 0) values[threadIdx.x] += values[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = values[0];
}

/// Work-efficient exclusive prefix sum of 512 values; Pad spreads the powers of two over the banks.
template <bool Pad>
__global__ void prefix_sum(const int* in, int* out) {
  __shared__ int values[512 + 16];
  const auto at = [](int index) { return Pad ? index + index / 32 : index; };
  const int thread = threadIdx.x;
  values[at(thread)] = in[blockIdx.x * 512 + thread];
  values[at(thread + 256)] = in[blockIdx.x * 512 + thread + 256];
  int offset = 1;
  for (int active = 256; active > 0; active /= 2) {
    __syncthreads();
    if (thread < active)
      values[at(offset * (2 * thread + 2) - 1)] += values[at(offset * (2 * thread + 1) - 1)];
    offset *= 2;
  }
  if (thread == 0) values[at(511)] = 0;
  for (int active = 1; active < 512; active *= 2) {
    offset /= 2;
    __syncthreads();
    if (thread < active) {
      const int left = at(offset * (2 * thread + 1) - 1), right = at(offset * (2 * thread + 2) - 1);
      const int value = values[left];
      values[left] = values[right];
      values[right] += value;
    }
  }
  __syncthreads();
  out[blockIdx.x * 512 + thread] = values[at(thread)];
  out[blockIdx.x * 512 + thread + 256] = values[at(thread + 256)];
}

/// Counts bytes; adding the constant one has an instruction of its own.
__global__ void histogram(const uint8_t* in, unsigned* out, int count) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int index = blockIdx.x * count + threadIdx.x; index < (blockIdx.x + 1) * count; index += 256)
    atomicAdd(&bins[in[index]], 1u);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

/// Adds the values themselves, and keeps the largest of each bin.
__global__ void weighted_histogram(const uint8_t* in, unsigned* out, int count) {
  __shared__ unsigned bins[256], most[256];
  bins[threadIdx.x] = most[threadIdx.x] = 0;
  __syncthreads();
  for (int index = blockIdx.x * count + threadIdx.x; index < (blockIdx.x + 1) * count;
       index += 256) {
    const unsigned value = in[index];
    atomicAdd(&bins[value % 64], value + threadIdx.x);
    atomicMax(&most[value % 16], value);
  }
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x] + most[threadIdx.x]);
}

/// Hands out slots of a queue per key: atomics whose result is used, exchange and 64-bit exchange.
__global__ void slots(const uint8_t* in, unsigned* out) {
  __shared__ unsigned heads[16], last[16];
  __shared__ unsigned long long pairs[16];
  if (threadIdx.x < 16) {
    heads[threadIdx.x] = last[threadIdx.x] = 0;
    pairs[threadIdx.x] = 0;
  }
  __syncthreads();
  const unsigned key = in[blockIdx.x * 256 + threadIdx.x] % 16;
  const unsigned slot = atomicAdd(&heads[key], in[threadIdx.x] % 2 + 1u);
  const unsigned before = atomicExch(&last[key], threadIdx.x);
  const unsigned long long pair = atomicExch(&pairs[key], slot);
  out[blockIdx.x * 256 + threadIdx.x] = slot + before + static_cast<unsigned>(pair);
}

/// Sums of floats: a compare-and-swap loop in machine code.
__global__ void float_sums(const float* in, float* out) {
  __shared__ float sums[8];
  if (threadIdx.x < 8) sums[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&sums[threadIdx.x % 8], in[blockIdx.x * 256 + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x < 8) out[blockIdx.x * 8 + threadIdx.x] = sums[threadIdx.x];
}

/// K x K convolution of a 28x28 image; each thread of a block of 8x8x8 fills the tile at four
/// places.
template <int K>
__global__ void convolution(const float* image, const float* weights, float* out) {
  constexpr int kTile = 8 + K - 1, kOut = 28 - K + 1;
  __shared__ float tile[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y, map = blockIdx.z * 8 + threadIdx.z;
  const int x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty;
  for (int dy = 0; dy < kTile; dy += 8)
    for (int dx = 0; dx < kTile; dx += 8)
      if (ty + dy < kTile && tx + dx < kTile)
        tile[ty + dy][tx + dx] = y + dy < 28 && x + dx < 28 ? image[(y + dy) * 28 + x + dx] : 0.0f;
  __syncthreads();
  if (x < kOut && y < kOut) {
    float sum = 0;
    for (int p = 0; p < K; ++p)
      for (int q = 0; q < K; ++q) sum += tile[ty + p][tx + q] * weights[(map * K + p) * K + q];
    out[(map * kOut + y) * kOut + x] = sum;
  }
}

/// A row of half in shared memory; every thread turns its chunk (plus pad elements) into products.
template <int Chunk, int Pad>
__global__ void prefix_product(const half* in, half* out) {
  __shared__ half row[32 * (Chunk + Pad)];
  for (int index = threadIdx.x; index < 32 * Chunk; index += 32)
    row[index / Chunk * (Chunk + Pad) + index % Chunk] = in[blockIdx.x * 32 * Chunk + index];
  __syncthreads();
  half* const chunk = row + threadIdx.x * (Chunk + Pad);
  for (int index = 1; index < Chunk; ++index) chunk[index] = __hmul(chunk[index - 1], chunk[index]);
  __syncthreads();
  for (int index = threadIdx.x; index < 32 * Chunk; index += 32)
    out[blockIdx.x * 32 * Chunk + index] = row[index / Chunk * (Chunk + Pad) + index % Chunk];
}

/// Radix-2 FFT of 512 complex values, one butterfly a thread and step.
__global__ void fft(const float2* in, float2* out) {
  __shared__ float2 values[512];
  const unsigned thread = threadIdx.x;
  for (unsigned index = thread; index < 512; index += 256)
    values[__brev(index) >> 23] = in[blockIdx.x * 512 + index];
  for (unsigned half_size = 1; half_size < 512; half_size *= 2) {
    __syncthreads();
    const unsigned place = thread % half_size, low = (thread / half_size) * 2 * half_size + place;
    float s, c;
    sincospif(-static_cast<float>(place) / static_cast<float>(half_size), &s, &c);
    const float2 u = values[low], v = values[low + half_size];
    const float2 w = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
    values[low] = make_float2(u.x + w.x, u.y + w.y);
    values[low + half_size] = make_float2(u.x - w.x, u.y - w.y);
  }
  __syncthreads();
  for (unsigned index = thread; index < 512; index += 256)
    out[blockIdx.x * 512 + index] = values[index];
}

/// Bitonic sort of 512 keys: data decide who stores.
__global__ void bitonic_sort(const int* in, int* out) {
  __shared__ int keys[512];
  for (unsigned index = threadIdx.x; index < 512; index += 256)
    keys[index] = in[blockIdx.x * 512 + index];
  for (unsigned size = 2; size <= 512; size *= 2)
    for (unsigned step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      const unsigned low = 2 * threadIdx.x - threadIdx.x % step, high = low + step;
      const int a = keys[low], b = keys[high];
      if ((a > b) == ((low & size) == 0)) {
        keys[low] = b;
        keys[high] = a;
      }
    }
  __syncthreads();
  for (unsigned index = threadIdx.x; index < 512; index += 256)
    out[blockIdx.x * 512 + index] = keys[index];
}

/// Softmax of rows of 1000: warps reduce through shuffles, then through shared memory.
__global__ void softmax(const float* in, float* out) {
  __shared__ float row[1000], partial[8];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float most = -1e30f;
  for (int index = threadIdx.x; index < 1000; index += 256)
    most = fmaxf(most, row[index] = in[blockIdx.x * 1000 + index]);
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
  if (lane == 0) partial[warp] = most;
  __syncthreads();
  for (int index = 0; index < 8; ++index) most = fmaxf(most, partial[index]);
  __syncthreads();
  float sum = 0;
  for (int index = threadIdx.x; index < 1000; index += 256)
    sum += row[index] = expf(row[index] - most);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (lane == 0) partial[warp] = sum;
  __syncthreads();
  sum = 0;
  for (int index = 0; index < 8; ++index) sum += partial[index];
  for (int index = threadIdx.x; index < 1000; index += 256)
    out[blockIdx.x * 1000 + index] = row[index] / sum;
}

/// Copies through shared memory with cp.async of 4, 8 and 16 bytes, with gaps between the rows.
__global__ void async_tiles(const float* in, float* out) {
  __shared__ __align__(16) float tile[3][32 * 36];
  const int lane = threadIdx.x;
  for (int row = 0; row < 8; ++row) {
    asm volatile(
        "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&tile[0][row * 36 + lane])),
        "l"(in + row * 32 + lane)
        : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(
                     shared_address(&tile[1][row * 72 + lane * 2])),
                 "l"(in + row * 64 + lane * 2)
                 : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(
                     shared_address(&tile[2][row * 132 + lane * 4])),
                 "l"(in + row * 128 + lane * 4)
                 : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (int index = lane; index < 3 * 256; index += 32)
    out[blockIdx.x * 768 + index] = tile[index / 256][index % 256];
}

namespace {

constexpr size_t kBytes = size_t{1} << 22;
char* in;
char* out;

template <class T>
const T* input() {
  return reinterpret_cast<const T*>(in);
}
template <class T>
T* output() {
  return reinterpret_cast<T*>(out);
}

struct Job {
  const char* name;
  void (*run)();
};

const Job kJobs[] = {
    {"transpose_unpadded",
     [] { transpose<0><<<dim3(2, 2), dim3(32, 8)>>>(input<float>(), output<float>(), 64); }},
    {"transpose_padded",
     [] { transpose<1><<<dim3(2, 2), dim3(32, 8)>>>(input<float>(), output<float>(), 64); }},
    {"sgemm_unpadded",
     [] { sgemm<0><<<dim3(2, 2), 256>>>(input<float>(), input<float>(), output<float>(), 128); }},
    {"sgemm_padded",
     [] { sgemm<4><<<dim3(2, 2), 256>>>(input<float>(), input<float>(), output<float>(), 128); }},
    {"hgemm_plain",
     [] {
       hgemm<false, false><<<dim3(2, 2), 128>>>(input<half>(), input<half>(), output<half>(), 128);
     }},
    {"hgemm_swizzled",
     [] {
       hgemm<true, false><<<dim3(2, 2), 128>>>(input<half>(), input<half>(), output<half>(), 128);
     }},
    {"hgemm_async",
     [] {
       hgemm<true, true><<<dim3(2, 2), 128>>>(input<half>(), input<half>(), output<half>(), 128);
     }},
    {"reduction_divergent",
     [] { reduction_divergent<<<4, 256>>>(input<float>(), output<float>()); }},
    {"prefix_sum_unpadded", [] { prefix_sum<false><<<2, 256>>>(input<int>(), output<int>()); }},
    {"prefix_sum_padded", [] { prefix_sum<true><<<2, 256>>>(input<int>(), output<int>()); }},
    {"histogram", [] { histogram<<<2, 256>>>(input<uint8_t>(), output<unsigned>(), 4096); }},
    {"weighted_histogram",
     [] { weighted_histogram<<<2, 256>>>(input<uint8_t>(), output<unsigned>(), 4096); }},
    {"slots", [] { slots<<<4, 256>>>(input<uint8_t>(), output<unsigned>()); }},
    {"float_sums", [] { float_sums<<<4, 256>>>(input<float>(), output<float>()); }},
    {"convolution_5",
     [] {
       convolution<5>
           <<<dim3(4, 4, 1), dim3(8, 8, 8)>>>(input<float>(), input<float>(), output<float>());
     }},
    {"convolution_3",
     [] {
       convolution<3>
           <<<dim3(4, 4, 1), dim3(8, 8, 8)>>>(input<float>(), input<float>(), output<float>());
     }},
    {"prefix_product_16_0",
     [] { prefix_product<16, 0><<<4, 32>>>(input<half>(), output<half>()); }},
    {"prefix_product_16_2",
     [] { prefix_product<16, 2><<<4, 32>>>(input<half>(), output<half>()); }},
    {"prefix_product_64_8",
     [] { prefix_product<64, 8><<<4, 32>>>(input<half>(), output<half>()); }},
    {"fft", [] { fft<<<2, 256>>>(input<float2>(), output<float2>()); }},
    {"bitonic_sort", [] { bitonic_sort<<<2, 256>>>(input<int>(), output<int>()); }},
    {"softmax", [] { softmax<<<4, 256>>>(input<float>(), output<float>()); }},
    {"async_tiles", [] { async_tiles<<<2, 32>>>(input<float>(), output<float>()); }},
};

bool chosen(const char* name, int argc, char** argv) {
  for (int index = 1; index < argc; ++index)
    if (std::strstr(name, argv[index]) != nullptr) return true;
  return argc == 1;
}

}  // namespace

int main(int argc, char** argv) {
  CHECK(cudaMalloc(&in, kBytes));
  CHECK(cudaMalloc(&out, kBytes));
  std::vector<uint32_t> words(kBytes / 4);
  uint32_t state = 12345;  // finite as floats: the exponent is kept small
  for (uint32_t& word : words) word = (state = state * 1664525u + 1013904223u) & 0x3fff3fffu;
  CHECK(cudaMemcpy(in, words.data(), kBytes, cudaMemcpyDefault));
  for (const Job& job : kJobs) {
    if (!chosen(job.name, argc, argv)) continue;
    job.run();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    std::printf("%s\n", job.name);
  }
  return 0;
}
