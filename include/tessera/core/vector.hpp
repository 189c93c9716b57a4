// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The vector layer's contract: what a *lanes object* `d` of any backend can do.
///
/// A lanes object names a number of 32-bit lanes and how many of them are active. Kernels get one
/// from the backend (`for_lanes`, `for_virtual`, `full_virtual`) and call its members. Vectors
/// are opaque (`D::F32`, `D::I32`, `D::Mask`, `D::Product`); on RVV they are sizeless, so above
/// backend/ a vector is never a member, an array element or captured by copy: hold it in `auto`,
/// pass it by value or reference.
///
/// | member | meaning |
/// |---|---|
/// | `size()` | active lanes; at least 1 |
/// | `load(const float*/Float16*/BFloat16*)` | consecutive elements to F32, exact; never reads beyond the active lanes |
/// | `load_i32(const int8_t*/int32_t*)` | consecutive elements to I32, sign-extended |
/// | `load_pairs(const float* p, F32& even, F32& odd)` | 2*size() floats, deinterleaved |
/// | `store(float*/Float16*/BFloat16*, F32)` | active lanes only; 16-bit types round to nearest even (core/float16.hpp) |
/// | `store_i32(int32_t*, I32)`, `store_i8(int8_t*, I32)` | active lanes; i8 keeps the low byte |
/// | `store_pairs(float* p, F32 even, F32 odd)` | interleaved |
/// | `set(float)`, `set_i32(int32_t)` | every lane |
/// | `add sub div` `sqrt abs neg` | IEEE, one rounding; abs and neg change the sign bit only |
/// | `mul(a, b)` -> Product | IEEE product; a Product is taken only by mul, fma, fnma, rounded and comparisons |
/// | `rounded(Product)` -> F32 | the product, which no compiler fuses into a following addition |
/// | `fma(a, b, c)`, `fnma(a, b, c)` | a*b+c, c-a*b, one rounding |
/// | `mul(float, b)`, `fma(float, b, c)`, `fnma(float, b, c)`, `gt(a, float)`, `lt(a, float)`,
/// `select(Mask, float, b)`, `sub(a, float)`, `iadd(a, int32_t)`, `imul(a, int32_t)` | the same with one scalar for all lanes: where an ISA has such an operand, no
/// register is needed for it |
/// | `max(a, b)`, `min(a, b)` | `a > b ? a : b`, `a < b ? a : b`: with a NaN or two zeros the result is b |
/// | `gt ge lt le eq` -> Mask | ordered, quiet: false with a NaN |
/// | `igt(I32, I32)`, `ieq` -> Mask | signed |
/// | `mask_and mask_or mask_not` | |
/// | `select(Mask, a, b)` | a where set, else b; F32 or I32 |
/// | `bits(F32)` -> I32, `from_bits(I32)` -> F32 | reinterpretation |
/// | `iadd isub imul iand ior ixor imax` | modulo 2^32; imax signed |
/// | `shl<N> shr<N> sra<N>` | N in 1..31; logical left, logical right, arithmetic right |
/// | `to_f32(I32)` | nearest even |
/// | `round_to_i32(F32)` | nearest even; precondition: magnitude below 2^31; of a NaN anything |
/// | `ldexp(F32 x, I32 n)` | x * 2^n, one rounding; precondition: 0.5 <= |x| < 4, -200 <= n <= 200 |
/// | `reload(F32& to, const float* p)`, `accumulate(F32& sum, float a, F32 b)` | to = load(p); sum = fma(a, b,
/// sum): for blocks that fill the register file, in the same registers wherever a compiler would spill |
/// | `unrolled` | how often a loop of those two is best unrolled, a constant |
/// | `keep(F32 old, F32 now)` | `now` in active lanes, `old` in the others |
///
/// Lanes objects of the *virtual lanes* kind (see below) have also
/// | `sum(F32)` -> float | the fixed tree: fold halves, lane i += lane i + h for h = 16, 8, 4, 2, 1 |
/// | `max_lane(F32)` -> float | the same tree with max |
/// | `imax_lane(I32)` -> int32_t | the largest lane |
///
/// Vector types do not depend on how many lanes are active: an accumulator made by full_virtual() is
/// updated by the partial lanes object of a tail (with keep).
///
/// In lanes beyond the active ones a vector holds anything. A backend class B provides
/// - `B::template for_lanes<M>(n, body)`: calls `body(d, offset)` for consecutive stretches of [0, n);
///   M in {1, 2, 4, 8} asks for registers per vector (a hint: results do not depend on it);
/// - `B::for_virtual(n, body)`: the same in stretches of exactly `virtual_lanes` (the last may have
///   fewer active lanes);
/// - `B::state_registers`: the M for loops in which four vectors are alive at once;
/// - `B::strided_halves`, `B::template tile_codes<T>` and `B::transpose`: moves of a cache's rows into a
///   tile's layout (backend/moves.hpp);
/// - optionally `B::with_largest(n, make, use)`: calls use(d, offset, make(d, offset), m) over [0, n) and
///   returns m, the largest of what make gives (-inf if there is none; NaN ignored, of two zeros either);
///   make may be called twice;
/// - `B::full_virtual()`: the lanes object of a full stretch, to make and fold accumulators with.
#ifndef TESSERA_CORE_VECTOR_HPP_
#define TESSERA_CORE_VECTOR_HPP_

#include <cstddef>

#include "tessera/config.hpp"

TESSERA_NAMESPACE_BEGIN

/// Lanes of a row reduction: element i belongs to lane i mod virtual_lanes, each lane accumulates
/// ascending, and the lanes are folded by a fixed tree.
///
/// Chosen by measurement, sum of squares of 1024 floats with 16 / 32 / 64 lanes: 861 / 447 / 245
/// instructions on RVV, 51 / 36 / 30 ns on one AVX-512 core. 64 lanes do not fit one register group
/// at VLEN 128, so one binary for all vector lengths could not hold them in one vector.
inline constexpr std::size_t virtual_lanes = 32;

TESSERA_NAMESPACE_END

#endif  // TESSERA_CORE_VECTOR_HPP_
