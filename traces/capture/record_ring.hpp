// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <sanitizer.h>
#include <string>
#include <thread>

#include "capture_record.hpp"

namespace smem::capture {

/// Accesses of a launch that the device counted but did not record.
struct Unrecorded {
  std::uint64_t beyond_limit = 0;
  std::uint64_t remote = 0;  ///< to the shared memory of another block of the cluster
};

/// The ring between device and host for one context, drained by a thread of its own while a
/// launch runs, so that a full ring makes the device wait instead of losing records.
class RecordRing {
 public:
  /// Throws std::runtime_error when the memory cannot be had.
  explicit RecordRing(CUcontext context);

  /// Empties the ring, sets the limits and starts the draining thread; `take` runs there.
  void begin(std::uint64_t block_limit, std::uint64_t record_limit, Sanitizer_StreamHandle stream,
             std::function<void(const WarpRecord&)> take);

  /// To be called once the launch has finished on the device: waits for the thread to take the
  /// last record. Throws what `take` threw, and std::runtime_error when a record is missing.
  Unrecorded end(Sanitizer_StreamHandle stream);

  /// For sanitizerSetLaunchCallbackData.
  [[nodiscard]] const void* device_control() const { return device_control_; }

 private:
  void drain();

  static constexpr std::uint64_t kCapacityRecords = std::uint64_t{1} << 16;

  CaptureControl control_{};
  CaptureControl* device_control_ = nullptr;
  volatile std::uint64_t* drained_ = nullptr;
  std::uint64_t taken_ = 0;
  std::function<void(const WarpRecord&)> take_;
  std::atomic<bool> stop_{false};
  std::string error_;
  std::thread thread_;
};

/// Throws std::runtime_error naming `what` unless `result` is success.
void require(SanitizerResult result, const std::string& what);

}  // namespace smem::capture
