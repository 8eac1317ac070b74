// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <ostream>
#include <span>
#include <string>

namespace smem {

/// A result file that appears only when it is whole: written under a name of its own beside its
/// place, renamed by `finish`, removed when that never comes, also on SIGINT, SIGTERM, SIGHUP and
/// SIGPIPE. A symbolic link is written through. "-" is standard output; so is every name of what
/// standard output is already (/dev/stdout), likewise standard error. What exists and is no regular
/// file (a device, a pipe), and what is named through an open descriptor (/dev/fd/3), is written as
/// it is.
class OutputFile {
 public:
  /// Throws std::runtime_error "FILE: expected …, found …" when the file cannot be written, and
  /// when it exists and nobody may write it.
  explicit OutputFile(std::string file);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writing throws std::runtime_error, which names the file and the cause.
  [[nodiscard]] std::ostream& stream();
  /// Throws std::runtime_error when not everything could be written.
  void finish();

 private:
  class Buffer;

  void open_partial(const std::string& target);
  [[noreturn]] void fail(int cause) const;

  std::string file_;
  std::string target_;   ///< what `file_` names behind symbolic links
  std::string partial_;  ///< empty when the file is written in place
  std::unique_ptr<Buffer> buffer_;
  std::unique_ptr<std::ostream> stream_;
};

/// Refuses outputs that would destroy what is read, or each other: throws std::runtime_error when a
/// file of `outputs` is one of `inputs` (under whatever name) or of the other outputs. Empty names
/// are skipped.
void check_outputs(std::span<const std::string> outputs, std::span<const std::string> inputs);

}  // namespace smem
