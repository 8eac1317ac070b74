// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <unistd.h>

#include <sim/output/partial_files.hpp>

namespace smem {
namespace {

constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
constexpr std::size_t kMostPartials = 16;
constexpr unsigned kMostNames = 1000;

/// What a signal handler may look at: names in memory that is there from the start; "" = free.
std::array<std::array<char, PATH_MAX>, kMostPartials> partials{};

extern "C" void remove_partials_and_end(int signal) {
  for (const auto& partial : partials) {
    if (partial[0] != '\0') unlink(partial.data());
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void install_handlers() {
  for (const int signal : kEndingSignals) {
    struct sigaction present {};
    // What the process was started to ignore stays ignored.
    if (sigaction(signal, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) continue;
    struct sigaction wanted {};
    wanted.sa_handler = remove_partials_and_end;
    sigaction(signal, &wanted, nullptr);
  }
}

/// Keeps the signals that end the process waiting while it lives.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : kEndingSignals) sigaddset(&held, signal);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

bool remember(const std::string& partial) {
  if (partial.size() >= PATH_MAX) return false;
  for (auto& slot : partials) {
    if (slot[0] != '\0') continue;
    std::memcpy(slot.data(), partial.c_str(), partial.size() + 1);
    return true;
  }
  return false;
}

}  // namespace

int open_partial(const std::string& target, std::string& partial) {
  static std::once_flag installed;
  std::call_once(installed, install_handlers);
  // A short name: the target's may be as long as the file system allows. Absolute, so that the
  // handler finds it from any folder.
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::absolute(target, ignored).parent_path() /
                                       (".smemsim-" + std::to_string(getpid()) + "-");
  const SignalsHeld held;
  for (unsigned number = 0; number < kMostNames; ++number) {
    partial = folder.string() + std::to_string(number) + ".partial";
    // O_EXCL follows no link that somebody left under this name.
    const int descriptor =
        open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor >= 0 && !remember(partial)) {
      close(descriptor);
      unlink(partial.c_str());
      errno = ENAMETOOLONG;
      return -1;
    }
    return descriptor;
  }
  return -1;
}

void forget_partial(const std::string& partial) {
  const SignalsHeld held;
  for (auto& slot : partials) {
    if (partial == slot.data()) slot[0] = '\0';
  }
}

}  // namespace smem
