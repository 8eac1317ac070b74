// SPDX-License-Identifier: Apache-2.0
// CUB and Thrust algorithms whose kernels were captured and counted; `-DPART=n` compiles one group.
#include <cstdio>
#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <functional>
#include <random>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/unique.h>
#include <vector>

namespace {

struct Less {
  template <class T>
  __device__ bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};

template <class T>
thrust::device_vector<T> numbers(unsigned count, double high = 1000) {
  static std::mt19937 engine(5);
  std::uniform_real_distribution<double> draw(0, high);
  std::vector<T> host(count);
  for (T& value : host) value = static_cast<T>(draw(engine));
  return thrust::device_vector<T>(host.begin(), host.end());
}

template <class T>
T* raw(thrust::device_vector<T>& vector) {
  return thrust::raw_pointer_cast(vector.data());
}

/// Calls a CUB algorithm twice, as it wants: for the bytes it needs and for the work.
template <class Algorithm>
void call(Algorithm algorithm) {
  size_t bytes = 0;
  algorithm(nullptr, bytes);
  void* memory = nullptr;
  cudaMalloc(&memory, bytes + 1);
  algorithm(memory, bytes);
  cudaDeviceSynchronize();
  cudaFree(memory);
}

void run(const char* name, const std::function<void()>& work) {
  std::fprintf(stderr, "OPERATION %s\n", name);
  work();
  if (const cudaError_t status = cudaDeviceSynchronize(); status != cudaSuccess) {
    std::fprintf(stderr, "FAILED %s: %s\n", name, cudaGetErrorString(status));
  }
}

template <class T>
void radix_sort(unsigned count) {
  auto in = numbers<T>(count, 250), out = in;
  call([&](void* memory, size_t& bytes) {
    cub::DeviceRadixSort::SortKeys(memory, bytes, raw(in), raw(out), static_cast<int>(count));
  });
}

template <class T>
void merge_sort(unsigned count) {
  auto keys = numbers<T>(count);
  call([&](void* memory, size_t& bytes) {
    cub::DeviceMergeSort::SortKeys(memory, bytes, raw(keys), static_cast<int>(count), Less());
  });
}

template <class T>
void reduce(unsigned count) {
  auto in = numbers<T>(count), out = numbers<T>(1);
  call([&](void* memory, size_t& bytes) {
    cub::DeviceReduce::Sum(memory, bytes, raw(in), raw(out), static_cast<int>(count));
  });
}

template <class T>
void scan(unsigned count) {
  auto in = numbers<T>(count), out = in;
  call([&](void* memory, size_t& bytes) {
    cub::DeviceScan::InclusiveSum(memory, bytes, raw(in), raw(out), static_cast<int>(count));
  });
}

template <class Sample, class Level>
void histogram(unsigned count, int levels) {
  auto in = numbers<Sample>(count, 200);
  auto out = numbers<int>(1000, 1);
  call([&](void* memory, size_t& bytes) {
    cub::DeviceHistogram::HistogramEven(memory, bytes, raw(in), raw(out), levels, Level(0),
                                        Level(200), static_cast<int>(count));
  });
}

template <class T>
__global__ void block_sort(T* keys) {
  using Sort = cub::BlockRadixSort<T, 128, 4>;
  __shared__ typename Sort::TempStorage storage;
  T mine[4];
  cub::LoadDirectBlocked(threadIdx.x, keys + blockIdx.x * 512, mine);
  Sort(storage).Sort(mine);
  cub::StoreDirectBlocked(threadIdx.x, keys + blockIdx.x * 512, mine);
}

template <class T, cub::BlockScanAlgorithm kAlgorithm>
__global__ void block_scan(T* values) {
  using Scan = cub::BlockScan<T, 256, kAlgorithm>;
  __shared__ typename Scan::TempStorage storage;
  T value = values[blockIdx.x * 256 + threadIdx.x];
  Scan(storage).InclusiveSum(value, value);
  values[blockIdx.x * 256 + threadIdx.x] = value;
}

template <class T, cub::BlockReduceAlgorithm kAlgorithm>
__global__ void block_reduce(T* values) {
  using Reduce = cub::BlockReduce<T, 192, kAlgorithm>;
  __shared__ typename Reduce::TempStorage storage;
  const T total = Reduce(storage).Sum(values[blockIdx.x * 192 + threadIdx.x]);
  if (threadIdx.x == 0) values[blockIdx.x * 192] = total;
}

template <class T, cub::BlockLoadAlgorithm kLoad, cub::BlockStoreAlgorithm kStore>
__global__ void block_exchange(T* values) {
  using Load = cub::BlockLoad<T, 128, 5, kLoad>;
  using Store = cub::BlockStore<T, 128, 5, kStore>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
  } storage;
  T mine[5];
  Load(storage.load).Load(values + blockIdx.x * 640, mine);
  __syncthreads();
  Store(storage.store).Store(values + blockIdx.x * 640, mine);
}

