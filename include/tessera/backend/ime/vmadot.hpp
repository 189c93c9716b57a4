// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Matrix instructions as words, for compilers and assemblers that do not know them.
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

#include "tessera/config.hpp"
#include "tessera/isa/ime/all.hpp"

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

/// c0 += a * b0, c1 += a * b1, c2 += a * b2 for two k steps: the first registers of the pairs, then
/// the second. `Insn` is one of the vmadot family (isa/ime). Precondition: the tile's VLEN.
template <class Insn>
TESSERA_INLINE void ime_dot_three(vint8m2_t a, vint8m2_t b0, vint8m2_t b1, vint8m2_t b2,
                                  vint32m2_t& c0, vint32m2_t& c1, vint32m2_t& c2) noexcept {
  vint32m2_t d0 = c0, d1 = c1, d2 = c2;
  unsigned long vl;
  __asm__(
      ".irp "
      "r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
      ".set .Ltessera_v\\r, \\r\n"
      ".endr\n"
      "vsetvli %[vl], zero, e32, m1, ta, ma\n"
      ".4byte %[word] | .Ltessera_%[b0] << 20 | .Ltessera_%[a] << 15 | .Ltessera_%[d0] << 7\n"
      ".4byte %[word] | .Ltessera_%[b1] << 20 | .Ltessera_%[a] << 15 | .Ltessera_%[d1] << 7\n"
      ".4byte %[word] | .Ltessera_%[b2] << 20 | .Ltessera_%[a] << 15 | .Ltessera_%[d2] << 7\n"
      ".4byte %[word] | (.Ltessera_%[b0] + 1) << 20 | (.Ltessera_%[a] + 1) << 15 |"
      " .Ltessera_%[d0] << 7\n"
      ".4byte %[word] | (.Ltessera_%[b1] + 1) << 20 | (.Ltessera_%[a] + 1) << 15 |"
      " .Ltessera_%[d1] << 7\n"
      ".4byte %[word] | (.Ltessera_%[b2] + 1) << 20 | (.Ltessera_%[a] + 1) << 15 |"
      " .Ltessera_%[d2] << 7"
      : [vl] "=&r"(vl), [d0] "+&vr"(d0), [d1] "+&vr"(d1), [d2] "+&vr"(d2)
      : [a] "vr"(a), [b0] "vr"(b0), [b1] "vr"(b1), [b2] "vr"(b2), [word] "i"(detail::ime_word<Insn>)
      : "vl", "vtype");
  c0 = d0, c1 = d1, c2 = d2;
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME_VMADOT_HPP_
