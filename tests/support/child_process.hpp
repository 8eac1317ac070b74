// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace smem::test {

/// Runs `work` in a child process and returns its text. SystemC elaborates once in a process, so
/// what builds a model of its own runs here, and in a process that has not simulated.
template <class Work>
std::string in_child(const Work& work) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = work();
    const bool written =
        write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char buffer[512];
  for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "the process failed: " + text;
}

}  // namespace smem::test