template <class T, cub::BlockHistogramAlgorithm kAlgorithm>
__global__ void block_histogram(const uint8_t* values, T* bins) {
  using Histogram = cub::BlockHistogram<uint8_t, 128, 4, 256, kAlgorithm>;
  __shared__ typename Histogram::TempStorage storage;
  __shared__ T counts[256];
  uint8_t mine[4];
  cub::LoadDirectBlocked(threadIdx.x, values + blockIdx.x * 512, mine);
  Histogram(storage).Histogram(mine, counts);
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < 256; bin += 128) bins[bin] = counts[bin];
}

template <class T>
__global__ void block_merge_sort(T* keys) {
  using Sort = cub::BlockMergeSort<T, 128, 5>;
  __shared__ typename Sort::TempStorage storage;
  T mine[5];
  cub::LoadDirectBlocked(threadIdx.x, keys + blockIdx.x * 640, mine);
  Sort(storage).Sort(mine, Less());
  cub::StoreDirectBlocked(threadIdx.x, keys + blockIdx.x * 640, mine);
}

template <class T>
__global__ void block_float_histogram(const T* values, T* bins) {
  __shared__ T counts[64];
  if (threadIdx.x < 64) counts[threadIdx.x] = 0;
  __syncthreads();
  const T value = values[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&counts[static_cast<unsigned>(value) % 64], value);
  __syncthreads();
  if (threadIdx.x < 64) bins[threadIdx.x] = counts[threadIdx.x];
}

}  // namespace

int main() {
#if PART == 0
  run("radix_sort_u32", [] { radix_sort<unsigned>(20000); });
  run("radix_sort_u8", [] { radix_sort<uint8_t>(9000); });
  run("radix_sort_u64", [] { radix_sort<unsigned long long>(6000); });
  run("radix_sort_f32_small", [] { radix_sort<float>(700); });
  run("radix_sort_f64", [] { radix_sort<double>(12000); });
  run("merge_sort_i32", [] { merge_sort<int>(5000); });
  run("merge_sort_f64", [] { merge_sort<double>(3000); });
  run("merge_sort_u16", [] { merge_sort<uint16_t>(4000); });
#elif PART == 1
  run("reduce_i32", [] { reduce<int>(30000); });
  run("reduce_f64", [] { reduce<double>(9000); });
  run("reduce_u8", [] { reduce<uint8_t>(5000); });
  run("scan_i32", [] { scan<int>(20000); });
  run("scan_f64", [] { scan<double>(9000); });
  run("scan_i64", [] { scan<long long>(7000); });
  run("scan_u8", [] { scan<uint8_t>(7000); });
  run("histogram_u8", [] { histogram<uint8_t, int>(9000, 201); });
  run("histogram_f32", [] { histogram<float, float>(9000, 33); });
  run("histogram_f32_wide", [] { histogram<float, float>(9000, 601); });
  run("select", [] {
    auto in = numbers<int>(9000), out = in, count = numbers<int>(1);
    call([&](void* memory, size_t& bytes) {
      cub::DeviceSelect::If(memory, bytes, raw(in), raw(out), raw(count), 9000,
                            [] __device__(int value) { return value % 3 == 0; });
    });
  });
  run("run_lengths", [] {
    auto in = numbers<int>(9000, 3), out = in, lengths = in, count = numbers<int>(1);
    call([&](void* memory, size_t& bytes) {
      cub::DeviceRunLengthEncode::Encode(memory, bytes, raw(in), raw(out), raw(lengths), raw(count),
                                         9000);
    });
  });
  run("reduce_by_key", [] {
    auto keys = numbers<int>(6000, 4), out = keys, count = numbers<int>(1);
    auto values = numbers<float>(6000), sums = values;
    call([&](void* memory, size_t& bytes) {
      cub::DeviceReduce::ReduceByKey(memory, bytes, raw(keys), raw(out), raw(values), raw(sums),
                                     raw(count), cuda::std::plus<>(), 6000);
    });
  });
#elif PART == 2
  run("thrust_sort_by_key", [] {
    auto keys = numbers<int>(4000);
    auto values = numbers<float>(4000);
    thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
  });
  run("thrust_stable_sort", [] {
    auto keys = numbers<int>(4000);
    thrust::stable_sort(keys.begin(), keys.end(),
                        [] __device__(int a, int b) { return a % 100 < b % 100; });
  });
  run("thrust_merge", [] {
    auto a = numbers<int>(3000), b = numbers<int>(2500);
    thrust::sort(a.begin(), a.end());
    thrust::sort(b.begin(), b.end());
    thrust::device_vector<int> out(5500);
    thrust::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin());
  });
  run("thrust_set_union", [] {
    auto a = numbers<int>(2000), b = numbers<int>(1500);
    thrust::sort(a.begin(), a.end());
    thrust::sort(b.begin(), b.end());
    thrust::device_vector<int> out(3500);
    thrust::set_union(a.begin(), a.end(), b.begin(), b.end(), out.begin());
  });
  run("thrust_unique", [] {
    auto a = numbers<int>(4000, 3);
    thrust::unique(a.begin(), a.end());
  });
  run("thrust_scan_by_key", [] {
    auto keys = numbers<int>(4000, 3);
    auto values = numbers<float>(4000);
    thrust::inclusive_scan_by_key(keys.begin(), keys.end(), values.begin(), values.begin());
  });
  run("thrust_partition", [] {
    auto a = numbers<int>(4000);
    thrust::partition(a.begin(), a.end(), [] __device__(int value) { return value % 2 == 0; });
  });
