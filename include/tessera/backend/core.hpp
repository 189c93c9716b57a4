// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Which core the calling thread is on, for programs that choose between compiled copies. Nothing in the
/// library asks this of its own accord.
#ifndef TESSERA_BACKEND_CORE_HPP_
#define TESSERA_BACKEND_CORE_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// A core by its registers; zeros where nothing is known.
struct CoreFacts {
  const char* core = "none";       ///< "a100", "x100", "a60", "x60", "rvv" or "none"
  const char* backend = "scalar";  ///< what its instructions allow for sure
  std::size_t vlenb = 0;           ///< bytes of a vector register
  std::uint64_t mvendorid = 0;
  std::uint64_t marchid = 0;
};

namespace detail {

/// The name that goes with the numbers. The matrix instructions of a100 need VLEN 1024, those of x100 and
/// a60 VLEN 256; of x60 cores some have them and some have not.
constexpr void name_core(CoreFacts& f) noexcept {
  constexpr std::uint64_t spacemit = 0x710;
  constexpr std::uint64_t x60 = 0x8000000058000001, x100 = 0x8000000058000002;
  constexpr std::uint64_t a60 = 0x8000000041000001, a100 = 0x8000000041000002;
  if (f.vlenb == 0) return;
  f.core = f.backend = "rvv";
  if (f.mvendorid != spacemit) return;
  if (f.marchid == a100) {
    f.core = "a100";
    if (f.vlenb == 128) f.backend = "ime2";
  } else if (f.marchid == x100 || f.marchid == a60) {
    f.core = f.marchid == x100 ? "x100" : "a60";
    if (f.vlenb == 32) f.backend = "ime1";
  } else if (f.marchid == x60) {
    f.core = "x60";
  }
}

#if defined(__riscv) && __riscv_xlen == 64 && defined(__linux__)
/// A system call of up to five arguments; negative: an error.
inline long system_call(long number, long a, long b, long c, long d, long e) noexcept {
  register long a7 __asm__("a7") = number;
  register long a0 __asm__("a0") = a;
  register long a1 __asm__("a1") = b;
  register long a2 __asm__("a2") = c;
  register long a3 __asm__("a3") = d;
  register long a4 __asm__("a4") = e;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4) : "memory");
  return a0;
}
#endif

}  // namespace detail

/// The core under the calling thread, by riscv_hwprobe (Linux 6.4 and later) and vlenb. Where the system does
/// not answer, the core is "none": reading a register that may not be there would end the program.
[[nodiscard]] inline CoreFacts core_facts() noexcept {
  CoreFacts f;
#if defined(__riscv) && __riscv_xlen == 64 && defined(__linux__)
  constexpr long hwprobe = 258, getcpu = 168;
  constexpr std::uint64_t vector_bit = 1u << 2;
  unsigned cpu = 0;
  if (detail::system_call(getcpu, reinterpret_cast<long>(&cpu), 0, 0, 0, 0) < 0) return f;
  unsigned long set[16] = {};  // 1024 processors
  if (cpu >= 1024) return f;
  set[cpu / 64] = 1ul << cpu % 64;
  struct Pair {
    std::int64_t key;
    std::uint64_t value;
  };
  Pair pairs[3] = {{0, 0}, {1, 0}, {4, 0}};  // mvendorid, marchid, extensions
  const auto ask = [&](std::size_t bytes, unsigned long* cpus) {
    return detail::system_call(hwprobe, reinterpret_cast<long>(pairs), 3, static_cast<long>(bytes),
                               reinterpret_cast<long>(cpus), 0);
  };
  // Emulators know the call for all processors only; theirs are alike.
  if (ask(sizeof set, set) != 0 && ask(0, nullptr) != 0) return f;
  if (pairs[0].key == 0) f.mvendorid = pairs[0].value;
  if (pairs[1].key == 1) f.marchid = pairs[1].value;
  if (pairs[2].key == 4 && (pairs[2].value & vector_bit) != 0)
    __asm__ volatile("csrr %0, 0xc22" : "=r"(f.vlenb));
  detail::name_core(f);
#endif
  return f;
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_CORE_HPP_
