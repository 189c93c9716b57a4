// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Rows of matrix instructions, several in one statement: built from the words of the intrinsics
/// (rvv_ime.h), with one vsetvli for all.
///
/// Hazards, each seen with real compilers:
/// - The compiler does not keep vtype for an asm statement: every statement sets it. The vsetvli has
///   a real destination, for `vsetvli zero, zero` would keep a stale vl.
/// - Operands are locals of sizeless type; clang refuses fixed-length vectors here.
/// - A register's number is spelled by the compiler as `v8`; assembler symbols turn it into bits.
#ifndef TESSERA_BACKEND_IME_VMADOT_HPP_
#define TESSERA_BACKEND_IME_VMADOT_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/backend/ime/rvv_ime.h"
#include "tessera/config.hpp"
#include "tessera/isa/ime/encoding.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// The bits of an instruction's word that no operand fills.
template <class Insn>
inline constexpr long ime_word = Insn::encoding.match | ime::unmasked_bit;

/// `Bytes` bytes as a memory operand.
template <std::size_t Bytes>
struct ImeBlock {
  std::int8_t bytes[Bytes];
};

}  // namespace detail

/// Whole registers of RegisterBytes each, whatever vl and vtype are. Any alignment.
template <std::size_t RegisterBytes>
TESSERA_INLINE vint8m8_t ime_load_eight(const std::int8_t* p) noexcept {
  vint8m8_t v;
  __asm__("vl8re8.v %0, %1"
          : "=vr"(v)
          : "A"(*reinterpret_cast<const detail::ImeBlock<8 * RegisterBytes>*>(p)));
  return v;
}
template <std::size_t RegisterBytes>
TESSERA_INLINE vint8m4_t ime_load_four(const std::int8_t* p) noexcept {
  vint8m4_t v;
  __asm__("vl4re8.v %0, %1"
          : "=vr"(v)
          : "A"(*reinterpret_cast<const detail::ImeBlock<4 * RegisterBytes>*>(p)));
  return v;
}
template <std::size_t RegisterBytes>
TESSERA_INLINE vint8m2_t ime_load_two(const std::int8_t* p) noexcept {
  vint8m2_t v;
  __asm__("vl2re8.v %0, %1"
          : "=vr"(v)
          : "A"(*reinterpret_cast<const detail::ImeBlock<2 * RegisterBytes>*>(p)));
  return v;
}
template <std::size_t RegisterBytes>
TESSERA_INLINE vint8m1_t ime_load_one(const std::int8_t* p) noexcept {
  vint8m1_t v;
  __asm__("vl1re8.v %0, %1"
          : "=vr"(v)
          : "A"(*reinterpret_cast<const detail::ImeBlock<RegisterBytes>*>(p)));
  return v;
}

/// One whole register of floats, four times.
template <std::size_t RegisterBytes>
TESSERA_INLINE vfloat32m4_t ime_load_repeated(const float* p) noexcept {
  vfloat32m1_t v;
  __asm__("vl1re32.v %0, %1"
          : "=vr"(v)
          : "A"(*reinterpret_cast<const detail::ImeBlock<RegisterBytes>*>(p)));
  const auto two = __riscv_vcreate_v_f32m1_f32m2(v, v);
  return __riscv_vcreate_v_f32m2_f32m4(two, two);
}

/// total = fma(float(sum), sa * sb rounded, total) in all lanes. One statement, after which nothing but
/// the total lives: left to compilers (clang 19, GCC 14), results change registers and sums are spilled.
TESSERA_INLINE void ime_scale_add(vint32m4_t sum, vfloat32m4_t sa, vfloat32m4_t sb,
                                  vfloat32m4_t& total) noexcept {
  unsigned long vl;
  __asm__ volatile(
      "vsetvli %[vl], zero, e32, m4, ta, ma\n"
      "vfcvt.f.x.v %[sum], %[sum]\n"
      "vfmul.vv %[sb], %[sa], %[sb]\n"
      "vfmacc.vv %[total], %[sum], %[sb]"
      : [vl] "=&r"(vl), [sum] "+&vr"(sum), [sb] "+&vr"(sb), [total] "+&vr"(total)
      : [sa] "vr"(sa)
      : "vl", "vtype");
}
/// total = fma(a, b, total) likewise.
TESSERA_INLINE void ime_product_add(vfloat32m4_t a, vfloat32m4_t b, vfloat32m4_t& total) noexcept {
  unsigned long vl;
  __asm__ volatile(
      "vsetvli %[vl], zero, e32, m4, ta, ma\n"
      "vfmacc.vv %[total], %[a], %[b]"
      : [vl] "=&r"(vl), [total] "+&vr"(total)
      : [a] "vr"(a), [b] "vr"(b)
      : "vl", "vtype");
}

