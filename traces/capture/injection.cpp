// SPDX-License-Identifier: Apache-2.0
// The library that the CUDA driver loads through CUDA_INJECTION64_PATH.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <sanitizer.h>
#include <unistd.h>

#include "capture_session.hpp"

namespace smem::capture {

namespace {

/// Never destroyed: callbacks may still come while the process ends.
struct Injection {
  std::recursive_mutex mutex;
  std::unique_ptr<CaptureSession> session;
};

Injection& injection() {
  static Injection* const the_one = new Injection;
  return *the_one;
}

/// A trace with a hole would pass for a complete one, so the program ends here.
[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "smemsim-capture: %s\n", what);
  _exit(1);
}

void dispatch(CaptureSession& session, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
              const void* data) {
  if (domain == SANITIZER_CB_DOMAIN_RESOURCE) {
    const auto& module = *static_cast<const Sanitizer_ResourceModuleData*>(data);
    if (id == SANITIZER_CBID_RESOURCE_MODULE_LOADED) session.load_module(module);
    if (id == SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING) session.unload_module(module.module);
  } else if (domain == SANITIZER_CB_DOMAIN_LAUNCH) {
    const auto& launch = *static_cast<const Sanitizer_LaunchData*>(data);
    if (id == SANITIZER_CBID_LAUNCH_BEGIN) session.begin_launch(launch);
    if (id == SANITIZER_CBID_LAUNCH_END) session.end_launch(launch);
  } else if (domain == SANITIZER_CB_DOMAIN_GRAPHS) {
    if (id == SANITIZER_CBID_GRAPHS_LAUNCH_BEGIN) session.note_graph_launch();
  }
}

void SANITIZERAPI on_callback(void*, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
                              const void* data) {
  Injection& state = injection();
  const std::lock_guard lock(state.mutex);
  if (!state.session) return;
  try {
    dispatch(*state.session, domain, id, data);
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void finish_at_exit() {
  Injection& state = injection();
  const std::lock_guard lock(state.mutex);
  try {
    if (state.session) state.session->finish();
  } catch (const std::exception& error) {
    fail(error.what());
  }
  state.session.release();  // its device memory went with the context
}

}  // namespace

}  // namespace smem::capture

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using namespace smem::capture;
  try {
    injection().session = std::make_unique<CaptureSession>(read_capture_options());
    Sanitizer_SubscriberHandle subscriber;
    require(sanitizerSubscribe(&subscriber, on_callback, nullptr), "subscribing");
    for (const auto domain :
         {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CB_DOMAIN_GRAPHS}) {
      require(sanitizerEnableDomain(1, subscriber, domain), "enabling callbacks");
    }
  } catch (const std::exception& error) {
    fail(error.what());
  }
  std::atexit(finish_at_exit);
  return 1;
}
