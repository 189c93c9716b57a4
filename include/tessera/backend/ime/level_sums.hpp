// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Two stacked tiles times three or four panels over any number of groups of 32, all of it integers: the products of
/// four k steps of each panel behind one load of its columns, in one statement with its loop.
#ifndef TESSERA_BACKEND_IME_LEVEL_SUMS_HPP_
#define TESSERA_BACKEND_IME_LEVEL_SUMS_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/backend/ime/block_sums.hpp"
#include "tessera/backend/ime/loops_ime.h"
#include "tessera/backend/ime/vmadot.hpp"
#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// `sum(in, take)`: take(j, sums) gets panel j's, the upper tile's registers, then the lower one's. Of `in` no scales
/// are read.
template <class Insn, std::size_t Panels>
struct ImeLevelSums;

/// VLEN 256: a group is four k steps of 8.
template <class Insn>
struct ImeLevelSums<Insn, 3> {
  template <class Take>
  TESSERA_INLINE static void sum(ImeBlockOperands in, Take&& take) noexcept {
    auto t0 = __riscv_vmv_v_x_i32m4(0, __riscv_vsetvlmax_e32m4());
    auto t1 = t0;
    auto t2 = t0;
    vint8m8_t a;
    vint8m4_t b;
    const std::int8_t* pb = in.b[0];
    const std::int8_t* const end = in.a + in.groups * 256;
    __asm__ volatile(TSR_SMT_LEVEL_LOOP("256", "128", "")
                     : [pa] "+&r"(in.a), [pb] "+&r"(pb), [t0] "+&vr"(t0), [t1] "+&vr"(t1),
                       [t2] "+&vr"(t2), [a] "=&vr"(a), [b] "=&vr"(b)
                     : [word] "i"(detail::ime_word<Insn>), [end] "r"(end),
                       [b1] "r"(in.b[1] - in.b[0]), [b2] "r"(in.b[2] - in.b[0])
                     : "t1", "vl", "vtype", "memory");
    take(0, t0), take(1, t1), take(2, t2);
  }
};

/// VLEN 1024: a group is two k steps of 16; two groups at a time.
template <class Insn>
struct ImeLevelSums<Insn, 4> {
  template <class Take>
  TESSERA_INLINE static void sum(ImeBlockOperands in, Take&& take) noexcept {
    auto t0 = __riscv_vmv_v_x_i32m4(0, __riscv_vsetvlmax_e32m4());
    auto t1 = t0;
    auto t2 = t0;
    auto t3 = t0;
    const std::int8_t* pb = in.b[0];
    if (const std::size_t count = in.groups / 2; count != 0) {
      vint8m8_t a;
      vint8m4_t b;
      const std::int8_t* const end = in.a + count * 1024;
      __asm__ volatile(
          TSR_SMT_LEVEL_LOOP("1024", "512", TSR_SMT_LEVEL_PANEL("3"))
          : [pa] "+&r"(in.a), [pb] "+&r"(pb), [t0] "+&vr"(t0), [t1] "+&vr"(t1), [t2] "+&vr"(t2),
            [t3] "+&vr"(t3), [a] "=&vr"(a), [b] "=&vr"(b)
          : [word] "i"(detail::ime_word<Insn>), [end] "r"(end), [b1] "r"(in.b[1] - in.b[0]),
            [b2] "r"(in.b[2] - in.b[0]), [b3] "r"(in.b[3] - in.b[0])
          : "t1", "vl", "vtype", "memory");
    }
    if (in.groups % 2 != 0) {
      constexpr std::size_t bytes = 128;  // of a register
      const auto a = ime_load_four<bytes>(in.a);
      const auto add = [&](std::size_t j, vint32m4_t& t) TESSERA_LAMBDA {
        const auto b = ime_load_two<bytes>(pb + (in.b[j] - in.b[0]));
        const auto products = ime_dot_stack<Insn>(a, b);
        t = __riscv_vadd(t, products, __riscv_vsetvlmax_e32m4());
      };
      add(0, t0), add(1, t1), add(2, t2), add(3, t3);
    }
    take(0, t0), take(1, t1), take(2, t2), take(3, t3);
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME_LEVEL_SUMS_HPP_
