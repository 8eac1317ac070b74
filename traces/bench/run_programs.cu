// SPDX-License-Identifier: Apache-2.0
// Launches the kernels that measure.py generated from a file of short programs.
// usage: run_programs PLAN CUBIN…    PLAN: one launch a line, "PROGRAM WARPS WARP_STRIDE"
// Output, one line a launch: PROGRAM,WARPS,WARP_STRIDE,TOTAL_CYCLES,START:FINISH of each warp.
// Every launch runs the program kRounds times and reports the last round (instruction caches are
// warm by then); of kLaunches launches the one with the median total_cycles is printed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <string>
#include <vector>

#include "check.cuh"

namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kMostWarps = 32;
constexpr unsigned kRounds = 4;
constexpr unsigned kLaunches = 15;
constexpr unsigned kSharedBytes = 64 * 1024;

struct Interval {
  long long start;
  long long finish;
};

struct Sample {
  long long total_cycles = 0;
  std::vector<Interval> warps;
};

cudaKernel_t find_kernel(const std::vector<cudaLibrary_t>& libraries, unsigned program) {
  const std::string name = "program_" + std::to_string(program);
  for (const cudaLibrary_t library : libraries) {
    cudaKernel_t kernel;
    if (cudaLibraryGetKernel(&kernel, library, name.c_str()) == cudaSuccess) return kernel;
  }
  std::fprintf(stderr, "expected a kernel %s in the given files, found none\n", name.c_str());
  std::exit(2);
}

Sample launch(cudaKernel_t kernel, unsigned warps, unsigned stride, Interval* device,
              const uint32_t* zeros) {
  const unsigned threads = kLanes * ((warps - 1) * stride + 1);
  unsigned rounds = kRounds;
  void* arguments[] = {&device, &zeros, &stride, &rounds};
  CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(threads), arguments,
                         kSharedBytes, nullptr));
  std::array<Interval, kMostWarps> host;
  CHECK(cudaMemcpy(host.data(), device, sizeof host, cudaMemcpyDefault));
  Sample sample;
  long long first_start = host[0].start, last_start = first_start, last_finish = host[0].finish;
  for (unsigned warp = 0; warp < warps; ++warp) {
    first_start = std::min(first_start, host[warp].start);
    last_start = std::max(last_start, host[warp].start);
    last_finish = std::max(last_finish, host[warp].finish);
  }
  sample.total_cycles = last_finish - last_start;
  for (unsigned warp = 0; warp < warps; ++warp) {
    sample.warps.push_back({host[warp].start - first_start, host[warp].finish - first_start});
  }
  return sample;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s PLAN CUBIN...\n", argv[0]);
    return 2;
  }
  std::vector<cudaLibrary_t> libraries(static_cast<size_t>(argc) - 2);
  for (size_t index = 0; index < libraries.size(); ++index) {
    CHECK(cudaLibraryLoadFromFile(&libraries[index], argv[index + 2], nullptr, nullptr, 0, nullptr,
                                  nullptr, 0));
  }
  Interval* device = nullptr;
  uint32_t* zeros = nullptr;
  CHECK(cudaMalloc(&device, kMostWarps * sizeof(Interval)));
  CHECK(cudaMalloc(&zeros, 64 * sizeof(uint32_t)));
  CHECK(cudaMemset(zeros, 0, 64 * sizeof(uint32_t)));
  std::FILE* plan = std::fopen(argv[1], "r");
  if (plan == nullptr) {
    std::perror(argv[1]);
    return 2;
  }
  unsigned program, warps, stride;
  while (std::fscanf(plan, "%u %u %u", &program, &warps, &stride) == 3) {
    if (warps == 0 || stride == 0 || (warps - 1) * stride + 1 > kMostWarps) {
      std::fprintf(stderr, "%s: expected at most %u warps in a block, found %u with stride %u\n",
                   argv[1], kMostWarps, warps, stride);
      return 2;
    }
    const cudaKernel_t kernel = find_kernel(libraries, program);
    CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                               cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
    std::vector<Sample> samples;
    for (unsigned index = 0; index < kLaunches; ++index) {
      samples.push_back(launch(kernel, warps, stride, device, zeros));
    }
    std::nth_element(
        samples.begin(), samples.begin() + kLaunches / 2, samples.end(),
        [](const Sample& a, const Sample& b) { return a.total_cycles < b.total_cycles; });
    const Sample& median = samples[kLaunches / 2];
    std::printf("%u,%u,%u,%lld,", program, warps, stride, median.total_cycles);
    for (const Interval& warp : median.warps) {
      std::printf("%s%lld:%lld", &warp == median.warps.data() ? "" : " ", warp.start, warp.finish);
    }
    std::printf("\n");
  }
  return 0;
}
