// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>

#include <zstd.h>

#include <traces/smt/smt_column_decoder.hpp>
#include <traces/trace_error.hpp>

namespace smem {

SmtColumnDecoder::SmtColumnDecoder(std::string name)
    : name_(std::move(name)), context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {}

void SmtColumnDecoder::fail_at(std::uint64_t byte_offset, const std::string& message) const {
  throw TraceError(name_ + ": byte " + std::to_string(byte_offset) + ": " + message);
}

std::span<const char> SmtColumnDecoder::decompress(const SmtFrame& frame, SmtColumn column) {
  const SmtColumnEntry& entry = frame.entry(column);
  const std::span<const char> payload = frame.payloads[static_cast<std::size_t>(column)];
  if (scratch_.size() < entry.raw_bytes) scratch_.resize(entry.raw_bytes);
  if (entry.raw_bytes == 0) return {};
  const std::size_t size = ZSTD_decompressDCtx(context_.get(), scratch_.data(), entry.raw_bytes,
                                               payload.data(), payload.size());
  const auto at = frame.byte_offset + frame.head_bytes +
                  static_cast<std::uint64_t>(payload.data() - frame.payloads.front().data());
  if (ZSTD_isError(size) != 0) {
    fail_at(at, std::string("expected sound zstd data, found: ") + ZSTD_getErrorName(size));
  }
  if (size != entry.raw_bytes) {
    fail_at(at, "expected " + std::to_string(entry.raw_bytes) + " bytes, found " +
                    std::to_string(size));
  }
  return {scratch_.data(), size};
}

namespace {

template <class Stored, class Value>
std::uint64_t decode_plain(const char* bytes, std::uint64_t minimum, std::span<Value> values) {
  std::uint64_t seen = 0;
  for (std::size_t index = 0; index < values.size(); ++index) {
    Stored stored;
    std::memcpy(&stored, bytes + index * sizeof(Stored), sizeof(Stored));
    const std::uint64_t value = minimum + stored;
    seen |= value;
    values[index] = static_cast<Value>(value);
  }
  return seen;
}

template <class Stored, class Value>
std::uint64_t decode_delta(const char* bytes, const SmtColumnEntry& entry,
                           std::span<Value> values) {
  std::uint64_t value = entry.first;
  std::uint64_t seen = value;
  values[0] = static_cast<Value>(value);
  for (std::size_t index = 1; index < values.size(); ++index) {
    Stored stored;
    std::memcpy(&stored, bytes + index * sizeof(Stored), sizeof(Stored));
    value += entry.minimum + stored;
    seen |= value;
    values[index] = static_cast<Value>(value);
  }
  return seen;
}

template <class Stored, class Value>
std::uint64_t decode_as(const char* bytes, const SmtColumnEntry& entry, std::span<Value> values) {
  return entry.encoding == SmtEncoding::delta ? decode_delta<Stored>(bytes, entry, values)
                                              : decode_plain<Stored>(bytes, entry.minimum, values);
}

template <class Value>
std::uint64_t decode_steps(const SmtColumnEntry& entry, std::span<Value> values) {
  if (entry.encoding == SmtEncoding::plain) {
    std::fill(values.begin(), values.end(), static_cast<Value>(entry.minimum));
    return entry.minimum;
  }
  std::uint64_t value = entry.first;
  std::uint64_t seen = 0;
  for (Value& into : values) {
    seen |= value;
    into = static_cast<Value>(value);
    value += entry.minimum;
  }
  return seen;
}

}  // namespace

template <class Value>
void SmtColumnDecoder::numbers(const SmtFrame& frame, SmtColumn column, std::size_t count,
                               std::vector<Value>& values) {
  values.resize(count);
  if (count == 0) return;
  const SmtColumnEntry& entry = frame.entry(column);
  const char* bytes = decompress(frame, column).data();
  const std::span<Value> into(values);
  std::uint64_t seen = 0;
  switch (entry.width_bytes) {
    case 0:
      seen = decode_steps(entry, into);
      break;
    case 1:
      seen = decode_as<std::uint8_t>(bytes, entry, into);
      break;
    case 2:
      seen = decode_as<std::uint16_t>(bytes, entry, into);
      break;
    case 4:
      seen = decode_as<std::uint32_t>(bytes, entry, into);
      break;
    default:
      seen = decode_as<std::uint64_t>(bytes, entry, into);
      break;
  }
  if (seen > std::numeric_limits<Value>::max()) {
    fail_at(frame.byte_offset, "expected numbers of at most " + std::to_string(8 * sizeof(Value)) +
                                   " bits in column " +
                                   std::to_string(static_cast<unsigned>(column)) +
                                   " of the frame, found larger ones");
  }
}

template void SmtColumnDecoder::numbers(const SmtFrame&, SmtColumn, std::size_t,
                                        std::vector<std::uint8_t>&);
template void SmtColumnDecoder::numbers(const SmtFrame&, SmtColumn, std::size_t,
                                        std::vector<std::uint32_t>&);
template void SmtColumnDecoder::numbers(const SmtFrame&, SmtColumn, std::size_t,
                                        std::vector<std::uint64_t>&);

}  // namespace smem
