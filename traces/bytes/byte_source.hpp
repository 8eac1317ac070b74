// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace smem {

/// Bytes of a file, decompressed.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills `out` as far as possible; returns how many bytes, 0 only at the end. Throws TraceError
  /// when the file cannot be read, or its compressed data is truncated or corrupt.
  virtual std::size_t read(std::span<char> out) = 0;
};

/// Opens `file` ("-" = standard input): plain, gzip, zstd or xz, told apart by the first bytes.
/// Throws TraceError when it cannot be opened.
[[nodiscard]] std::unique_ptr<ByteSource> open_bytes(const std::string& file);

/// The same over bytes in memory, which must outlive the source; `name` stands in messages.
[[nodiscard]] std::unique_ptr<ByteSource> open_bytes(std::span<const char> content,
                                                     const std::string& name);

/// `prefix`, then `rest`: gives back what was read to recognise a format.
[[nodiscard]] std::unique_ptr<ByteSource> with_prefix(std::string prefix,
                                                      std::unique_ptr<ByteSource> rest);

}  // namespace smem
