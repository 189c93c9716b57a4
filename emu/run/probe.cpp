// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/run/probe.hpp"

#include "emu/run/child.hpp"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace tessera::run {
namespace {

constexpr int bits_of_a_status = 64;  // VLEN 64 to 16384 fit into an exit status, none as 0 or 1
constexpr std::uint32_t code[] = {
    0xc2202573,  // csrr a0, vlenb
    0x00355513,  // srli a0, a0, 3
    0x05d00893,  // li   a7, 93 (exit)
    0x00000073,  // ecall
};

struct Program {
  Elf64_Ehdr header{};
  Elf64_Phdr segment{};
  std::uint32_t text[std::size(code)]{};
};

Program probe_program() {
  constexpr std::uint64_t base = 0x10000;
  Program program;
  std::memcpy(program.header.e_ident, ELFMAG, SELFMAG);
  program.header.e_ident[EI_CLASS] = ELFCLASS64;
  program.header.e_ident[EI_DATA] = ELFDATA2LSB;
  program.header.e_ident[EI_VERSION] = EV_CURRENT;
  program.header.e_type = ET_EXEC;
  program.header.e_machine = EM_RISCV;
  program.header.e_version = EV_CURRENT;
  program.header.e_entry = base + offsetof(Program, text);
  program.header.e_phoff = offsetof(Program, segment);
  program.header.e_flags = EF_RISCV_FLOAT_ABI_DOUBLE;
  program.header.e_ehsize = sizeof program.header;
  program.header.e_phentsize = sizeof program.segment;
  program.header.e_phnum = 1;
  program.segment.p_type = PT_LOAD;
  program.segment.p_flags = PF_R | PF_X;
  program.segment.p_vaddr = program.segment.p_paddr = base;
  program.segment.p_filesz = program.segment.p_memsz = sizeof program;
  program.segment.p_align = 0x1000;
  std::memcpy(program.text, code, sizeof code);
  return program;
}

}  // namespace

int probe_vector_bits(const std::string& emulator, const std::string& cpu) {
  const int file = memfd_create("tessera-probe", MFD_CLOEXEC);
  if (file < 0) return 0;
  const Program program = probe_program();
  int bits = 0;
  if (write(file, &program, sizeof program) == static_cast<ssize_t>(sizeof program)) {
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    const Ended ended = run_to_end({emulator, "-cpu", cpu, path}, {}, Output::dropped, file);
    // 1 is what the emulator itself exits with when it refuses.
    if (ended.error.empty() && ended.signal == 0 && ended.status > 1) {
      bits = ended.status * bits_of_a_status;
    }
  }
  close(file);
  return bits;
}

}  // namespace tessera::run
