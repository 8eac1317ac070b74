// SPDX-License-Identifier: Apache-2.0
#include "record_ring.hpp"

#include <chrono>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <utility>

namespace smem::capture {

void require(SanitizerResult result, const std::string& what) {
  if (result == SANITIZER_SUCCESS) return;
  const char* text = nullptr;
  sanitizerGetResultString(result, &text);
  throw std::runtime_error(what + ": " + (text == nullptr ? "unknown error" : text));
}

RecordRing::RecordRing(CUcontext context) {
  void* memory = nullptr;
  require(sanitizerAllocHost(context, &memory, kCapacityRecords * sizeof(WarpRecord)),
          "host memory for the ring");
  control_.ring = static_cast<WarpRecord*>(memory);
  control_.capacity_records = kCapacityRecords;
  require(sanitizerAllocHost(context, &memory, sizeof(std::uint64_t)), "host memory");
  drained_ = static_cast<volatile std::uint64_t*>(memory);
  control_.drained = drained_;
  require(sanitizerAlloc(context, &memory, sizeof(CaptureControl)), "device memory");
  device_control_ = static_cast<CaptureControl*>(memory);
}

void RecordRing::begin(std::uint64_t block_limit, std::uint64_t record_limit,
                       Sanitizer_StreamHandle stream, std::function<void(const WarpRecord&)> take) {
  std::memset(control_.ring, 0, kCapacityRecords * sizeof(WarpRecord));
  *drained_ = 0;
  taken_ = 0;
  error_.clear();
  take_ = std::move(take);
  control_.block_limit = block_limit;
  control_.record_limit = record_limit;
  control_.next = 0;
  control_.remote = 0;
  require(sanitizerMemcpyHostToDeviceAsync(device_control_, &control_, sizeof control_, stream),
          "copy to the device");
  require(sanitizerStreamSynchronize(stream), "copy to the device");
  stop_ = false;
  thread_ = std::thread([this] { drain(); });
}

void RecordRing::drain() {
  for (;;) {
    const bool last_look = stop_;
    const std::uint64_t before = taken_;
    for (;;) {
      WarpRecord& slot = control_.ring[taken_ % kCapacityRecords];
      if (*const_cast<volatile std::uint64_t*>(&slot.ready) != taken_ + 1) break;
      std::atomic_thread_fence(std::memory_order_acquire);
      try {
        if (error_.empty()) take_(slot);
      } catch (const std::exception& error) {
        error_ = error.what();  // go on draining: the device must not wait forever
      }
      ++taken_;
      *drained_ = taken_;
    }
    if (taken_ != before) continue;
    if (last_look) return;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

Unrecorded RecordRing::end(Sanitizer_StreamHandle stream) {
  const SanitizerResult finished = sanitizerStreamSynchronize(stream);
  stop_ = true;
  thread_.join();
  require(finished, "the captured kernel");
  require(sanitizerMemcpyDeviceToHost(&control_, device_control_, sizeof control_, stream),
          "copy from the device");
  require(sanitizerStreamSynchronize(stream), "copy from the device");
  if (!error_.empty()) throw std::runtime_error(error_);
  const std::uint64_t seen = control_.next;
  const std::uint64_t kept = seen < control_.record_limit ? seen : control_.record_limit;
  if (taken_ != kept) {
    throw std::runtime_error("expected " + std::to_string(kept) +
                             " records from the device, found " + std::to_string(taken_));
  }
  return {seen - kept, control_.remote};
}

}  // namespace smem::capture
