// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include <sim/output/output_file.hpp>

namespace smem {
namespace {

/// Devices, pipes and folders keep their place: a rename would put a plain file there.
bool can_be_replaced(const std::string& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

}  // namespace

OutputFile::OutputFile(std::string file)
    : file_(std::move(file)),
      partial_(can_be_replaced(file_) ? file_ + ".partial" : file_),
      stream_(partial_, std::ios::binary) {
  if (!stream_) {
    throw std::runtime_error(file_ +
                             ": expected a file that can be written: " + std::strerror(errno));
  }
}

OutputFile::~OutputFile() {
  if (!finished_) {
    stream_.close();
    if (partial_ != file_) std::remove(partial_.c_str());
  }
}

void OutputFile::finish() {
  stream_.close();
  if (!stream_ || (partial_ != file_ && std::rename(partial_.c_str(), file_.c_str()) != 0)) {
    throw std::runtime_error(file_ +
                             ": expected a file that can be written: " + std::strerror(errno));
  }
  finished_ = true;
}

}  // namespace smem
