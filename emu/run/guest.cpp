// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/run/guest.hpp"

#include "emu/tool/elf.hpp"

#include <elf.h>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

namespace tessera::run {
namespace {

using Bytes = std::vector<std::uint8_t>;

// The runtime's variable: a text that only its own code holds.
constexpr std::string_view runtime_mark = "TESSERA_TRAP_STATS";

template <class T>
bool read_at(const Bytes& file, std::uint64_t offset, T& value) {
  if (offset > file.size() || file.size() - offset < sizeof value) return false;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return true;
}

std::string why_unusable(const Bytes& file, Elf64_Ehdr& header) {
  if (!tool::is_elf(file))
    return "is not an ELF file (a script cannot be run, its interpreter can)";
  if (!read_at(file, 0, header)) return "is cut off";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != EM_RISCV) {
    return "is not a program for riscv64 (ELF machine " + std::to_string(header.e_machine) + ")";
  }
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
    return "is an object file, not a program";
  if (header.e_phentsize != sizeof(Elf64_Phdr)) return "has no program headers";
  return {};
}

std::string interpreter_of(const Bytes& file, const Elf64_Ehdr& header) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!read_at(file, header.e_phoff + i * sizeof segment, segment)) return {};
    if (segment.p_type != PT_INTERP) continue;
    if (segment.p_offset > file.size() || file.size() - segment.p_offset < segment.p_filesz) {
      return {};
    }
    const auto* text = reinterpret_cast<const char*>(file.data() + segment.p_offset);
    return {text, strnlen(text, segment.p_filesz)};
  }
  return {};
}

std::string first_ime_place(const Bytes& file) {
  for (const tool::CodeRange& range : tool::read_elf(file).ranges) {
    const std::vector<tool::FoundWord> words = tool::find_words(range);
    if (words.empty()) continue;
    char address[32];
    std::snprintf(address, sizeof address, "0x%llx",
                  static_cast<unsigned long long>(words.front().address));
    std::string place = address;
    if (!words.front().symbol.empty()) place += " (" + std::string(words.front().symbol) + ")";
    return place;
  }
  return {};
}

}  // namespace

Guest read_guest(const std::string& path) {
  Guest guest;
  guest.path = path;
  std::ifstream stream(path, std::ios::binary);
  const Bytes file{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.is_open() || file.empty()) {
    guest.error = "cannot be read";
    return guest;
  }
  Elf64_Ehdr header{};
  guest.error = why_unusable(file, header);
  if (!guest.error.empty()) return guest;
  guest.interpreter = interpreter_of(file, header);
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  guest.holds_runtime = text.find(runtime_mark) != std::string_view::npos;
  if (!guest.dynamic() && !guest.holds_runtime) guest.first_ime_place = first_ime_place(file);
  return guest;
}

}  // namespace tessera::run
