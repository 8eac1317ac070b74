// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <traces/smt/smt_frame_reader.hpp>
#include <traces/trace_record.hpp>

namespace smem {

/// How many kernels or arrays in a row a reader that skips damage takes for lost with a frame.
inline constexpr std::uint32_t kSmtMaxLostNames = 4096;

/// Applies the text of an info frame to `info`; throws TraceError through `frames`. Elements come
/// in order; up to `most_lost` missing ones become unnamed ones.
void read_smt_info(const SmtFrameReader& frames, std::span<const char> text, TraceInfo& info,
                   std::uint32_t most_lost = 0);

/// Where a frame of records starts.
struct SmtIndexEntry {
  std::uint64_t byte_offset = 0;
  std::uint64_t first_record = 0;
};

/// What stands at the end of a file: everything the info frames said, and where frames start (every
/// frame of a short file, every second, fourth … of a long one).
struct SmtIndex {
  TraceInfo info;
  std::vector<SmtIndexEntry> entries;
};

/// Reads on from the first of the repeated info frames to the index frame.
[[nodiscard]] SmtIndex read_smt_index(SmtFrameReader& frames);

/// Checks a file's end: the index frame, and that the footer behind it counts as many records.
void read_smt_end(SmtFrameReader& frames, const SmtFrame& index_frame);

/// Takes the text of an index frame apart.
[[nodiscard]] std::vector<SmtIndexEntry> parse_smt_index(const SmtFrameReader& frames,
                                                         std::span<const char> text);

}  // namespace smem
