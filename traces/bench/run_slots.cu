// SPDX-License-Identifier: Apache-2.0
// Launches small resident blocks and says on which warp slots they ran and when.
// usage: run_slots PLAN CUBIN    PLAN: "PROGRAM WARPS_PER_BLOCK RESIDENT BLOCKS MOST_ROUNDS" a line
// Shared memory is sized so that RESIDENT blocks fit an SM; BLOCKS for each SM are launched. With
// BLOCKS = RESIDENT all of them start together, else they come and go. Of kLaunches launches and
// all SMs that got BLOCKS blocks the (launch, SM) with the median total is printed, one line:
//   PROGRAM,WARPS_PER_BLOCK,RESIDENT,BLOCKS,MOST_ROUNDS,SHARED_BYTES,TOTAL,WARPS
// WARPS: BLOCK:WARP:SLOT:ROUNDS:START:FINISH of each warp, by start; clocks from the earliest
// start; BLOCK numbers the SM's blocks by their start; TOTAL = last finish - first start.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <map>
#include <string>
#include <vector>

#include "check.cuh"

namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kLaunches = 7;
constexpr unsigned kSmSharedBytes = 227 * 1024 + 1024;  // of which each block reserves 1024
constexpr unsigned kReservedBytes = 1024;

struct WarpStay {
  long long start;
  long long finish;
  uint32_t sm, slot, rounds;
};

struct SmMeeting {
  unsigned arrived;
  long long release;
};

struct Point {
  unsigned program, warps, resident, blocks, most_rounds;
};

struct Warp {
  unsigned block, warp;
  WarpStay stay;
};

struct Sample {
  long long total_cycles = 0;
  std::vector<Warp> warps;
};

unsigned shared_bytes(const Point& point) {
  const unsigned share = kSmSharedBytes / point.resident / 1024 * 1024;
  return std::min(share, kSmSharedBytes) - kReservedBytes;
}

/// The stays on each SM that got point.blocks blocks.
void add_samples(const Point& point, const std::vector<WarpStay>& stays,
                 std::vector<Sample>& samples) {
  std::map<uint32_t, std::vector<unsigned>> blocks_of_sm;
  for (unsigned block = 0; block * point.warps < stays.size(); ++block) {
    blocks_of_sm[stays[block * point.warps].sm].push_back(block);
  }
  for (auto& [sm, blocks] : blocks_of_sm) {
    if (blocks.size() != point.blocks) continue;
    const auto first_start = [&](unsigned block) {
      long long least = INT64_MAX;
      for (unsigned warp = 0; warp < point.warps; ++warp) {
        least = std::min(least, stays[block * point.warps + warp].start);
      }
      return least;
    };
    std::sort(blocks.begin(), blocks.end(), [&](unsigned a, unsigned b) {
      return std::pair(first_start(a), a) < std::pair(first_start(b), b);
    });
    Sample sample;
    long long first = INT64_MAX, last = 0;
    for (unsigned index = 0; index < blocks.size(); ++index) {
      for (unsigned warp = 0; warp < point.warps; ++warp) {
        sample.warps.push_back({index, warp, stays[blocks[index] * point.warps + warp]});
        first = std::min(first, sample.warps.back().stay.start);
        last = std::max(last, sample.warps.back().stay.finish);
      }
    }
    for (Warp& warp : sample.warps) {
      warp.stay.start -= first;
      warp.stay.finish -= first;
    }
    sample.total_cycles = last - first;
    samples.push_back(std::move(sample));
  }
}

void run_point(const Point& point, cudaKernel_t kernel, const uint32_t* zeros, unsigned sms) {
  const unsigned blocks = point.blocks * sms;
  const unsigned bytes = shared_bytes(point);
  CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  WarpStay* device_stays = nullptr;
  SmMeeting* meetings = nullptr;
  CHECK(cudaMalloc(&device_stays, blocks * point.warps * sizeof(WarpStay)));
  CHECK(cudaMalloc(&meetings, 256 * sizeof(SmMeeting)));
  std::vector<WarpStay> stays(blocks * point.warps);
  std::vector<Sample> samples;
  unsigned resident = point.blocks == point.resident ? point.resident : 0;
  unsigned most_rounds = point.most_rounds;
  for (unsigned index = 0; index < kLaunches; ++index) {
    CHECK(cudaMemset(meetings, 0, 256 * sizeof(SmMeeting)));
    void* arguments[] = {&device_stays, &zeros, &meetings, &resident, &most_rounds};
    CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(blocks),
                           dim3(kLanes * point.warps), arguments, bytes, nullptr));
    CHECK(
        cudaMemcpy(stays.data(), device_stays, stays.size() * sizeof(WarpStay), cudaMemcpyDefault));
    if (index >= 2) add_samples(point, stays, samples);  // instruction caches are warm by then
  }
  CHECK(cudaFree(device_stays));
  CHECK(cudaFree(meetings));
  if (samples.empty()) {
    std::fprintf(stderr, "program %u, %u warps: no SM got %u blocks\n", point.program, point.warps,
                 point.blocks);
    return;
  }
  const auto middle = samples.begin() + static_cast<long>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end(), [](const Sample& a, const Sample& b) {
    return a.total_cycles < b.total_cycles;
  });
  std::printf("%u,%u,%u,%u,%u,%u,%lld,", point.program, point.warps, point.resident, point.blocks,
              point.most_rounds, bytes, middle->total_cycles);
  for (const Warp& warp : middle->warps) {
    std::printf("%s%u:%u:%u:%u:%lld:%lld", &warp == middle->warps.data() ? "" : " ", warp.block,
                warp.warp, warp.stay.slot, warp.stay.rounds, warp.stay.start, warp.stay.finish);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  std::FILE* plan = argc == 3 ? std::fopen(argv[1], "r") : nullptr;
  if (plan == nullptr) {
    std::fprintf(stderr, "usage: %s PLAN CUBIN\n", argv[0]);
    return 2;
  }
  cudaLibrary_t library;
  CHECK(cudaLibraryLoadFromFile(&library, argv[2], nullptr, nullptr, 0, nullptr, nullptr, 0));
  uint32_t* zeros = nullptr;
  CHECK(cudaMalloc(&zeros, 64 * sizeof(uint32_t)));
  CHECK(cudaMemset(zeros, 0, 64 * sizeof(uint32_t)));
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  Point point;
  while (std::fscanf(plan, "%u %u %u %u %u", &point.program, &point.warps, &point.resident,
                     &point.blocks, &point.most_rounds) == 5) {
    cudaKernel_t kernel;
    CHECK(cudaLibraryGetKernel(&kernel, library,
                               ("program_" + std::to_string(point.program)).c_str()));
    run_point(point, kernel, zeros, static_cast<unsigned>(properties.multiProcessorCount));
  }
  return 0;
}
