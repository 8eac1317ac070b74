// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include <clock/block_key.hpp>

namespace smem::clock {

/// The shared memory of every block as far as stores with known values have written it, by bank
/// word. A byte that is written by something whose value nobody knows becomes unknown again.
/// Grows with the number of words written; no other limit.
class StoredMemory {
 public:
  static constexpr std::uint32_t kMaxWordBytes = 16;

  struct Word {
    std::array<std::uint8_t, kMaxWordBytes> bytes{};
    std::uint16_t known_bytes = 0;  ///< bit b: byte b is known
  };
  using Words = std::map<std::uint32_t, Word>;  ///< by word index

  explicit StoredMemory(std::uint32_t word_bytes) : word_bytes_(word_bytes) {}

  std::uint32_t word_bytes() const { return word_bytes_; }

  void store(BlockKey block, std::uint32_t offset_bytes, std::uint8_t value) {
    Word& word = blocks_[block][offset_bytes / word_bytes_];
    word.bytes[offset_bytes % word_bytes_] = value;
    word.known_bytes = static_cast<std::uint16_t>(word.known_bytes | bit_of(offset_bytes));
    ++bytes_stored_;
  }

  void forget(BlockKey block, std::uint32_t offset_bytes) {
    const auto words = blocks_.find(block);
    if (words == blocks_.end()) return;
    const auto word = words->second.find(offset_bytes / word_bytes_);
    if (word == words->second.end()) return;
    word->second.known_bytes =
        static_cast<std::uint16_t>(word->second.known_bytes & ~bit_of(offset_bytes));
  }

  /// The byte at `offset_bytes`, if it is known.
  std::optional<std::uint8_t> byte(BlockKey block, std::uint32_t offset_bytes) const {
    const auto words = blocks_.find(block);
    if (words == blocks_.end()) return std::nullopt;
    const auto word = words->second.find(offset_bytes / word_bytes_);
    if (word == words->second.end()) return std::nullopt;
    if ((word->second.known_bytes & bit_of(offset_bytes)) == 0) return std::nullopt;
    return word->second.bytes[offset_bytes % word_bytes_];
  }

  /// In order of kernel, block and address.
  const std::map<BlockKey, Words>& blocks() const { return blocks_; }
  /// Bytes that came with a value, overwritten ones included.
  std::uint64_t bytes_stored() const { return bytes_stored_; }

 private:
  unsigned bit_of(std::uint32_t offset_bytes) const { return 1u << (offset_bytes % word_bytes_); }

  std::uint32_t word_bytes_;
  std::map<BlockKey, Words> blocks_;
  std::uint64_t bytes_stored_ = 0;
};

}  // namespace smem::clock
