// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>

#include <tests/support/command_run.hpp>

namespace smem::test {

CommandRun run_smemsim(const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  std::string line = SMEMSIM_BINARY;
  for (const std::string& argument : arguments) {
    line += " '";
    for (const char character : argument) {
      line += character == '\'' ? "'\\''" : std::string(1, character);
    }
    line += "'";
  }
  line += " >" + folder.path("out") + " 2>" + folder.path("err") + " </dev/null";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder.path("out")),
          read_file(folder.path("err"))};
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "smemsim-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& content) const {
  std::ofstream out(path(name), std::ios::binary);
  out << content;
  return path(name);
}

std::string read_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file + ": cannot be read");
  std::stringstream content;
  content << in.rdbuf();
  return content.str();
}

std::string source_file(const std::string& relative) {
  return std::string(SMEMSIM_SOURCE_DIR) + "/" + relative;
}

}  // namespace smem::test
