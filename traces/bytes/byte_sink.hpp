// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string_view>

namespace smem {

/// Takes the bytes of a file, in order. Every member throws TraceError when they cannot be written.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::span<const char> bytes) = 0;
  /// Writes what is still held back. Nothing may be written after it.
  virtual void finish() = 0;
};

enum class Compression : std::uint8_t { none, gzip, zstd };

/// What a file's name asks for: .gz, .zst, or nothing.
[[nodiscard]] Compression compression_of(std::string_view file);

/// A sink that compresses into `out`, which must outlive it. `level` 0 is the method's usual one.
[[nodiscard]] std::unique_ptr<ByteSink> sink_into(std::ostream& out, Compression compression,
                                                  int level = 0);

}  // namespace smem
