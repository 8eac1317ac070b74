// SPDX-License-Identifier: Apache-2.0
#include "machine_code.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <optional>
#include <regex>
#include <stdlib.h>
#include <unistd.h>

namespace smem::capture {

namespace {

/// The object of type T at `offset` of `bytes`, if they reach that far.
template <class T>
std::optional<T> read_at(std::span<const char> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

bool string_is(std::span<const char> bytes, std::uint64_t offset, const std::string& text) {
  return offset <= bytes.size() && bytes.size() - offset > text.size() &&
         std::memcmp(bytes.data() + offset, text.c_str(), text.size() + 1) == 0;
}

std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> chunk;
  for (std::size_t size; (size = std::fread(chunk.data(), 1, chunk.size(), pipe)) != 0;) {
    text.append(chunk.data(), size);
  }
  return pclose(pipe) == 0 ? text : std::string();
}

}  // namespace

std::span<const char> function_code(std::span<const char> elf, const std::string& function) {
  const auto header = read_at<Elf64_Ehdr>(elf, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return {};
  const auto section = [&](unsigned index) {
    return read_at<Elf64_Shdr>(elf, header->e_shoff + std::uint64_t{index} * sizeof(Elf64_Shdr));
  };
  const auto names = section(header->e_shstrndx);
  const std::string wanted = ".text." + function;
  for (unsigned index = 0; names && index < header->e_shnum; ++index) {
    const auto candidate = section(index);
    if (!candidate || !string_is(elf, names->sh_offset + candidate->sh_name, wanted)) continue;
    if (candidate->sh_offset > elf.size()) return {};
    if (candidate->sh_size > elf.size() - candidate->sh_offset) return {};
    return elf.subspan(candidate->sh_offset, candidate->sh_size);
  }
  return {};
}

Opcodes parse_disassembly(const std::string& text) {
  static const std::regex line(R"(/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P[0-9T]+\s+)?([A-Z][A-Z0-9_.]*))");
  Opcodes opcodes;
  for (std::sregex_iterator match(text.begin(), text.end(), line), end; match != end; ++match) {
    opcodes.emplace(std::stoull((*match)[1], nullptr, 16), (*match)[2]);
  }
  return opcodes;
}

Opcodes disassemble(std::span<const char> code, unsigned sm_version, const std::string& nvdisasm) {
  std::string path = "/tmp/smemsim-capture-XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) return {};
  const bool written = write(file, code.data(), code.size()) == static_cast<ssize_t>(code.size());
  close(file);
  // The program's own environment would load this library into nvdisasm, too.
  const std::string command = "env -u CUDA_INJECTION64_PATH '" + nvdisasm + "' --binary SM" +
                              std::to_string(sm_version) + " " + path + " 2>/dev/null";
  const std::string text = written ? output_of(command) : std::string();
  unlink(path.c_str());
  return parse_disassembly(text);
}

}  // namespace smem::capture
