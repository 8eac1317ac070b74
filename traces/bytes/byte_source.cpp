// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <traces/bytes/byte_source.hpp>
#include <traces/trace_error.hpp>

namespace smem {
namespace {

class MemoryBytes : public ByteSource {
 public:
  explicit MemoryBytes(std::span<const char> content) : content_(content) {}

  std::size_t read(std::span<char> out) override {
    const std::size_t size = std::min(out.size(), content_.size());
    if (size != 0) std::memcpy(out.data(), content_.data(), size);
    content_ = content_.subspan(size);
    return size;
  }

 private:
  std::span<const char> content_;
};

class FileBytes : public ByteSource {
 public:
  explicit FileBytes(const std::string& file) : name_(file) {
    file_ = file == "-" ? stdin : std::fopen(file.c_str(), "rb");
    if (file_ == nullptr) {
      throw TraceError(file + ": expected a readable file: " + std::strerror(errno));
    }
  }
  ~FileBytes() override {
    if (file_ != stdin) std::fclose(file_);
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::size_t read(std::span<char> out) override {
    const std::size_t size = std::fread(out.data(), 1, out.size(), file_);
    if (size < out.size() && std::ferror(file_) != 0) {
      throw TraceError(name_ + ": expected a readable file: " + std::strerror(errno));
    }
    return size;
  }

 private:
  std::string name_;
  std::FILE* file_;
};

/// Gives back the bytes that were read to recognise the format.
class PrefixedBytes : public ByteSource {
 public:
  PrefixedBytes(std::string prefix, std::unique_ptr<ByteSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  std::size_t read(std::span<char> out) override {
    if (used_ == prefix_.size()) return rest_->read(out);
    const std::size_t size = std::min(out.size(), prefix_.size() - used_);
    std::memcpy(out.data(), prefix_.data() + used_, size);
    used_ += size;
    return size;
  }

 private:
  std::string prefix_;
  std::size_t used_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

/// What the three decompressors share: the compressed input buffer and the messages.
class CompressedBytes : public ByteSource {
 protected:
  CompressedBytes(std::unique_ptr<ByteSource> compressed, std::string name)
      : compressed_(std::move(compressed)), name_(std::move(name)), input_(1u << 16) {}

  std::span<char> more_input() {
    const std::size_t size = compressed_->read(input_);
    consumed_bytes_ += size;
    return std::span<char>(input_).first(size);
  }
  [[noreturn]] void fail(const char* format, const std::string& found) const {
    throw TraceError(name_ + ": byte " + std::to_string(consumed_bytes_) + ": expected " + format +
                     " data to its end, found " + found);
  }

 private:
  std::unique_ptr<ByteSource> compressed_;
  std::string name_;
  std::vector<char> input_;
  std::size_t consumed_bytes_ = 0;
};

class GzipBytes : public CompressedBytes {
 public:
  GzipBytes(std::unique_ptr<ByteSource> compressed, std::string name)
      : CompressedBytes(std::move(compressed), std::move(name)) {
    inflateInit2(&stream_, 15 + 16);
  }
  ~GzipBytes() override { inflateEnd(&stream_); }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;

  std::size_t read(std::span<char> out) override {
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    while (stream_.avail_out == out.size() && !out.empty()) {
      if (stream_.avail_in == 0) {
        const auto input = more_input();
        if (input.empty()) {
          if (!in_member_) return 0;
          fail("gzip", "the end of the file");
        }
        stream_.next_in = reinterpret_cast<Bytef*>(input.data());
        stream_.avail_in = static_cast<uInt>(input.size());
      }
      if (!in_member_) inflateReset(&stream_);
      in_member_ = true;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        in_member_ = false;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        fail("gzip", stream_.msg != nullptr ? stream_.msg : "damage");
      }
    }
    return out.size() - stream_.avail_out;
  }

 private:
  z_stream stream_{};
  bool in_member_ = true;
};

class ZstdBytes : public CompressedBytes {
 public:
  ZstdBytes(std::unique_ptr<ByteSource> compressed, std::string name)
      : CompressedBytes(std::move(compressed), std::move(name)), context_(ZSTD_createDCtx()) {
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, 27);
  }
  ~ZstdBytes() override { ZSTD_freeDCtx(context_); }
  ZstdBytes(const ZstdBytes&) = delete;
  ZstdBytes& operator=(const ZstdBytes&) = delete;

