// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <traces/smt/smt_frame.hpp>

struct ZSTD_DCtx_s;

namespace smem {

/// Decompresses and decodes the columns of frames. Every failure is a TraceError "NAME: byte N:
/// expected …, found …".
class SmtColumnDecoder {
 public:
  explicit SmtColumnDecoder(std::string name);

  /// Decompresses a column and checks its checksum. The view lives until the next call.
  std::span<const char> decompress(const SmtFrame& frame, SmtColumn column);

  /// Decodes a column of `count` numbers of 8, 32 or 64 bits; a value that does not fit fails.
  template <class Value>
  void numbers(const SmtFrame& frame, SmtColumn column, std::size_t count,
               std::vector<Value>& values);

  [[noreturn]] void fail_at(std::uint64_t byte_offset, const std::string& message) const;

 private:
  std::string name_;
  std::vector<char> scratch_;
  std::unique_ptr<ZSTD_DCtx_s, std::size_t (*)(ZSTD_DCtx_s*)> context_;
};

extern template void SmtColumnDecoder::numbers(const SmtFrame&, SmtColumn, std::size_t,
                                               std::vector<std::uint8_t>&);
extern template void SmtColumnDecoder::numbers(const SmtFrame&, SmtColumn, std::size_t,
                                               std::vector<std::uint32_t>&);
extern template void SmtColumnDecoder::numbers(const SmtFrame&, SmtColumn, std::size_t,
                                               std::vector<std::uint64_t>&);

}  // namespace smem
