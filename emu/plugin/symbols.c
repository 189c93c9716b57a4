/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
#include "emu/plugin/symbols.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
  uint8_t* bytes;
  size_t size;
};

/* The names stay in use, so the file is never given back. */
static struct file read_file(const char* path) {
  struct file f = {NULL, 0};
  FILE* in = path != NULL ? fopen(path, "rb") : NULL;
  if (in == NULL) return f;
  if (fseek(in, 0, SEEK_END) == 0) {
    const long size = ftell(in);
    rewind(in);
    if (size > 0) f.bytes = malloc((size_t)size);
    if (f.bytes != NULL && fread(f.bytes, 1, (size_t)size, in) == (size_t)size)
      f.size = (size_t)size;
  }
  fclose(in);
  return f;
}

/* `count` entries of `size` bytes at `offset`, or NULL where they do not lie inside the file. */
static const void* table_at(struct file f, uint64_t offset, uint64_t count, uint64_t size) {
  if (count == 0 || size == 0 || offset > f.size || count > (f.size - offset) / size) return NULL;
  return f.bytes + offset;
}

static int by_address(const void* left, const void* right) {
  const struct symbol* x = left;
  const struct symbol* y = right;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  return x->end != y->end ? (x->end > y->end ? -1 : 1) : strcmp(x->name, y->name);
}

/* How far the file was moved when it was loaded. */
static uint64_t load_bias(struct file f, const Elf64_Ehdr* header, uint64_t start_code) {
  if (header->e_type != ET_DYN) return 0;
  const Elf64_Phdr* segments = table_at(f, header->e_phoff, header->e_phnum, sizeof(Elf64_Phdr));
  for (size_t i = 0; segments != NULL && i < header->e_phnum; ++i) {
    if (segments[i].p_type == PT_LOAD && (segments[i].p_flags & PF_X) != 0)
      return start_code - segments[i].p_vaddr;
  }
  return 0;
}

static bool is_code(const Elf64_Sym* s, const Elf64_Shdr* sections, size_t section_count,
                    const char* name) {
  if (name[0] == '\0' || name[0] == '$' || name[0] == '.') return false;
  const int type = ELF64_ST_TYPE(s->st_info);
  if (s->st_shndx >= section_count || (type != STT_FUNC && type != STT_NOTYPE)) return false;
  return (sections[s->st_shndx].sh_flags & SHF_EXECINSTR) != 0;
}

static void add_functions(struct symbol_table* table, struct file f, const Elf64_Shdr* sections,
                          size_t section_count, const Elf64_Shdr* of, uint64_t bias) {
  const size_t count = of->sh_size / sizeof(Elf64_Sym);
  const Elf64_Sym* entries = table_at(f, of->sh_offset, count, sizeof(Elf64_Sym));
  if (entries == NULL || of->sh_link >= section_count) return;
  const Elf64_Shdr* strings = &sections[of->sh_link];
  const char* text = table_at(f, strings->sh_offset, strings->sh_size, 1);
  if (text == NULL || text[strings->sh_size - 1] != '\0') return;
  struct symbol* grown = realloc(table->symbols, (table->count + count) * sizeof *grown);
  if (grown == NULL) return;
  table->symbols = grown;
  for (size_t i = 0; i < count; ++i) {
    const Elf64_Sym* s = &entries[i];
    if (s->st_name >= strings->sh_size) continue;
    if (!is_code(s, sections, section_count, text + s->st_name)) continue;
    const uint64_t begin = s->st_value + bias;
    table->symbols[table->count++] = (struct symbol){begin, begin + s->st_size, text + s->st_name};
  }
}

/* Symbols without a size reach to the next one; of several at one place the first is kept. */
static void settle(struct symbol_table* table) {
  struct symbol* s = table->symbols;
  qsort(s + 1, table->count - 1, sizeof *s, by_address);
  size_t kept = 1;
  for (size_t i = 1; i < table->count; ++i) {
    if (kept > 1 && s[kept - 1].begin == s[i].begin) continue;
    s[kept++] = s[i];
  }
  table->count = kept;
  for (size_t i = 1; i < kept; ++i) {
    const bool last = i + 1 == kept;
    if (s[i].end == s[i].begin) s[i].end = last ? s[i].begin + 1 : s[i + 1].begin;
  }
}

struct symbol_table read_symbols(const char* path, uint64_t start_code) {
  struct symbol_table table = {calloc(1, sizeof(struct symbol)), 1};
  if (table.symbols == NULL) abort();
  table.symbols[0].name = "?";
  const struct file f = read_file(path);
  if (f.size < sizeof(Elf64_Ehdr) || memcmp(f.bytes, ELFMAG, SELFMAG) != 0) return table;
  if (f.bytes[EI_CLASS] != ELFCLASS64 || f.bytes[EI_DATA] != ELFDATA2LSB) return table;
  const Elf64_Ehdr* header = (const Elf64_Ehdr*)f.bytes;
  const Elf64_Shdr* sections = table_at(f, header->e_shoff, header->e_shnum, sizeof(Elf64_Shdr));
  if (sections == NULL) return table;
  const uint64_t bias = load_bias(f, header, start_code);
  static const uint32_t kinds[] = {SHT_SYMTAB, SHT_DYNSYM};
  for (size_t k = 0; k < 2 && table.count == 1; ++k) {
    for (size_t i = 0; i < header->e_shnum; ++i) {
      if (sections[i].sh_type == kinds[k])
        add_functions(&table, f, sections, header->e_shnum, &sections[i], bias);
    }
  }
  settle(&table);
  return table;
}

size_t symbol_at(const struct symbol_table* table, uint64_t pc) {
  size_t low = 0; /* symbols[low].begin <= pc, counting symbols[0] as below everything */
  size_t high = table->count;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (table->symbols[middle].begin <= pc) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low != 0 && pc < table->symbols[low].end ? low : 0;
}
