// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <traces/smt/smt_format.hpp>

namespace smem {

/// A frame whose header is sound; its columns are still compressed.
struct SmtFrame {
  SmtFrameHeader header;
  std::uint64_t byte_offset = 0;  ///< in the file
  std::size_t head_bytes = 0;     ///< header and column entries
  std::array<SmtColumnEntry, kSmtColumnCount> entries{};
  std::array<std::span<const char>, kSmtColumnCount> payloads{};  ///< one behind the other

  [[nodiscard]] const SmtColumnEntry& entry(SmtColumn column) const {
    return entries[static_cast<std::size_t>(column)];
  }

  /// Points the payloads at `first` and what follows, by the sizes of the entries.
  void place_payloads(const char* first) {
    for (std::size_t index = 0; index < kSmtColumnCount; ++index) {
      payloads[index] = {first, entries[index].stored_bytes};
      first += entries[index].stored_bytes;
    }
  }

  /// Copies the payloads into `bytes`, so that they outlive where they were read.
  void keep_payloads(std::vector<char>& bytes) {
    bytes.assign(payloads.front().data(), payloads.front().data() + header.payload_bytes);
    place_payloads(bytes.data());
  }
};

}  // namespace smem
