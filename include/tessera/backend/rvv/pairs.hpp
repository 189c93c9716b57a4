// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Deinterleaving loads and interleaving stores of pairs of 32-bit lanes.
///
/// Pairs are loaded as 32-bit elements (8-byte elements would have to be 8-byte aligned), seen as
/// 64-bit lanes in registers, and split by narrowing shifts: three instructions that work on whole
/// registers, where a segment load costs a cycle or more per element.
#ifndef TESSERA_BACKEND_RVV_PAIRS_HPP_
#define TESSERA_BACKEND_RVV_PAIRS_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/backend/rvv/types.hpp"
#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// 2 * vl elements in twice the registers, and 64-bit lanes of both.
template <int LMUL>
struct RvvPairTypes;

template <>
struct RvvPairTypes<1> {
  TESSERA_INLINE static vuint64m2_t load(const std::uint32_t* p, std::size_t n) {
    return __riscv_vreinterpret_u64m2(__riscv_vle32_v_u32m2(p, n));
  }
  TESSERA_INLINE static vuint32m2_t u32(vuint64m2_t v) { return __riscv_vreinterpret_u32m2(v); }
};

template <>
struct RvvPairTypes<2> {
  TESSERA_INLINE static vuint64m4_t load(const std::uint32_t* p, std::size_t n) {
    return __riscv_vreinterpret_u64m4(__riscv_vle32_v_u32m4(p, n));
  }
  TESSERA_INLINE static vuint32m4_t u32(vuint64m4_t v) { return __riscv_vreinterpret_u32m4(v); }
};

template <>
struct RvvPairTypes<4> {
  TESSERA_INLINE static vuint64m8_t load(const std::uint32_t* p, std::size_t n) {
    return __riscv_vreinterpret_u64m8(__riscv_vle32_v_u32m8(p, n));
  }
  TESSERA_INLINE static vuint32m8_t u32(vuint64m8_t v) { return __riscv_vreinterpret_u32m8(v); }
};

}  // namespace detail

/// even, odd = the elements of vl pairs at p.
template <int LMUL>
TESSERA_INLINE void rvv_load_pairs(const std::uint32_t* p, std::size_t vl,
                                   typename RvvTypes<LMUL>::U32& even,
                                   typename RvvTypes<LMUL>::U32& odd) noexcept {
  if constexpr (LMUL == 8) {
    // Sixteen registers are no group: the lower and the upper four registers of each, in turn.
    const std::size_t half = __riscv_vsetvlmax_e32m4();
    const std::size_t low = vl < half ? vl : half;
    vuint32m4_t e, o;
    rvv_load_pairs<4>(p, low, e, o);
    even = __riscv_vlmul_ext_u32m8(e);
    odd = __riscv_vlmul_ext_u32m8(o);
    rvv_load_pairs<4>(p + 2 * low, vl - low, e, o);
    even = __riscv_vset(even, 1, e);
    odd = __riscv_vset(odd, 1, o);
  } else {
    const auto pairs = detail::RvvPairTypes<LMUL>::load(p, 2 * vl);
    even = __riscv_vnsrl(pairs, 0, vl);
    odd = __riscv_vnsrl(pairs, 32, vl);
  }
}

/// vl pairs at p = even, odd.
template <int LMUL>
TESSERA_INLINE void rvv_store_pairs(std::uint32_t* p, std::size_t vl,
                                    typename RvvTypes<LMUL>::U32 even,
                                    typename RvvTypes<LMUL>::U32 odd) noexcept {
  if constexpr (LMUL == 8) {
    const std::size_t half = __riscv_vsetvlmax_e32m4();
    const std::size_t low = vl < half ? vl : half;
    rvv_store_pairs<4>(p, low, __riscv_vget_u32m4(even, 0), __riscv_vget_u32m4(odd, 0));
    rvv_store_pairs<4>(p + 2 * low, vl - low, __riscv_vget_u32m4(even, 1),
                       __riscv_vget_u32m4(odd, 1));
  } else {
    // even + odd, then another 2^32 - 1 times odd: odd lies in the upper half.
    auto pairs = __riscv_vwaddu_vv(even, odd, vl);
    pairs = __riscv_vwmaccu(pairs, 0xffffffffu, odd, vl);
    __riscv_vse32(p, detail::RvvPairTypes<LMUL>::u32(pairs), 2 * vl);
  }
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_RVV_PAIRS_HPP_
