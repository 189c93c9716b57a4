// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/trap/stub.hpp"

extern "C" {
extern const std::uint8_t tessera_trap_stub_slow[];
extern const std::uint8_t tessera_trap_stub_trap[];
extern const std::uint8_t tessera_trap_stub_head[];
extern const std::uint8_t tessera_trap_stub_middle[];
extern const std::uint8_t tessera_trap_stub_tail[];
extern const std::uint8_t tessera_trap_stub_end[];
}

namespace tessera::trap {
namespace {

constexpr std::uint32_t t4 = 29;
constexpr std::uint32_t store_e64 = 1u << 25 | t4 << 15 | 7u << 12 | 0x27;           // vse64.v
constexpr std::uint32_t load_whole = 1u << 25 | 8u << 20 | t4 << 15 | 7u << 12 | 7;  // vl1re64.v
constexpr std::uint32_t advance_t4 = t4 << 15 | t4 << 7 | 0x13;                      // addi
constexpr std::uint64_t largest_advance = 2047;

unsigned long address(const void* p) {
  return reinterpret_cast<unsigned long>(p);
}

unsigned long offset_of(const std::uint8_t* piece) {
  return site_bytes + (address(piece) - address(tessera_trap_stub_slow));
}

class Writer {
 public:
  explicit Writer(std::uint8_t* at) : at_(at) {}
  std::uint8_t* at() const { return at_; }

  void copy(const std::uint8_t* begin, const std::uint8_t* end) {
    while (begin != end) *at_++ = *begin++;
  }
  void put(std::uint32_t word) {
    __builtin_memcpy(at_, &word, sizeof word);
    at_ += sizeof word;
  }
  // `word` | vN for the registers of the mask, at t4 + N * vlenb.
  void move_registers(std::uint32_t word, std::uint32_t mask, std::uint64_t vlenb) {
    std::uint64_t ahead = 0;
    for (std::uint32_t n = 0; n < 32; ++n, ahead += vlenb) {
      if ((mask >> n & 1) == 0) continue;
      for (; ahead > largest_advance; ahead -= largest_advance / 16 * 16) {
        put(advance_t4 | static_cast<std::uint32_t>(largest_advance / 16 * 16) << 20);
      }
      if (ahead != 0) put(advance_t4 | static_cast<std::uint32_t>(ahead) << 20);
      ahead = 0;
      put(word | n << 7);
    }
  }

 private:
  std::uint8_t* at_;
};

}  // namespace

const std::uint8_t* stub_entry(const Site* site) {
  return reinterpret_cast<const std::uint8_t*>(site) + offset_of(tessera_trap_stub_head);
}

unsigned long stub_trap(const Site* site) {
  return address(site) + offset_of(tessera_trap_stub_trap);
}

const Site* site_of_stub_trap(unsigned long pc) {
  const unsigned long begin = pc - offset_of(tessera_trap_stub_trap);
  return begin % stub_alignment == 0 ? reinterpret_cast<const Site*>(begin) : nullptr;
}

std::size_t write_stub(Site* site, std::uint64_t vlenb,
                       bool (*run)(const Site* site, std::uint8_t* registers)) {
  site->run = run;
  site->frame_bytes = 32 * vlenb;
  site->vlmax_e64 = vlenb / 8;
  site->vlenb = vlenb;
  site->jump = jump_word(site->pc, address(stub_entry(site)));
  auto* begin = reinterpret_cast<std::uint8_t*>(site);
  Writer writer(begin + site_bytes);
  writer.copy(tessera_trap_stub_slow, tessera_trap_stub_trap);
  writer.put(site->row.steps[0].word);
  writer.copy(tessera_trap_stub_trap + 4, tessera_trap_stub_middle);
  writer.move_registers(store_e64, site->row.reads, vlenb);
  writer.copy(tessera_trap_stub_middle, tessera_trap_stub_tail);
  writer.move_registers(load_whole, site->row.writes, vlenb);
  writer.copy(tessera_trap_stub_tail, tessera_trap_stub_end);
  const unsigned long behind = site->pc + 4 * static_cast<unsigned long>(site->row.count);
  const std::uint32_t back = jump_word(address(writer.at()), behind);
  writer.put(back);
  if (site->jump == 0 || back == 0) return 0;
  return static_cast<std::size_t>(writer.at() - begin);
}

}  // namespace tessera::trap
