// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include <traces/text/text_source.hpp>
#include <traces/trace_error.hpp>

namespace smem {
namespace {
constexpr std::size_t kFirstBufferBytes = 1u << 16;
}

TextSource::TextSource(std::unique_ptr<ByteSource> bytes, std::string name)
    : bytes_(std::move(bytes)), name_(std::move(name)), buffer_(kFirstBufferBytes) {}

TextSource::TextSource(const std::string& file) : TextSource(open_bytes(file), file) {}

bool TextSource::refill() {
  if (at_end_) return false;
  if (begin_ != 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(std::min(2 * buffer_.size(), 2 * kMaxLineBytes));
  std::size_t size = 0;
  try {
    size = bytes_->read(std::span(buffer_).subspan(end_));
  } catch (const TraceError& error) {  // give the damage a line
    std::string_view message = error.what();
    if (message.starts_with(name_ + ": ")) message.remove_prefix(name_.size() + 2);
    ++line_number_;
    fail(std::string(message), 0);
  }
  end_ += size;
  at_end_ = size == 0;
  return !at_end_;
}

bool TextSource::next_line(std::string_view& line) {
  std::size_t searched = 0;
  while (true) {
    const char* start = buffer_.data() + begin_;
    const std::size_t size = end_ - begin_;
    const void* found =
        size == searched ? nullptr : std::memchr(start + searched, '\n', size - searched);
    if (found != nullptr || (at_end_ && size != 0)) {
      const std::size_t length =
          found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - start)
                           : size;
      line = std::string_view(start, length);
      begin_ += length + (found != nullptr ? 1 : 0);
      line_was_ended_ = found != nullptr;
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      // What spreadsheets and PowerShell put before the first line.
      if (line_number_ == 0 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
      ++line_number_;
      return true;
    }
    if (at_end_) return false;
    searched = size;
    if (size >= kMaxLineBytes) {
      ++line_number_;
      fail("expected a line of at most " + std::to_string(kMaxLineBytes) + " bytes", 0);
    }
    refill();
  }
}

std::string_view TextSource::peek(std::size_t bytes) {
  while (end_ - begin_ < bytes && refill()) {
  }
  return {buffer_.data() + begin_, std::min(bytes, end_ - begin_)};
}

void TextSource::fail(const std::string& message, std::uint64_t good_records) const {
  throw TraceError(place(line_number_) + ": " + message, good_records);
}

}  // namespace smem
