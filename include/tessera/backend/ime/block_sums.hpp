// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Two stacked tiles times three or four panels over all groups of 32, scaled group by group, in one statement
/// with its loop: totals, sums and operands take all 32 registers, and written in pieces compilers store
/// the totals in every group (clang 19) or reload them as well (GCC 14).
#ifndef TESSERA_BACKEND_IME_BLOCK_SUMS_HPP_
#define TESSERA_BACKEND_IME_BLOCK_SUMS_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/backend/ime/loops_ime.h"
#include "tessera/backend/ime/vmadot.hpp"
#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// What a block reads, group after group. Panels and their scales by their distance from the first.
struct ImeBlockOperands {
  const std::int8_t* a;      ///< codes of both tiles, [k step][row][k]
  const float* a_scales;     ///< a lane each
  const std::int8_t* b[4];   ///< codes, [k step][column][k]
  const float* b_scales[4];  ///< a register each: whole rows of columns
  std::size_t groups;        ///< at least one
};

/// `sum(in, take)`: take(j, total) gets panel j's scaled sums, the upper tile's registers, then the lower one's.
template <class Insn, std::size_t Panels>
struct ImeBlockSums;

/// VLEN 256: four k steps of 8.
template <class Insn>
struct ImeBlockSums<Insn, 3> {
  template <class Take>
  TESSERA_INLINE static void sum(ImeBlockOperands in, Take&& take) noexcept {
    auto t0 = __riscv_vfmv_v_f_f32m4(0.0f, __riscv_vsetvlmax_e32m4());
    auto t1 = t0;
    auto t2 = t0;
    vint8m8_t a;
    vint32m4_t c;
    vfloat32m4_t b, sa;
    const std::int8_t* pb = in.b[0];
    const float* psb = in.b_scales[0];
    __asm__ volatile(
        TSR_SMT_BLOCK_LOOP("vl8re8.v", "256", "vl4re8.v", "128", "128", "32",
                           TSR_SMT_BLOCK_FOUR_STEPS, "")
        : [pa] "+&r"(in.a), [psa] "+&r"(in.a_scales), [pb] "+&r"(pb), [psb] "+&r"(psb),
          [groups] "+&r"(in.groups), [t0] "+&vr"(t0), [t1] "+&vr"(t1), [t2] "+&vr"(t2),
          [a] "=&vr"(a), [c] "=&vr"(c), [b] "=&vr"(b), [sa] "=&vr"(sa)
        : [word] "i"(detail::ime_word<Insn>), [b1] "r"(apart(in.b, 1)), [b2] "r"(apart(in.b, 2)),
          [s1] "r"(apart(in.b_scales, 1)), [s2] "r"(apart(in.b_scales, 2))
        : "t1", "t2", "vl", "vtype", "memory");
    take(0, t0), take(1, t1), take(2, t2);
  }

 private:
  template <class P>
  TESSERA_INLINE static std::ptrdiff_t apart(const P& p, std::size_t j) noexcept {
    return reinterpret_cast<const std::byte*>(p[j]) - reinterpret_cast<const std::byte*>(p[0]);
  }
};

/// VLEN 1024: two k steps of 16.
template <class Insn>
struct ImeBlockSums<Insn, 4> {
  template <class Take>
  TESSERA_INLINE static void sum(ImeBlockOperands in, Take&& take) noexcept {
    auto t0 = __riscv_vfmv_v_f_f32m4(0.0f, __riscv_vsetvlmax_e32m4());
    auto t1 = t0;
    auto t2 = t0;
    auto t3 = t0;
    vint8m4_t a;
    vint32m4_t c;
    vfloat32m4_t b, sa;
    const std::int8_t* pb = in.b[0];
    const float* psb = in.b_scales[0];
    __asm__ volatile(
        TSR_SMT_BLOCK_LOOP("vl4re8.v", "512", "vl2re8.v", "256", "512", "128",
                           TSR_SMT_BLOCK_TWO_STEPS,
                           TSR_SMT_BLOCK_LATER("vl2re8.v", TSR_SMT_BLOCK_TWO_STEPS, "3"))
        : [pa] "+&r"(in.a), [psa] "+&r"(in.a_scales), [pb] "+&r"(pb), [psb] "+&r"(psb),
          [groups] "+&r"(in.groups), [t0] "+&vr"(t0), [t1] "+&vr"(t1), [t2] "+&vr"(t2),
          [t3] "+&vr"(t3), [a] "=&vr"(a), [c] "=&vr"(c), [b] "=&vr"(b), [sa] "=&vr"(sa)
        : [word] "i"(detail::ime_word<Insn>), [b1] "r"(apart(in.b, 1)), [b2] "r"(apart(in.b, 2)),
          [b3] "r"(apart(in.b, 3)), [s1] "r"(apart(in.b_scales, 1)),
          [s2] "r"(apart(in.b_scales, 2)), [s3] "r"(apart(in.b_scales, 3))
        : "t1", "t2", "vl", "vtype", "memory");
    take(0, t0), take(1, t1), take(2, t2), take(3, t3);
  }

 private:
  template <class P>
  TESSERA_INLINE static std::ptrdiff_t apart(const P& p, std::size_t j) noexcept {
    return reinterpret_cast<const std::byte*>(p[j]) - reinterpret_cast<const std::byte*>(p[0]);
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME_BLOCK_SUMS_HPP_
