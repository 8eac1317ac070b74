// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <streambuf>
#include <sys/stat.h>
#include <unistd.h>

#include <sim/output/output_file.hpp>
#include <sim/output/partial_files.hpp>

namespace smem {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as many as the system follows

/// Where a name leads behind symbolic links, whether or not something is there; nothing when it
/// leads through the descriptors of a process, or in a circle.
std::optional<std::string> link_target(const std::string& file) {
  fs::path path = file;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(path, error))) return path.string();
    const fs::path folder = fs::weakly_canonical(fs::absolute(path).parent_path(), error);
    if (folder.string().starts_with("/proc/")) return std::nullopt;
    path = folder / fs::read_symlink(path, error);
    if (error) return std::nullopt;
  }
  return std::nullopt;
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Whether `file` is what `descriptor` writes to.
bool names_descriptor(const std::string& file, int descriptor) {
  struct stat named {};
  struct stat opened {};
  return stat(file.c_str(), &named) == 0 && fstat(descriptor, &opened) == 0 &&
         is_same_file(named, opened);
}

}  // namespace

/// Buffers what goes to a descriptor. A failed write throws, and the stream hands that on.
class OutputFile::Buffer : public std::streambuf {
 public:
  Buffer(const OutputFile& owner, int descriptor, bool owned)
      : owner_(owner), descriptor_(descriptor), owned_(owned) {
    setp(bytes_.data(), bytes_.data() + bytes_.size());
  }
  ~Buffer() override {
    if (owned_) ::close(descriptor_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void close() {
    sync();
    if (owned_ && ::close(descriptor_) != 0) owner_.fail(errno);
    owned_ = false;
  }
  int descriptor() const { return descriptor_; }

 protected:
  int_type overflow(int_type character) override {
    sync();
    if (character != traits_type::eof()) sputc(static_cast<char>(character));
    return traits_type::not_eof(character);
  }
  int sync() override {
    const char* next = pbase();
    const char* const end = pptr();
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    while (next != end) {
      const ssize_t written = ::write(descriptor_, next, static_cast<std::size_t>(end - next));
      if (written < 0 && errno != EINTR) owner_.fail(errno);
      if (written > 0) next += written;
    }
    return 0;
  }

 private:
  const OutputFile& owner_;
  int descriptor_;
  bool owned_;
  std::array<char, 1u << 16> bytes_{};
};

OutputFile::OutputFile(std::string file) : file_(std::move(file)) {
  struct stat status {};
  const bool exists = stat(file_.c_str(), &status) == 0;
  if (file_ == "-" || (exists && names_descriptor(file_, STDOUT_FILENO))) {
    if (file_ == "-") file_ = "standard output";
    std::cout.flush();
    buffer_ = std::make_unique<Buffer>(*this, STDOUT_FILENO, false);
  } else if (exists && names_descriptor(file_, STDERR_FILENO)) {
    buffer_ = std::make_unique<Buffer>(*this, STDERR_FILENO, false);
  } else {
    const std::optional<std::string> target = link_target(file_);
    const bool is_regular = !exists || S_ISREG(status.st_mode);
    if (exists && is_regular &&
        ((status.st_mode & 0222) == 0 || access(file_.c_str(), W_OK) != 0)) {
      throw std::runtime_error(file_ +
                               ": expected a file that may be written, found one without "
                               "write permission");
    }
    if (target && is_regular) open_partial(*target);
    if (!buffer_) {
      const int descriptor = open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
      if (descriptor < 0) fail(errno);
      buffer_ = std::make_unique<Buffer>(*this, descriptor, true);
    }
  }
  stream_ = std::make_unique<std::ostream>(buffer_.get());
  stream_->exceptions(std::ios::badbit);
}

void OutputFile::open_partial(const std::string& target) {
  const int descriptor = smem::open_partial(target, partial_);
  struct stat status {};
  const bool exists = stat(target.c_str(), &status) == 0;
  if (descriptor < 0) {
    partial_.clear();
    // Where the folder takes no new file, one that is there is written in place.
    if (!exists) fail(errno);
    return;
  }
  if (exists) static_cast<void>(fchmod(descriptor, status.st_mode & 07777));
  target_ = target;
  buffer_ = std::make_unique<Buffer>(*this, descriptor, true);
}

OutputFile::~OutputFile() {
  if (partial_.empty()) return;
  std::remove(partial_.c_str());
  forget_partial(partial_);
}

std::ostream& OutputFile::stream() {
  return *stream_;
}

void OutputFile::finish() {
  buffer_->close();
  if (partial_.empty()) return;
  if (std::rename(partial_.c_str(), target_.c_str()) != 0) fail(errno);
  forget_partial(partial_);
  partial_.clear();
}

void OutputFile::fail(int cause) const {
  throw std::runtime_error(file_ +
                           ": expected a file that can be written, found: " + std::strerror(cause));
}

void check_outputs(std::span<const std::string> outputs, std::span<const std::string> inputs) {
  const auto same = [](const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return false;
    if (a == b) return true;
    struct stat first {};
    struct stat second {};
    if (stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0) {
      return S_ISREG(first.st_mode) && is_same_file(first, second);
    }
    std::error_code error;
    return fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error);
  };
  for (std::size_t index = 0; index < outputs.size(); ++index) {
    for (const std::string& input : inputs) {
      if (input != "-" && same(outputs[index], input)) {
        throw std::runtime_error(outputs[index] + ": expected an output that is not read, found " +
                                 "the input " + input);
      }
    }
    for (std::size_t other = 0; other < index; ++other) {
      if (same(outputs[index], outputs[other])) {
        throw std::runtime_error(outputs[index] +
                                 ": expected a file for each output, found it "
                                 "named twice");
      }
    }
  }
}

}  // namespace smem
