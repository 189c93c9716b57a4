// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The second gear: an instruction that traps often is rewritten to a jump, so that it traps no more.
//
// What others may see: the word at a site is a jump; everything else is as before. A row is executed
// as a whole from its first word's site; its other words stay as they are, and are rewritten
// themselves only if the program jumps to them. Sites stay in gear one where no jump reaches free
// memory (1 MiB), in memory that is shared or that may not be made writable, and where an instruction
// lies on two pages.
#ifndef TESSERA_EMU_TRAP_SITE_HPP_
#define TESSERA_EMU_TRAP_SITE_HPP_

#include "emu/trap/row.hpp"

#include "tessera/config.hpp"

#include <atomic>
#include <cstdint>

namespace tessera::trap {

struct Site;

/// How many sites were rewritten.
extern std::atomic<int> site_count;

/// The instruction at `pc` as the program knows it. `fetched` is what stood there; at a site that is
/// rewritten or about to be, the instruction is what was there before.
std::uint32_t original_word_of_site(unsigned long pc, std::uint32_t fetched);
TESSERA_INLINE std::uint32_t original_word(unsigned long pc, std::uint32_t fetched) {
  if (site_count.load(std::memory_order_acquire) == 0) return fetched;
  return original_word_of_site(pc, fetched);
}

/// The site whose stub sent the handler here by trapping at `pc`, or null.
const Site* site_that_trapped(unsigned long pc);

/// Rewrites the instruction at `pc`, which has trapped and begins this row, if it can and the
/// instruction has trapped often enough. Never waits.
void rewrite_site(unsigned long pc, const Row& row, std::uint64_t vlenb);

/// In the child of a fork: what another thread of the parent had begun will not be finished.
void forget_other_threads();

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_SITE_HPP_
