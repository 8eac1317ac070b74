// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <sim/output_file.hpp>

namespace smem {

OutputFile::OutputFile(std::string file)
    : file_(std::move(file)), partial_(file_ + ".partial"), stream_(partial_, std::ios::binary) {
  if (!stream_) {
    throw std::runtime_error(file_ +
                             ": expected a file that can be written: " + std::strerror(errno));
  }
}

OutputFile::~OutputFile() {
  if (!finished_) {
    stream_.close();
    std::remove(partial_.c_str());
  }
}

void OutputFile::finish() {
  stream_.close();
  if (!stream_ || std::rename(partial_.c_str(), file_.c_str()) != 0) {
    throw std::runtime_error(file_ +
                             ": expected a file that can be written: " + std::strerror(errno));
  }
  finished_ = true;
}

}  // namespace smem
