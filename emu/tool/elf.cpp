// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/tool/elf.hpp"

#include "tessera/isa/ime/all.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace tessera::tool {
namespace {

using Bytes = std::span<const std::uint8_t>;

// The layouts of the ELF-64 object file format.
struct FileHeader {
  std::uint8_t ident[16];
  std::uint16_t type, machine;
  std::uint32_t version;
  std::uint64_t entry, segments_offset, sections_offset;
  std::uint32_t flags;
  std::uint16_t header_size, segment_size, segment_count;
  std::uint16_t section_size, section_count, names_index;
};
static_assert(sizeof(FileHeader) == 64);

struct SectionHeader {
  std::uint32_t name, type;
  std::uint64_t flags, address, offset, size;
  std::uint32_t link, info;
  std::uint64_t alignment, entry_size;
};
static_assert(sizeof(SectionHeader) == 64);

struct SegmentHeader {
  std::uint32_t type, flags;
  std::uint64_t offset, address, physical, file_size, memory_size, alignment;
};
static_assert(sizeof(SegmentHeader) == 56);

struct SymbolEntry {
  std::uint32_t name;
  std::uint8_t info, other;
  std::uint16_t section;
  std::uint64_t value, size;
};
static_assert(sizeof(SymbolEntry) == 24);

constexpr std::uint8_t magic[] = {0x7f, 'E', 'L', 'F'};
constexpr std::uint8_t class_64 = 2;
constexpr std::uint8_t little_endian = 1;
constexpr std::uint16_t machine_riscv = 243;
constexpr std::uint16_t type_relocatable = 1;
constexpr std::uint32_t section_progbits = 1;
constexpr std::uint32_t section_symbols = 2;
constexpr std::uint32_t section_dynamic_symbols = 11;
constexpr std::uint64_t section_executable = 4;
constexpr std::uint32_t segment_load = 1;
constexpr std::uint32_t segment_executable = 1;
constexpr int symbol_section = 3;
constexpr int symbol_file = 4;

// The part [offset, offset + size), if the file has it.
std::optional<Bytes> part(Bytes file, std::uint64_t offset, std::uint64_t size) {
  if (offset > file.size() || size > file.size() - offset) return std::nullopt;
  return file.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

template <class T>
T read(Bytes bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// A table of `count` records of `size` bytes each, of which T is the beginning.
template <class T>
std::vector<T> read_table(Bytes file, std::uint64_t offset, std::uint64_t count,
                          std::uint64_t size) {
  std::vector<T> table;
  if (size < sizeof(T) || count > file.size() / size) return table;
  const auto bytes = part(file, offset, count * size);
  if (!bytes) return table;
  for (std::size_t at = 0; at < bytes->size(); at += static_cast<std::size_t>(size)) {
    table.push_back(read<T>(*bytes, at));
  }
  return table;
}

// The string at `offset` of a string table; empty where it does not end inside.
std::string_view string_at(Bytes strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const auto rest = strings.subspan(static_cast<std::size_t>(offset));
  const auto end = std::find(rest.begin(), rest.end(), 0);
  if (end == rest.end()) return {};
  return {reinterpret_cast<const char*>(rest.data()), static_cast<std::size_t>(end - rest.begin())};
}

// Marks between code and data, and the assembler's own labels: places, but no names.
bool is_local_name(std::string_view name) {
  return name.starts_with('$') || name.starts_with(".L");
}

class Reader {
 public:
  Reader(Bytes file, const FileHeader& header)
      : file_(file),
        relocatable_(header.type == type_relocatable),
        sections_(read_table<SectionHeader>(file, header.sections_offset, header.section_count,
                                            header.section_size)),
        names_index_(header.names_index) {}

  bool has_sections() const { return !sections_.empty(); }

  void add_sections(std::vector<CodeRange>& ranges) {
    const Bytes names = content(names_index_);
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const SectionHeader& s = sections_[i];
      if (s.type != section_progbits || (s.flags & section_executable) == 0) continue;
      const auto bytes = part(file_, s.offset, s.size);
      if (!bytes) continue;
      ranges.push_back({relocatable_ ? 0 : s.address, *bytes, string_at(names, s.name), {}});
      indices_.push_back(i);
    }
    if (!add_symbols(section_symbols, ranges)) add_symbols(section_dynamic_symbols, ranges);
    for (CodeRange& range : ranges) {
      // A name before a mark at the same place.
      std::sort(range.symbols.begin(), range.symbols.end(), [](const Symbol& x, const Symbol& y) {
        if (x.address != y.address) return x.address < y.address;
        return x.name.empty() != y.name.empty() ? y.name.empty() : x.name < y.name;
      });
    }
  }

 private:
  Bytes content(std::size_t index) const {
    if (index >= sections_.size()) return {};
    return part(file_, sections_[index].offset, sections_[index].size).value_or(Bytes());
  }

  bool add_symbols(std::uint32_t type, std::vector<CodeRange>& ranges) const {
    bool found = false;
    for (const SectionHeader& s : sections_) {
      if (s.type != type) continue;
      const Bytes strings = content(s.link);
      const auto entries = read_table<SymbolEntry>(file_, s.offset, s.size / sizeof(SymbolEntry),
                                                   sizeof(SymbolEntry));
      for (const SymbolEntry& entry : entries) {
        const std::string_view name = string_at(strings, entry.name);
        const int kind = entry.info & 15;
        if (name.empty() || kind == symbol_section || kind == symbol_file) continue;
        for (std::size_t r = 0; r < ranges.size(); ++r) {
          if (indices_[r] != entry.section) continue;
          ranges[r].symbols.push_back(
              {entry.value, is_local_name(name) ? std::string_view() : name});
          found = true;
        }
      }
    }
    return found;
  }

  Bytes file_;
  bool relocatable_;
  std::vector<SectionHeader> sections_;
  std::size_t names_index_;
  std::vector<std::size_t> indices_;  // of the sections that became ranges
};

void add_segments(Bytes file, const FileHeader& header, std::vector<CodeRange>& ranges) {
  for (const SegmentHeader& s : read_table<SegmentHeader>(
           file, header.segments_offset, header.segment_count, header.segment_size)) {
    if (s.type != segment_load || (s.flags & segment_executable) == 0) continue;
    if (const auto bytes = part(file, s.offset, s.file_size)) {
      ranges.push_back({s.address, *bytes, {}, {}});
    }
  }
}

}  // namespace

bool is_elf(Bytes file) {
  return file.size() >= sizeof magic &&
         std::equal(std::begin(magic), std::end(magic), file.begin());
}

ElfCode read_elf(Bytes file) {
  if (!is_elf(file)) return {{}, "no ELF file"};
  if (file.size() < sizeof(FileHeader)) return {{}, "the ELF header is cut off"};
  const auto header = read<FileHeader>(file, 0);
  if (header.ident[4] != class_64 || header.ident[5] != little_endian ||
      header.machine != machine_riscv) {
    return {{}, "not a 64-bit little-endian RISC-V file"};
  }
  ElfCode code;
  Reader reader(file, header);
  if (reader.has_sections()) {
    reader.add_sections(code.ranges);
  } else {
    add_segments(file, header, code.ranges);
  }
  if (code.ranges.empty()) code.error = "the file has no executable section or segment";
  return code;
}

std::vector<FoundWord> find_words(const CodeRange& range) {
  std::vector<FoundWord> found;
  auto next = range.symbols.begin();
  const Symbol* named = nullptr;
  const std::size_t size = range.bytes.size();
  for (std::size_t at = 0; size - at >= 2;) {
    // Symbols that begin here or were jumped over.
    while (next != range.symbols.end() && next->address <= range.address + at) {
      if (!next->name.empty()) named = &*next;
      if (next->address > range.address) {
        at = std::min<std::size_t>(at, static_cast<std::size_t>(next->address - range.address));
      }
      ++next;
    }
    const auto low = read<std::uint16_t>(range.bytes, at);
    // No instruction goes across the beginning of a symbol: what came before was data.
    const bool cut = next != range.symbols.end() && next->address - (range.address + at) < 4 &&
                     next->address > range.address + at;
    if ((low & 3) != 3 || cut) {
      at += 2;
      continue;
    }
    if (size - at < 4) break;
    const auto word = read<std::uint32_t>(range.bytes, at);
    if (ime::identify(word).rule == ime::Rule::none) {
      const std::uint64_t address = range.address + at;
      found.push_back({address, word, named != nullptr ? named->name : std::string_view(),
                       named != nullptr ? address - named->address : 0});
    }
    at += 4;
  }
  return found;
}

}  // namespace tessera::tool
