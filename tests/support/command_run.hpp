// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace smem::test {

/// What a run of the smemsim binary left behind.
struct CommandRun {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// Runs the built `smemsim` with `arguments`, its standard input empty.
CommandRun run_smemsim(const std::vector<std::string>& arguments);

/// A folder of its own for one test, removed afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  /// Writes `content` into a file and returns its path.
  std::string write(const std::string& name, const std::string& content) const;

 private:
  std::string folder_;
};

/// The whole content of a file.
std::string read_file(const std::string& file);

/// A file of the source tree.
std::string source_file(const std::string& relative);

}  // namespace smem::test
