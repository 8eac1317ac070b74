// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>

namespace smem {

/// A result file that appears only when it is whole: written beside its place, renamed by `finish`,
/// removed when that never comes. What exists and is no regular file (a device, a pipe) is written
/// as it is.
class OutputFile {
 public:
  /// Throws std::runtime_error when the file cannot be written.
  explicit OutputFile(std::string file);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return stream_; }
  void finish();

 private:
  std::string file_;
  std::string partial_;
  std::ofstream stream_;
  bool finished_ = false;
};

}  // namespace smem
