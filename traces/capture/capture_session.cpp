// SPDX-License-Identifier: Apache-2.0
#include "capture_session.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace smem::capture {

namespace {

struct Instrumentation {
  Sanitizer_InstructionId instruction;
  const char* callback;
};

constexpr std::array kInstrumentation = {
    Instrumentation{SANITIZER_INSTRUCTION_SHARED_MEMORY_ACCESS, "smemsim_memory"},
    Instrumentation{SANITIZER_INSTRUCTION_MATRIX_MEMORY_ACCESS, "smemsim_matrix"},
    Instrumentation{SANITIZER_INSTRUCTION_MEMCPY_ASYNC, "smemsim_async_copy"},
    Instrumentation{SANITIZER_INSTRUCTION_BARRIER, "smemsim_barrier"},
};

std::string readable(const std::string& mangled) {
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  const std::string name = status == 0 ? text : mangled;
  std::free(text);
  return name;
}

/// The number after "sm_" of the GPU's architecture, from a cubin's ELF flags.
unsigned sm_version(const std::vector<char>& cubin) {
  constexpr std::size_t kFlagsOffset = 48;
  if (cubin.size() <= kFlagsOffset + 1) return 0;
  const auto low = static_cast<unsigned char>(cubin[kFlagsOffset]);
  const auto next = static_cast<unsigned char>(cubin[kFlagsOffset + 1]);
  // Since CUDA 13 the version stands in the second byte, before in the first.
  return low >= 30 ? low : next;
}

void say(const std::string& text) {
  std::fprintf(stderr, "smemsim-capture: %s\n", text.c_str());
}

}  // namespace

CaptureSession::CaptureSession(CaptureOptions options) : options_(std::move(options)) {
  if (options_.patch.empty()) throw std::runtime_error("SMEMSIM_CAPTURE_PATCH is not set");
  if (options_.split()) {
    mkdir(options_.output.c_str(), 0777);
  } else {
    open_writer("");
  }
}

void CaptureSession::open_writer(const std::string& kernel_name) {
  file_ = options_.output;
  if (options_.split()) {
    std::string name = kernel_name.substr(0, kernel_name.find_first_of("(<"));
    name =
        name.substr(name.find_last_of(": ") == std::string::npos ? 0 : name.find_last_of(": ") + 1);
    char number[16];
    std::snprintf(number, sizeof number, "%04llu_",
                  static_cast<unsigned long long>(launches_seen_ - 1));
    file_ += number + name.substr(0, 80) + ".smt";
  }
  writer_ = std::make_unique<SmtWriter>(file_);
  writer_->set_capture_tool("smemsim-capture 0.1");
  if (const char* const gpu = std::getenv("SMEMSIM_CAPTURE_GPU")) writer_->set_gpu(gpu);
}

void CaptureSession::load_module(const Sanitizer_ResourceModuleData& module) {
  auto& ring = rings_[module.context];
  if (!ring) {
    require(sanitizerAddPatchesFromFile(options_.patch.c_str(), module.context),
            "loading " + options_.patch);
    ring = std::make_unique<RecordRing>(module.context);
  }
  for (const Instrumentation& patch : kInstrumentation) {
    require(sanitizerPatchInstructions(patch.instruction, module.module, patch.callback),
            patch.callback);
  }
  require(sanitizerPatchModule(module.module), "patching a module");
  modules_[module.module].assign(module.pCubin, module.pCubin + module.cubinSize);
}

void CaptureSession::unload_module(CUmodule module) {
  modules_.erase(module);
}

bool CaptureSession::wanted(const Sanitizer_LaunchData& launch) {
  ++launches_seen_;
  const std::string mangled = launch.functionName;
  if (!std::regex_search(mangled, options_.kernel) &&
      !std::regex_search(readable(mangled), options_.kernel)) {
    return false;
  }
  return ++launches_matching_ > options_.skip_launches && launches_captured_ < options_.launches;
}

