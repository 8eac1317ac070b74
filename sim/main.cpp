// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <new>
#include <string>

#include <sim/commands/commands.hpp>

namespace {

void print_help(std::ostream& out) {
  out << "smemsim: what a GPU's shared memory does with every access of a kernel:\n"
         "exactly in wavefronts and bank conflicts, within a few percent in cycles, and why.\n\n"
         "Usage: smemsim COMMAND …      smemsim COMMAND --help says more\n\n";
  for (const smem::Command& command : smem::commands()) {
    const std::string pad(command.name.size() < 10 ? 10 - command.name.size() : 1, ' ');
    out << "  " << command.name << pad << command.summary << '\n';
  }
  out << "\nA result goes to standard output, everything else to standard error.\n"
         "Exit code 0: done; 2: the command line does not fit the help (unknown command, option "
         "or\n"
         "word, text where a number belongs, options missing or at odds); 1: a file or a number "
         "in\n"
         "it cannot be used (missing, damaged, out of range, misaligned), or over a tolerance.\n";
}

/// One line on standard error, whatever bytes of a damaged file it quotes.
void print_error(std::string text) {
  for (char& character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7f) character = '?';
  }
  std::cerr << "smemsim: " << text << '\n';
}

int dispatch(const smem::Arguments& words) {
  if (words.empty()) {
    print_help(std::cerr);
    return smem::kExitUsage;
  }
  if (words[0] == "--help" || words[0] == "help") {
    print_help(std::cout);
    return smem::kExitOk;
  }
  if (words[0] == "--version") {
    std::cout << "smemsim " SMEMSIM_VERSION "\n";
    return smem::kExitOk;
  }
  for (const smem::Command& command : smem::commands()) {
    if (command.name == words[0]) return command.run({words.begin() + 1, words.end()});
  }
  throw smem::UsageError("expected a command, found '" + words[0] + "'; see smemsim --help");
}

/// Standard input, output and error that are closed become /dev/null: the next file opened would
/// take their number, and messages would land in it.
void open_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
      static_cast<void>(open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_descriptors();
  std::ios::sync_with_stdio(false);
  try {
    const int code = dispatch({argv + 1, argv + argc});
    std::cout.flush();
    if (!std::cout) throw std::runtime_error("standard output cannot be written");
    return code;
  } catch (const smem::UsageError& error) {
    print_error(error.what());
    return smem::kExitUsage;
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
    return smem::kExitFailed;
  } catch (const std::exception& error) {
    print_error(error.what());
    return smem::kExitFailed;
  }
}