  std::size_t read(std::span<char> out) override {
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    while (output.pos == 0 && !out.empty()) {
      // A decoder that filled the last output may hold more without new input.
      if (pending_.pos == pending_.size && !holds_output_) {
        const auto input = more_input();
        if (input.empty()) {
          if (!in_frame_) return 0;
          fail("zstd", "the end of the file");
        }
        pending_ = {input.data(), input.size(), 0};
      }
      const std::size_t left = ZSTD_decompressStream(context_, &output, &pending_);
      if (ZSTD_isError(left)) fail("zstd", ZSTD_getErrorName(left));
      in_frame_ = left != 0;
      holds_output_ = output.pos == output.size && in_frame_;
    }
    return output.pos;
  }

 private:
  ZSTD_DCtx* context_;
  ZSTD_inBuffer pending_{nullptr, 0, 0};
  bool in_frame_ = true;
  bool holds_output_ = false;
};

class XzBytes : public CompressedBytes {
 public:
  XzBytes(std::unique_ptr<ByteSource> compressed, std::string name)
      : CompressedBytes(std::move(compressed), std::move(name)) {
    constexpr std::uint64_t kMemoryLimitBytes = 256u << 20;
    if (lzma_stream_decoder(&stream_, kMemoryLimitBytes, LZMA_CONCATENATED) != LZMA_OK) {
      fail("xz", "no memory for the decoder");
    }
  }
  ~XzBytes() override { lzma_end(&stream_); }
  XzBytes(const XzBytes&) = delete;
  XzBytes& operator=(const XzBytes&) = delete;

  std::size_t read(std::span<char> out) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    while (stream_.avail_out == out.size() && !finished_ && !out.empty()) {
      lzma_action action = LZMA_RUN;
      if (stream_.avail_in == 0) {
        const auto input = more_input();
        stream_.next_in = reinterpret_cast<const std::uint8_t*>(input.data());
        stream_.avail_in = input.size();
        if (input.empty()) action = LZMA_FINISH;
      }
      const lzma_ret status = lzma_code(&stream_, action);
      if (status == LZMA_STREAM_END) {
        finished_ = true;
      } else if (status != LZMA_OK) {
        fail("xz", status == LZMA_BUF_ERROR ? "the end of the file" : "damage");
      }
    }
    return out.size() - stream_.avail_out;
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool finished_ = false;
};

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> raw, const std::string& name) {
  std::string prefix(6, '\0');
  std::size_t size = 0;
  while (size < prefix.size()) {
    const std::size_t got = raw->read(std::span(prefix).subspan(size));
    if (got == 0) break;
    size += got;
  }
  prefix.resize(size);
  const std::string_view magic = prefix;
  using std::string_view_literals::operator""sv;
  const bool gzip = magic.starts_with("\x1f\x8b"sv);
  const bool zstd = magic.starts_with("\x28\xb5\x2f\xfd"sv);
  const bool xz = magic.starts_with("\xfd\x37\x7a\x58\x5a\x00"sv);
  auto whole = std::make_unique<PrefixedBytes>(std::move(prefix), std::move(raw));
  if (gzip) return std::make_unique<GzipBytes>(std::move(whole), name);
  if (zstd) return std::make_unique<ZstdBytes>(std::move(whole), name);
  if (xz) return std::make_unique<XzBytes>(std::move(whole), name);
  return whole;
}

}  // namespace

std::unique_ptr<ByteSource> with_prefix(std::string prefix, std::unique_ptr<ByteSource> rest) {
  return std::make_unique<PrefixedBytes>(std::move(prefix), std::move(rest));
}

std::unique_ptr<ByteSource> open_bytes(const std::string& file) {
  return decompressed(std::make_unique<FileBytes>(file), file);
}

std::unique_ptr<ByteSource> open_bytes(std::span<const char> content, const std::string& name) {
  return decompressed(std::make_unique<MemoryBytes>(content), name);
}

}  // namespace smem
