// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <new>
#include <sys/resource.h>
#include <system_error>
#include <thread>
#include <utility>

#include <sim/count/smt_replay.hpp>
#include <traces/smt/smt_info.hpp>

namespace smem {
namespace {

/// As many of `threads` as a limit of the address space has room for: each takes a stack, an arena
/// of the allocator, and a frame of records.
unsigned affordable(unsigned threads) {
  constexpr rlim_t kThreadBytes = rlim_t{128} << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return threads;
  return static_cast<unsigned>(std::clamp<rlim_t>(limit.rlim_cur / kThreadBytes, 1, threads));
}

}  // namespace

SmtReplay::SmtReplay(SmtFrameReader& frames, std::string name, const GpuSpec& spec, ReportBy by,
                     unsigned threads)
    : frames_(frames),
      name_(std::move(name)),
      spec_(spec),
      by_(by),
      threads_(affordable(std::min(threads, kMostThreads))),
      waiting_(threads_ + 2) {}

void SmtReplay::run(TallyReport& report) {
  report_ = &report;
  {
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < threads_) {
        others.emplace_back([this] {
          try {
            work();
          } catch (const std::bad_alloc&) {
            // It never began, and holds no part of the file.
          }
        });
      }
    } catch (const std::system_error&) {
      // The system gives no more threads: those there are do the work.
    }
    work();
  }
  if (failure_) std::rethrow_exception(failure_);
  if (damage_) throw TraceError(*damage_);
}

void SmtReplay::work() {
  Worker worker(name_, spec_, by_);
  while (take(worker)) {
    add_up(worker);
    deliver(worker);
  }
}

/// Gives the worker the file's next part; false when there is none.
bool SmtReplay::take(Worker& worker) {
  const std::lock_guard lock(cut_mutex_);
  if (at_end_ || !wait_for_room()) return false;
  worker.part = {};
  worker.number = next_part_++;
  try {
    at_end_ = !cut(worker);
  } catch (const TraceError& error) {
    worker.part.damage = error.what();
    at_end_ = true;
  } catch (...) {
    worker.part.failure = std::current_exception();
    at_end_ = true;
  }
  worker.kernel_count = cut_info_.kernels.size();
  return true;
}

/// Reads up to the next frame of records; false when the file has ended, soundly.
bool SmtReplay::cut(Worker& worker) {
  worker.frame.header.record_count = 0;
  while (true) {
    SmtFrame frame;
    frames_.read_frame(frame);
    if (frame.header.first_record != expected_record_) {
      frames_.fail("expected a frame that starts at record " + std::to_string(expected_record_) +
                   ", found one that starts at record " +
                   std::to_string(frame.header.first_record));
    }
    switch (frame.header.kind) {
      case SmtFrameKind::info: {
        const auto text = frames_.decompress(frame, SmtColumn::text);
        read_smt_info(frames_, text, cut_info_);
        worker.part.infos.emplace_back(text.begin(), text.end());
        break;
      }
      case SmtFrameKind::records:
        expected_record_ += frame.header.record_count;
        worker.frame = frame;
        worker.frame.keep_payloads(worker.payload);
        return true;
      case SmtFrameKind::index:
        read_smt_end(frames_, frame);
        return false;
    }
  }
}

void SmtReplay::add_up(Worker& worker) {
  Part& part = worker.part;
  if (worker.frame.header.record_count == 0 || part.damage || part.failure) return;
  SmtFrameDecoder& decoder = worker.decoder;
  try {
    decoder.decode(worker.frame, FrameTally::detail(by_));
    const std::size_t allowed = decoder.find_refused(0, worker.kernel_count);
    if (allowed != decoder.record_count()) {
      part.damage = decoder.record_error(worker.frame, allowed, worker.kernel_count);
    }
    worker.tally.add_up(decoder, allowed, part.rows);
    part.record_count = allowed;
  } catch (const TraceError& error) {
    part.damage = error.what();
  } catch (...) {
    part.failure = std::current_exception();
  }
}

/// Waits until the part after the last that was cut fits into `waiting_`; false after damage.
bool SmtReplay::wait_for_room() {
  std::unique_lock lock(merge_mutex_);
  room_.wait(lock, [&] { return stopped_ || next_part_ < merged_parts_ + waiting_.size(); });
  return !stopped_;
}

void SmtReplay::deliver(Worker& worker) {
  std::unique_lock lock(merge_mutex_);
  Part& place = waiting_[worker.number % waiting_.size()];
  place = std::move(worker.part);
  place.done = true;
  if (merging_) return;
  merging_ = true;
  for (Part* due = nullptr;
       (due = &waiting_[merged_parts_ % waiting_.size()])->done && !stopped_;) {
    Part part = std::exchange(*due, {});
    lock.unlock();
    merge(std::move(part));
    lock.lock();
    ++merged_parts_;
    stopped_ = damage_ || failure_;
    room_.notify_all();
  }
  merging_ = false;
}

void SmtReplay::merge(Part part) {
  try {
    for (const std::vector<char>& info : part.infos) read_smt_info(frames_, info, merged_info_);
    for (const PlaceTally& row : part.rows) report_->add(merged_info_, row);
    record_count_ += part.record_count;
    if (part.damage) damage_.emplace(*part.damage, record_count_);
    if (part.failure) failure_ = part.failure;
  } catch (...) {
    failure_ = std::current_exception();
  }
}

}  // namespace smem