/// Two stacked tiles' products with one panel: register 2 s of `a` holds the upper tile's rows of k step
/// s, register 2 s + 1 the lower tile's, register s of `b` the columns; the sums begin at zero and are
/// the upper tile's pair of registers, then the lower one's. `Insn` is one of the vmadot family
/// (isa/ime). Precondition: the tile's VLEN.
//
// Registers only: no memory is read or written, so "memory" is no clobber. Volatile keeps the
// statements in the order written, which is the one that the registers suffice for.
template <class Insn>
TESSERA_INLINE vint32m4_t ime_dot_stack(vint8m8_t a, vint8m4_t b) noexcept {
  vint32m4_t c;
  unsigned long vl;
  __asm__ volatile(TSR_SMT_REGISTERS "vsetvli %[vl], zero, e32, m4, ta, ma\n vmv.v.i %[c], 0\n"  //
                   TSR_SMT_VSETVLI("e32")                                                        //
                   TSR_SMT_WORD_OF("c", "a", "b", "", "", "")                                    //
                   TSR_SMT_WORD_OF("c", "a", "b", "+2", "+1", "")                                //
                   TSR_SMT_WORD_OF("c", "a", "b", "", "+2", "+1")                                //
                   TSR_SMT_WORD_OF("c", "a", "b", "+2", "+3", "+1")                              //
                   TSR_SMT_WORD_OF("c", "a", "b", "", "+4", "+2")                                //
                   TSR_SMT_WORD_OF("c", "a", "b", "+2", "+5", "+2")                              //
                   TSR_SMT_WORD_OF("c", "a", "b", "", "+6", "+3")                                //
                   TSR_SMT_WORD_OF("c", "a", "b", "+2", "+7", "+3")
                   : [vl] "=&r"(vl), [c] "=&vr"(c)
                   : [a] "vr"(a), [b] "vr"(b), [word] "i"(detail::ime_word<Insn>)
                   : "vl", "vtype");
  return c;
}
template <class Insn>
TESSERA_INLINE vint32m4_t ime_dot_stack(vint8m4_t a, vint8m2_t b) noexcept {
  vint32m4_t c;
  unsigned long vl;
  __asm__ volatile(TSR_SMT_REGISTERS "vsetvli %[vl], zero, e32, m4, ta, ma\n vmv.v.i %[c], 0\n"  //
                   TSR_SMT_VSETVLI("e32")                                                        //
                   TSR_SMT_WORD_OF("c", "a", "b", "", "", "")                                    //
                   TSR_SMT_WORD_OF("c", "a", "b", "+2", "+1", "")                                //
                   TSR_SMT_WORD_OF("c", "a", "b", "", "+2", "+1")                                //
                   TSR_SMT_WORD_OF("c", "a", "b", "+2", "+3", "+1")
                   : [vl] "=&r"(vl), [c] "=&vr"(c)
                   : [a] "vr"(a), [b] "vr"(b), [word] "i"(detail::ime_word<Insn>)
                   : "vl", "vtype");
  return c;
}
template <class Insn>
TESSERA_INLINE vint32m4_t ime_dot_stack(vint8m2_t a, vint8m1_t b) noexcept {
  vint32m4_t c;
  unsigned long vl;
  __asm__ volatile(TSR_SMT_REGISTERS "vsetvli %[vl], zero, e32, m4, ta, ma\n vmv.v.i %[c], 0\n"  //
                   TSR_SMT_VSETVLI("e32")                                                        //
                   TSR_SMT_WORD_OF("c", "a", "b", "", "", "")                                    //
                   TSR_SMT_WORD_OF("c", "a", "b", "+2", "+1", "")
                   : [vl] "=&r"(vl), [c] "=&vr"(c)
                   : [a] "vr"(a), [b] "vr"(b), [word] "i"(detail::ime_word<Insn>)
                   : "vl", "vtype");
  return c;
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME_VMADOT_HPP_
