// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <sanitizer.h>
#include <string>
#include <vector>

#include <traces/smt/smt_writer.hpp>

#include "capture_options.hpp"
#include "launch_trace.hpp"
#include "record_ring.hpp"

namespace smem::capture {

/// Everything between the program's first module and its end. Members throw std::exception; the
/// caller serialises them.
class CaptureSession {
 public:
  explicit CaptureSession(CaptureOptions options);

  void load_module(const Sanitizer_ResourceModuleData& module);
  void unload_module(CUmodule module);
  void begin_launch(const Sanitizer_LaunchData& launch);
  void end_launch(const Sanitizer_LaunchData& launch);
  void note_graph_launch() { ++graph_launches_; }

  /// Completes the file and says on stderr what was captured and what was not.
  void finish();

 private:
  bool wanted(const Sanitizer_LaunchData& launch);
  void open_writer(const std::string& kernel_name);
  std::unique_ptr<LaunchTrace> make_trace(const Sanitizer_LaunchData& launch);
  std::function<Opcodes()> disassembler(CUmodule module, const std::string& function) const;

  CaptureOptions options_;
  std::map<CUcontext, std::unique_ptr<RecordRing>> rings_;
  std::map<CUmodule, std::vector<char>> modules_;
  std::unique_ptr<SmtWriter> writer_;
  std::string file_;
  std::unique_ptr<LaunchTrace> trace_;  ///< of the launch that is being captured
  std::uint64_t launches_seen_ = 0;
  std::uint64_t launches_matching_ = 0;
  std::uint64_t launches_captured_ = 0;
  std::uint64_t records_ = 0;
  Unrecorded unrecorded_;
  std::uint64_t unknown_atomics_ = 0;
  std::uint64_t foreign_pcs_ = 0;
  std::uint64_t graph_launches_ = 0;
};

}  // namespace smem::capture
