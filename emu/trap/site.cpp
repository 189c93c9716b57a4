// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/trap/site.hpp"

#include "emu/trap/entry.hpp"
#include "emu/trap/memory_map.hpp"
#include "emu/trap/profile.hpp"
#include "emu/trap/stub.hpp"
#include "emu/trap/system_call.hpp"
#include "emu/trap/tessera_trap.h"

#include "tessera/isa/ime/all.hpp"

#include <sys/mman.h>

extern "C" {
extern std::uint8_t tessera_trap_stub_room[];
}

namespace tessera::trap {

std::atomic<int> site_count{0};

namespace {

constexpr unsigned long page_bytes = 4096;
constexpr unsigned long lowest_address = 65536;  // below it Linux maps nothing
constexpr unsigned long own_room_bytes = 65536;
constexpr unsigned long pool_sizes[] = {1ul << 18, 1ul << 15};
// Of a jump from a site to any stub of a pool and back.
constexpr unsigned long reach = (1ul << 20) - page_bytes;
constexpr long map_fixed_noreplace = 0x100000;
constexpr long riscv_flush_icache = 259;

// Sites by pc: open addressing, never more than half full.
constexpr unsigned table_size = 32768;
std::atomic<Site*> table[table_size];
// Rewriting costs as much as some hundred traps: what is executed a few times is not worth it, and
// where it fails it is not tried again soon. Counted per hash of the address, so that a site may have
// its turn sooner.
constexpr int traps_before_rewriting = 16;
constexpr int traps_before_another_try = 4096;
constexpr unsigned countdown_size = 1024;
// Of traps since the last try, less how many were to be waited for.
std::atomic<int> countdowns[countdown_size];

struct Pool {
  std::atomic<unsigned long> begin;
  unsigned long end;
  unsigned long next;  ///< where the next stub goes
};
constexpr int largest_pool_count = 128;
Pool pools[largest_pool_count];
std::atomic<int> pool_count{0};

std::atomic<int> busy{0};  // int: GCC calls libatomic for the exchange of a byte

unsigned hash_of(unsigned long pc) {
  return static_cast<unsigned>((pc >> 1) * 0x9e3779b97f4a7c15ul >> 40);
}

// The entry of pc, or the empty one where it would be.
std::atomic<Site*>& entry_of(unsigned long pc) {
  for (unsigned i = hash_of(pc);; ++i) {
    std::atomic<Site*>& entry = table[i % table_size];
    const Site* site = entry.load(std::memory_order_acquire);
    if (site == nullptr || site->pc == pc) return entry;
  }
}

// Can `word` be read while the original is replaced by the jump, half by half?
bool is_between(std::uint32_t word, std::uint32_t original, std::uint32_t jump) {
  const std::uint32_t low = word & 0xffff;
  const std::uint32_t high = word >> 16;
  return (low == (original & 0xffff) || low == (jump & 0xffff)) &&
         (high == original >> 16 || high == jump >> 16);
}

bool same_row(const Row& a, const Row& b) {
  if (a.count != b.count) return false;
  for (int i = 0; i < a.count; ++i) {
    if (a.steps[i].word != b.steps[i].word) return false;
  }
  return true;
}

// A stub's state check is that of the products. Layout instructions have other rules.
int product_count(const Row& row) {
  int count = 0;
  while (count < row.count &&
         ime::Instructions::table[row.steps[count].index].element != ime::Element::none) {
    ++count;
  }
  return count;
}

// Step by step: the compilers copy a whole Row by libc's memcpy, which may use vector registers.
void copy_row(Row& to, const Row& from, int count) {
  to.reads = 0;
  to.writes = 0;
  to.count = 0;
  for (int i = 0; i < count; ++i) append_step(to, from.steps[i]);
}

// What a stub calls, on the registers in memory. False where the program has changed the row, whose
// words but the first are still where they were: then nothing is done.
bool run_site(const Site* site, std::uint8_t* registers) {
  for (int i = 1; i < site->row.count; ++i) {
    const unsigned long pc = site->pc + 4 * static_cast<unsigned long>(i);
    const std::uint32_t word = fetch(pc);
    if (word != site->row.steps[i].word &&
        original_word_of_site(pc, word) != site->row.steps[i].word) {
      return false;
    }
  }
  // The stub has checked what a product demands of the state, and none reads it.
  ime::VectorState state{{registers, static_cast<int>(site->vlenb)}, {0}, site->vlenb, 0, 0};
  execute_row(site->row, profile_for(site->vlenb), state, site->pc);
  return true;
}

bool in_reach(unsigned long pc, unsigned long begin, unsigned long end) {
  return begin + reach > pc && end < pc + reach;
}

Pool* add_pool(unsigned long begin, unsigned long size) {
  const int count = pool_count.load(std::memory_order_relaxed);
  Pool& pool = pools[count];
  pool.end = begin + size;
  pool.next = begin;
  pool.begin.store(begin, std::memory_order_relaxed);
  pool_count.store(count + 1, std::memory_order_release);
  return &pool;
}

// The room in the runtime's own code, which costs the program no address.
Pool* add_own_room(unsigned long pc) {
  const auto begin = reinterpret_cast<unsigned long>(tessera_trap_stub_room);
  if (!in_reach(pc, begin, begin + own_room_bytes)) return nullptr;
  for (int i = 0; i < pool_count.load(std::memory_order_relaxed); ++i) {
    if (pools[i].begin.load(std::memory_order_relaxed) == begin) return nullptr;
  }
  constexpr int all = PROT_READ | PROT_WRITE | PROT_EXEC;
  if (system_call(SYS_mprotect, static_cast<long>(begin), own_room_bytes, all) != 0) return nullptr;
  return add_pool(begin, own_room_bytes);
}

// An emulator may have memory of its own where the program's map shows none: then this fails.
Pool* add_pool_at(unsigned long begin, unsigned long size) {
  constexpr int all = PROT_READ | PROT_WRITE | PROT_EXEC;
  const long got = system_call(SYS_mmap, static_cast<long>(begin), static_cast<long>(size), all,
                               MAP_PRIVATE | MAP_ANONYMOUS | map_fixed_noreplace, -1, 0);
  if (got < 0 && got > -static_cast<long>(page_bytes)) return nullptr;
  if (static_cast<unsigned long>(got) == begin) return add_pool(begin, size);
  system_call(SYS_munmap, got, static_cast<long>(size));
  return nullptr;
}

// Free memory within [low, high), as far up as it goes: what lies below may want to grow (the heap).
Pool* add_pool_between(unsigned long low, unsigned long high, unsigned long size) {
  low = (low + page_bytes - 1) / page_bytes * page_bytes;
  high = high / page_bytes * page_bytes;
  for (unsigned long begin = high - size; begin >= low && begin < high; begin -= size) {
    if (Pool* pool = add_pool_at(begin, size)) return pool;
  }
  return nullptr;
}

Pool* add_mapped_pool(unsigned long pc, unsigned long size) {
  MemoryMap map;
  Mapping mapping;
  const unsigned long low = pc > reach + lowest_address ? pc - reach : lowest_address;
  const unsigned long high = pc + reach;
  bool more = true;
  while (more) {
    more = map.next(mapping);
    const unsigned long begin = mapping.free_begin > low ? mapping.free_begin : low;
    const unsigned long end = mapping.begin < high ? mapping.begin : high;
    if (begin >= end) continue;
    if (Pool* pool = add_pool_between(begin, end, size)) return pool;
  }
  return nullptr;
}

// Room for one more stub within reach of pc.
Pool* pool_for(unsigned long pc) {
  for (int i = 0; i < pool_count.load(std::memory_order_relaxed); ++i) {
    Pool& pool = pools[i];
    const unsigned long begin = pool.begin.load(std::memory_order_relaxed);
    if (in_reach(pc, begin, pool.end) && pool.next + largest_stub <= pool.end) return &pool;
  }
  if (pool_count.load(std::memory_order_relaxed) == largest_pool_count) return nullptr;
  if (Pool* pool = add_own_room(pc)) return pool;
  for (const unsigned long size : pool_sizes) {
    if (Pool* pool = add_mapped_pool(pc, size)) return pool;
  }
  return nullptr;
}

// A new site that nobody knows yet, or null.
Site* make_site(unsigned long pc, const Row& row, std::uint64_t vlenb) {
  Pool* pool = pool_for(pc);
  if (pool == nullptr) return nullptr;
  auto* site = reinterpret_cast<Site*>(pool->next);
  site->pc = pc;
  site->placing.store(0, std::memory_order_relaxed);
  copy_row(site->row, row, row.count);
  const std::size_t size = write_stub(site, vlenb, run_site);
  if (size == 0) return nullptr;
  pool->next += (size + stub_alignment - 1) / stub_alignment * stub_alignment;
  return site;
}

// For all threads of the process; emulators that do not know the call need no such thing.
void flush_instructions() {
  asm volatile("fence.i" ::: "memory");
  system_call(riscv_flush_icache, 0, 0, 0);
}

// The second half first: with the old first half any second half is a matrix instruction's word, so
// that a thread that comes upon it traps, and the handler knows what it was.
void write_jump(unsigned long pc, std::uint32_t jump) {
  if (pc % 4 == 0) {
    *reinterpret_cast<volatile std::uint32_t*>(pc) = jump;
    return;
  }
  auto* halves = reinterpret_cast<volatile std::uint16_t*>(pc);
  halves[1] = static_cast<std::uint16_t>(jump >> 16);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  halves[0] = static_cast<std::uint16_t>(jump);
}

bool protection_of(unsigned long pc, int& protection) {
  MemoryMap map;
  Mapping mapping;
  while (map.next(mapping)) {
    if (pc < mapping.begin || pc >= mapping.end) continue;
    protection = mapping.protection;
    return !mapping.shared && (protection & PROT_READ) != 0 && (protection & PROT_EXEC) != 0;
  }
  return false;
}

bool place_jump(Site* site) {
  const unsigned long pc = site->pc;
  int protection;
  if (!protection_of(pc, protection)) return false;
  const auto page = static_cast<long>(pc / page_bytes * page_bytes);
  const bool writable = (protection & PROT_WRITE) != 0;
  // Executable all the time: other threads may be on this page.
  if (!writable && system_call(SYS_mprotect, page, page_bytes, protection | PROT_WRITE) != 0) {
    return false;
  }
  site->placing.store(1, std::memory_order_seq_cst);
  write_jump(pc, site->jump);
  site->placing.store(0, std::memory_order_seq_cst);
  flush_instructions();
  if (!writable) system_call(SYS_mprotect, page, page_bytes, protection);
  return true;
}

// With the lock held. False where it will never work.
bool rewrite(unsigned long pc, const Row& row, std::uint64_t vlenb) {
  std::atomic<Site*>& entry = entry_of(pc);
  Site* site = entry.load(std::memory_order_relaxed);
  const bool known = site != nullptr;
  // Another thread was here first, or the program has written the same row once more.
  if (known && site->vlenb == vlenb && same_row(site->row, row)) {
    return fetch(pc) == site->jump || place_jump(site);
  }
  const int count = site_count.load(std::memory_order_relaxed);
  if (!known && count >= static_cast<int>(table_size / 2)) return false;
  site = make_site(pc, row, vlenb);
  if (site == nullptr) return false;
  flush_instructions();
  entry.store(site, std::memory_order_release);
  if (!known) site_count.store(count + 1, std::memory_order_release);
  return place_jump(site);
}

}  // namespace

std::uint32_t original_word_of_site(unsigned long pc, std::uint32_t fetched) {
  const Site* site = entry_of(pc).load(std::memory_order_acquire);
  if (site == nullptr) return fetched;
  const std::uint32_t original = site->row.steps[0].word;
  if (fetched == original || fetched == site->jump) return original;
  if (!is_between(fetched, original, site->jump)) return fetched;
  if (site->placing.load(std::memory_order_seq_cst) != 0) return original;
  // Either it is whole by now, or the program itself has written this word.
  const std::uint32_t now = fetch(pc);
  return now == site->jump ? original : now;
}

const Site* site_that_trapped(unsigned long pc) {
  for (int i = 0; i < pool_count.load(std::memory_order_acquire); ++i) {
    const unsigned long begin = pools[i].begin.load(std::memory_order_relaxed);
    if (pc < begin || pc >= pools[i].end) continue;
    return site_of_stub_trap(pc);
  }
  return nullptr;
}

void rewrite_site(unsigned long pc, const Row& row, std::uint64_t vlenb) {
  std::atomic<int>& countdown = countdowns[hash_of(pc) % countdown_size];
  if (countdown.fetch_add(1, std::memory_order_relaxed) < traps_before_rewriting - 1) return;
  Row products;
  copy_row(products, row, product_count(row));
  const bool one_page = pc / page_bytes == (pc + 3) / page_bytes;
  if (products.count == 0 || !one_page) return;
  if (busy.exchange(1, std::memory_order_acquire) != 0) return;
  const bool done = rewrite(pc, products, vlenb);
  countdown.store(done ? 0 : -traps_before_another_try, std::memory_order_relaxed);
  busy.store(0, std::memory_order_release);
}

void forget_other_threads() {
  busy.store(0, std::memory_order_relaxed);
}

}  // namespace tessera::trap

int tessera_trap_sites(void) {
  return tessera::trap::site_count.load(std::memory_order_relaxed);
}
