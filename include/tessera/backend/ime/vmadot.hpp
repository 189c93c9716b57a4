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

/// Two whole registers of RegisterBytes each, whatever vl and vtype are. Any alignment.
template <std::size_t RegisterBytes>
TESSERA_INLINE vint8m2_t ime_load_two(const std::int8_t* p) noexcept {
  vint8m2_t v;
  __asm__("vl2re8.v %0, %1"
          : "=vr"(v)
          : "A"(*reinterpret_cast<const detail::ImeBlock<2 * RegisterBytes>*>(p)));
  return v;
}

/// One whole register likewise.
template <std::size_t RegisterBytes>
TESSERA_INLINE vint8m1_t ime_load_one(const std::int8_t* p) noexcept {
  vint8m1_t v;
  __asm__("vl1re8.v %0, %1"
          : "=vr"(v)
          : "A"(*reinterpret_cast<const detail::ImeBlock<RegisterBytes>*>(p)));
  return v;
}

/// c0 = c1 = c2 = 0, at a point of the program that `after` decides: a plain constant is hoisted out
/// of all loops, and the registers it is kept in are then missed in the block.
template <class Codes>
TESSERA_INLINE void ime_zero_three(Codes after, vint32m2_t& c0, vint32m2_t& c1,
                                   vint32m2_t& c2) noexcept {
  unsigned long vl;
  __asm__(
      "vsetvli %[vl], zero, e32, m2, ta, ma\n"
      "vmv.v.i %[c0], 0\n"
      "vmv.v.i %[c1], 0\n"
      "vmv.v.i %[c2], 0"
      : [vl] "=&r"(vl), [c0] "=vr"(c0), [c1] "=vr"(c1), [c2] "=vr"(c2)
      : "vr"(after)
      : "vl", "vtype");
}

/// c0 += a * b0, c1 += a * b1, c2 += a * b2 for two k steps: the first registers of the pairs, then
/// the second. `Insn` is one of the vmadot family (isa/ime). Precondition: the tile's VLEN.
template <class Insn>
TESSERA_INLINE void ime_dot_three(vint8m2_t a, vint8m2_t b0, vint8m2_t b1, vint8m2_t b2,
                                  vint32m2_t& c0, vint32m2_t& c1, vint32m2_t& c2) noexcept {
  // Registers only: no memory is read or written, so "memory" is no clobber. Volatile keeps the
  // statements in the order written, which is the one that the registers suffice for.
  unsigned long vl;
  __asm__ volatile(
      TSR_SMT_REGISTERS TSR_SMT_VSETVLI("e32")                                                   //
      TSR_SMT_WORD("c0", "a", "b0") TSR_SMT_WORD("c1", "a", "b1") TSR_SMT_WORD("c2", "a", "b2")  //
      TSR_SMT_WORD_OF("c0", "a", "b0", "+1", "+1") TSR_SMT_WORD_OF("c1", "a", "b1", "+1", "+1")  //
      TSR_SMT_WORD_OF("c2", "a", "b2", "+1", "+1")
      : [vl] "=&r"(vl), [c0] "+&vr"(c0), [c1] "+&vr"(c1), [c2] "+&vr"(c2)
      : [a] "vr"(a), [b0] "vr"(b0), [b1] "vr"(b1), [b2] "vr"(b2), [word] "i"(detail::ime_word<Insn>)
      : "vl", "vtype");
}

/// The same for one k step in one register an operand.
template <class Insn>
TESSERA_INLINE void ime_dot_three_once(vint8m1_t a, vint8m1_t b0, vint8m1_t b1, vint8m1_t b2,
                                       vint32m2_t& c0, vint32m2_t& c1, vint32m2_t& c2) noexcept {
  unsigned long vl;
  __asm__ volatile(
      TSR_SMT_REGISTERS TSR_SMT_VSETVLI("e32")                                                   //
      TSR_SMT_WORD("c0", "a", "b0") TSR_SMT_WORD("c1", "a", "b1") TSR_SMT_WORD("c2", "a", "b2")  //
      : [vl] "=&r"(vl), [c0] "+&vr"(c0), [c1] "+&vr"(c1), [c2] "+&vr"(c2)
      : [a] "vr"(a), [b0] "vr"(b0), [b1] "vr"(b1), [b2] "vr"(b2), [word] "i"(detail::ime_word<Insn>)
      : "vl", "vtype");
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME_VMADOT_HPP_