#else
  auto words = numbers<unsigned>(5000);
  auto longs = numbers<unsigned long long>(5000);
  auto doubles = numbers<double>(5000);
  auto floats = numbers<float>(5000);
  auto bytes = numbers<uint8_t>(5000, 250);
  auto bins = numbers<unsigned>(256);
  auto shorts = numbers<uint16_t>(5000);
  run("block_sort_u32", [&] { block_sort<<<4, 128> > >(raw(words)); });
  run("block_sort_u64", [&] { block_sort<<<4, 128> > >(raw(longs)); });
  run("block_sort_u16", [&] { block_sort<<<4, 128> > >(raw(shorts)); });
  run("block_scan_raking",
      [&] { block_scan<float, cub::BLOCK_SCAN_RAKING><<<4, 256> > >(raw(floats)); });
  run("block_scan_warps",
      [&] { block_scan<double, cub::BLOCK_SCAN_WARP_SCANS><<<4, 256> > >(raw(doubles)); });
  run("block_scan_memoize",
      [&] { block_scan<unsigned, cub::BLOCK_SCAN_RAKING_MEMOIZE><<<4, 256> > >(raw(words)); });
  run("block_reduce_raking",
      [&] { block_reduce<double, cub::BLOCK_REDUCE_RAKING><<<4, 192> > >(raw(doubles)); });
  run("block_reduce_commutative", [&] {
    block_reduce<float, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY><<<4, 192> > >(raw(floats));
  });
  run("block_exchange_u32", [&] {
    block_exchange<unsigned, cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE>
        <<<4, 128> > >(raw(words));
  });
  run("block_exchange_f64", [&] {
    block_exchange<double, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE>
        <<<4, 128> > >(raw(doubles));
  });
  run("block_exchange_u8", [&] {
    block_exchange<uint8_t, cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE>
        <<<4, 128> > >(raw(bytes));
  });
  run("block_histogram_sort", [&] {
    block_histogram<unsigned, cub::BLOCK_HISTO_SORT><<<2, 128> > >(raw(bytes), raw(bins));
  });
  run("block_histogram_atomic", [&] {
    block_histogram<unsigned, cub::BLOCK_HISTO_ATOMIC><<<2, 128> > >(raw(bytes), raw(bins));
  });
  run("block_merge_sort_u32", [&] { block_merge_sort<<<4, 128> > >(raw(words)); });
  run("block_merge_sort_f64", [&] { block_merge_sort<<<4, 128> > >(raw(doubles)); });
  run("float_sums", [&] { block_float_histogram<<<4, 128> > >(raw(floats), raw(floats) + 1000); });
  run("double_sums",
      [&] { block_float_histogram<<<4, 128> > >(raw(doubles), raw(doubles) + 1000); });
#endif
  return 0;
}