std::function<Opcodes()> CaptureSession::disassembler(CUmodule module,
                                                      const std::string& function) const {
  const auto cubin = modules_.find(module);
  if (cubin == modules_.end()) return [] { return Opcodes(); };
  const std::span<const char> code = function_code(cubin->second, function);
  // A copy: it runs in the draining thread while other threads may load modules.
  return [code = std::vector<char>(code.begin(), code.end()), version = sm_version(cubin->second),
          program = options_.nvdisasm] {
    return code.empty() ? Opcodes() : disassemble(code, version, program);
  };
}

std::unique_ptr<LaunchTrace> CaptureSession::make_trace(const Sanitizer_LaunchData& launch) {
  const std::string function = launch.functionName;
  KernelInfo kernel;
  kernel.name = readable(function);
  kernel.grid = {launch.gridDim_x, launch.gridDim_y, launch.gridDim_z};
  kernel.block = {launch.blockDim_x, launch.blockDim_y, launch.blockDim_z};
  if (options_.split()) open_writer(kernel.name);
  std::uint64_t pc = 0, size_bytes = 0;
  require(sanitizerGetFunctionPcAndSize(launch.module, function.c_str(), &pc, &size_bytes),
          "finding " + function);
  return std::make_unique<LaunchTrace>(*writer_, writer_->add_kernel(kernel), pc, size_bytes,
                                       disassembler(launch.module, function));
}

void CaptureSession::begin_launch(const Sanitizer_LaunchData& launch) {
  const auto ring = rings_.find(launch.context);
  const bool capture = wanted(launch) && ring != rings_.end();
  if (capture && trace_) {
    throw std::runtime_error("two captured launches at once, from two threads: not supported");
  }
  require(sanitizerSetLaunchCallbackData(launch.hLaunch, launch.function, launch.hStream,
                                         capture ? ring->second->device_control() : nullptr),
          "callback data");
  if (!capture) return;
  ++launches_captured_;
  trace_ = make_trace(launch);
  ring->second->begin(options_.blocks, options_.records_per_launch, launch.hStream,
                      [this](const WarpRecord& record) { trace_->add(record); });
}

void CaptureSession::end_launch(const Sanitizer_LaunchData& launch) {
  if (!trace_) return;
  const Unrecorded unrecorded = rings_.at(launch.context)->end(launch.hStream);
  trace_->finish();
  writer_->flush();
  records_ += trace_->records();
  unrecorded_.beyond_limit += unrecorded.beyond_limit;
  unrecorded_.remote += unrecorded.remote;
  unknown_atomics_ += trace_->unknown_atomics();
  foreign_pcs_ += trace_->foreign_pcs();
  const bool empty = trace_->records() == 0;
  trace_.reset();
  if (options_.split()) {
    writer_->finish();
    writer_.reset();
    if (empty) unlink(file_.c_str());
  }
}

void CaptureSession::finish() {
  if (writer_) writer_->finish();
  writer_.reset();
  say(std::to_string(launches_captured_) + " of " + std::to_string(launches_seen_) +
      " launches captured, " + std::to_string(records_) + " records");
  if (unrecorded_.beyond_limit != 0) {
    say(std::to_string(unrecorded_.beyond_limit) + " accesses beyond the limit of " +
        std::to_string(options_.records_per_launch) + " records a launch were not recorded");
  }
  if (unrecorded_.remote != 0) {
    say(std::to_string(unrecorded_.remote) +
        " accesses to another block's shared memory were not recorded");
  }
  if (unknown_atomics_ != 0) {
    say(std::to_string(unknown_atomics_) + " atomics of unknown kind recorded as atom.add (no " +
        options_.nvdisasm + "?)");
  }
  if (foreign_pcs_ != 0) {
    say(std::to_string(foreign_pcs_) + " accesses in called functions: their pc is absolute");
  }
  if (graph_launches_ != 0) {
    say(std::to_string(graph_launches_) + " graph launches were not captured");
  }
}

}  // namespace smem::capture
