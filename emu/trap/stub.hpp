// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What a rewritten instruction jumps to: a Site, and code behind it that executes the site's row on
// the live registers and jumps back behind the row. The code is pieces of stub.S with stores and
// loads of the row's registers between them.
#ifndef TESSERA_EMU_TRAP_STUB_HPP_
#define TESSERA_EMU_TRAP_STUB_HPP_

#include "emu/trap/row.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tessera::trap {

/// A rewritten instruction and the row that begins with it. But for `placing` never changed once it
/// is published.
struct Site {
  unsigned long pc;
  bool (*run)(const Site* site, std::uint8_t* registers);
  std::uint64_t frame_bytes;  ///< 32 * vlenb
  std::uint64_t vlmax_e64;    ///< vlenb / 8
  std::uint64_t vlenb;
  Row row;
  std::uint32_t jump;        ///< the word that now stands at pc
  std::atomic<int> placing;  ///< 1 while it is written there
};
inline constexpr std::size_t site_bytes = 256;
// stub.S has these numbers.
static_assert(offsetof(Site, run) == 8 && offsetof(Site, frame_bytes) == 16);
static_assert(offsetof(Site, vlmax_e64) == 24 && offsetof(Site, vlenb) == 32);
static_assert(sizeof(Site) <= site_bytes);

/// No stub is longer.
inline constexpr std::size_t largest_stub = 2048;
inline constexpr std::size_t stub_alignment = 64;

/// Fills the stub at `site`, whose fields pc and row are set. Returns its size, and 0 where the way
/// back is too far. The memory is written, not made visible to instruction fetch.
std::size_t write_stub(Site* site, std::uint64_t vlenb,
                       bool (*run)(const Site* site, std::uint8_t* registers));

/// Where the program shall jump to.
const std::uint8_t* stub_entry(const Site* site);

/// The address inside the stub that traps when the state is not the usual one; the handler then
/// executes the instruction as if it had trapped at site->pc.
unsigned long stub_trap(const Site* site);

/// The site whose stub_trap is `pc`, if there is a stub around it.
const Site* site_of_stub_trap(unsigned long pc);

/// jal zero, `to` - `from`; 0 where that is too far.
inline std::uint32_t jump_word(unsigned long from, unsigned long to) {
  const long distance = static_cast<long>(to - from);
  constexpr long reach = 1l << 20;
  if (distance < -reach || distance >= reach || distance % 2 != 0) return 0;
  const auto d = static_cast<std::uint32_t>(distance);
  return (d >> 20 & 1) << 31 | (d >> 1 & 0x3ff) << 21 | (d >> 11 & 1) << 20 |
         (d >> 12 & 0xff) << 12 | 0x6f;
}

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_STUB_HPP_
