// SPDX-License-Identifier: Apache-2.0
#include <ostream>
#include <string>
#include <vector>

#include <zlib.h>
#include <zstd.h>

#include <traces/bytes/byte_sink.hpp>
#include <traces/trace_error.hpp>

namespace smem {
namespace {

constexpr std::size_t kBufferBytes = 1u << 16;

void put(std::ostream& out, const char* bytes, std::size_t size) {
  if (!out.write(bytes, static_cast<std::streamsize>(size))) {
    throw TraceError("expected to write " + std::to_string(size) + " bytes, found an error");
  }
}

void flush(std::ostream& out) {
  if (!out.flush()) throw TraceError("expected to write the end of a file, found an error");
}

class PlainSink : public ByteSink {
 public:
  explicit PlainSink(std::ostream& out) : out_(out) {}
  void write(std::span<const char> bytes) override { put(out_, bytes.data(), bytes.size()); }
  void finish() override { flush(out_); }

 private:
  std::ostream& out_;
};

class GzipSink : public ByteSink {
 public:
  GzipSink(std::ostream& out, int level) : out_(out), buffer_(kBufferBytes) {
    if (deflateInit2(&stream_, level == 0 ? Z_DEFAULT_COMPRESSION : level, Z_DEFLATED, 15 + 16, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw TraceError("expected a gzip level of 1 to 9, found " + std::to_string(level));
    }
  }
  ~GzipSink() override { deflateEnd(&stream_); }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;

  void write(std::span<const char> bytes) override {
    // zlib does not write through next_in; its type is older than const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    while (stream_.avail_in != 0) step(Z_NO_FLUSH);
  }
  void finish() override {
    while (step(Z_FINISH) != Z_STREAM_END) {
    }
    flush(out_);
  }

 private:
  int step(int mode) {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_out = static_cast<uInt>(buffer_.size());
    const int status = deflate(&stream_, mode);
    put(out_, buffer_.data(), buffer_.size() - stream_.avail_out);
    return status;
  }

  std::ostream& out_;
  std::vector<char> buffer_;
  z_stream stream_{};
};

class ZstdSink : public ByteSink {
 public:
  ZstdSink(std::ostream& out, int level)
      : out_(out), buffer_(kBufferBytes), context_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }
  void write(std::span<const char> bytes) override {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    while (input.pos != input.size) step(input, ZSTD_e_continue);
  }
  void finish() override {
    ZSTD_inBuffer input{nullptr, 0, 0};
    while (step(input, ZSTD_e_end) != 0) {
    }
    flush(out_);
  }

 private:
  std::size_t step(ZSTD_inBuffer& input, ZSTD_EndDirective mode) {
    ZSTD_outBuffer output{buffer_.data(), buffer_.size(), 0};
    const std::size_t left = ZSTD_compressStream2(context_.get(), &output, &input, mode);
    if (ZSTD_isError(left) != 0) {
      throw TraceError(std::string("expected to compress: ") + ZSTD_getErrorName(left));
    }
    put(out_, buffer_.data(), output.pos);
    return left;
  }

  std::ostream& out_;
  std::vector<char> buffer_;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_;
};

}  // namespace

Compression compression_of(std::string_view file) {
  if (file.ends_with(".gz")) return Compression::gzip;
  if (file.ends_with(".zst")) return Compression::zstd;
  return Compression::none;
}

std::unique_ptr<ByteSink> sink_into(std::ostream& out, Compression compression, int level) {
  switch (compression) {
    case Compression::gzip:
      return std::make_unique<GzipSink>(out, level);
    case Compression::zstd:
      return std::make_unique<ZstdSink>(out, level);
    case Compression::none:
      break;
  }
  return std::make_unique<PlainSink>(out);
}

}  // namespace smem
