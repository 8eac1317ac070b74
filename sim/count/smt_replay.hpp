// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <sim/count/frame_tally.hpp>
#include <traces/smt/smt_frame_reader.hpp>
#include <traces/trace_reader.hpp>

namespace smem {

/// Counts an .smt file with several threads: each by turns cuts a frame off the file, decodes and
/// adds it up; whoever has finished the frame that is due merges it, and those waiting behind it,
/// into the report. So the report, and what is said of damage, are those of one thread.
///
///   thread 0   cut 0 | decode, add up 0 ......... | merge 0 1 | cut 2 | ...
///   thread 1         | cut 1 | decode, add up 1 | cut 3 | decode, add up 3 ...
class SmtReplay {
 public:
  static constexpr unsigned kMostThreads = 64;

  /// `frames` stands behind the file header, `name` is the file's in messages. `threads` is at
  /// least 1.
  SmtReplay(SmtFrameReader& frames, std::string name, const GpuSpec& spec, ReportBy by,
            unsigned threads);

  /// Adds every record to `report`. Throws TraceError where the file is damaged or a record is
  /// not allowed, after the records before that place have been added. Call it once.
  void run(TallyReport& report);

  std::uint64_t record_count() const { return record_count_; }

 private:
  /// Patterns that a thread remembers from frame to frame; they bound its memory.
  static constexpr std::size_t kRememberedPatterns = std::size_t{1} << 12;

  /// One frame on its way: what precedes its records, and what became of them.
  struct Part {
    std::vector<std::vector<char>> infos;  ///< texts of the info frames before it
    std::vector<PlaceTally> rows;
    std::size_t record_count = 0;       ///< allowed ones
    std::optional<std::string> damage;  ///< what ends the file behind those
    std::exception_ptr failure;         ///< anything else that went wrong
    bool done = false;
  };
  /// What one thread works with.
  struct Worker {
    Worker(const std::string& name, const GpuSpec& spec, ReportBy by)
        : decoder(name, spec, kRememberedPatterns), tally(spec, by) {}

    SmtFrameDecoder decoder;
    FrameTally tally;
    SmtFrame frame;
    std::vector<char> payload;
    std::size_t kernel_count = 0;
    std::uint64_t number = 0;  ///< of the part it works on
    Part part;
  };

  void work();
  bool take(Worker& worker);
  bool cut(Worker& worker);
  void add_up(Worker& worker);
  void deliver(Worker& worker);
  void merge(Part part);
  bool wait_for_room();

  SmtFrameReader& frames_;
  std::string name_;
  GpuSpec spec_;
  ReportBy by_;
  unsigned threads_;
  TallyReport* report_ = nullptr;

  std::mutex cut_mutex_;  ///< of what follows
  TraceInfo cut_info_;
  std::uint64_t expected_record_ = 0;
  std::uint64_t next_part_ = 0;
  bool at_end_ = false;

  std::mutex merge_mutex_;  ///< of what follows; `merge` itself has the rest to itself
  std::condition_variable room_;
  std::vector<Part> waiting_;  ///< part n at n modulo their number
  std::uint64_t merged_parts_ = 0;
  bool merging_ = false;
  bool stopped_ = false;

  TraceInfo merged_info_;
  std::uint64_t record_count_ = 0;
  std::optional<TraceError> damage_;
  std::exception_ptr failure_;
};

}  // namespace smem
