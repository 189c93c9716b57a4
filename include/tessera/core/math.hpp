// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// exp, log1p, sigmoid, silu, gelu, softplus, tanh over the lanes of any backend: one text, the same bits.
///
/// `D` is a lanes object (core/vector.hpp). Error bounds are against the exact value, tested at every
/// exponent. Rounding mode must be nearest even, subnormals must not be flushed.
#ifndef TESSERA_CORE_MATH_HPP_
#define TESSERA_CORE_MATH_HPP_

#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// e^x = p * 2^n with p in [0.7, 1.5], for x of at least -104 (below: as there). A NaN passes the selection
/// and, whatever n is then, the polynomial.
template <class D>
TESSERA_INLINE typename D::F32 exp_parts(D d, typename D::F32 x, typename D::I32& n) noexcept {
  auto r = d.select(d.lt(x, -104.0f), -104.0f, x);
  n = d.round_to_i32(d.rounded(d.mul(0x1.715476p+0f, r)));
  const auto nf = d.to_f32(n);
  // ln 2 in two parts; the first has trailing zeros, so n times it is exact.
  r = d.fnma(0x1.62e4p-1f, nf, r);
  r = d.fnma(0x1.7f7d1cp-20f, nf, r);
  auto p = d.fma(1.0f / 5040, r, d.set(1.0f / 720));
  p = d.fma(p, r, d.set(1.0f / 120));
  p = d.fma(p, r, d.set(1.0f / 24));
  p = d.fma(p, r, d.set(1.0f / 6));
  p = d.fma(p, r, d.set(0.5f));
  p = d.fma(p, r, d.set(1.0f));
  return d.fma(p, r, d.set(1.0f));
}

}  // namespace detail

/// e^x, at most 1 ulp (subnormal results: 1 spacing). -inf -> 0, +inf -> +inf, NaN -> NaN;
/// 0 below -104, +inf above 88.7228394.
template <class D>
TESSERA_INLINE typename D::F32 exp(D d, typename D::F32 x) noexcept {
  auto n = d.set_i32(0);
  const auto p = detail::exp_parts(d, d.select(d.gt(x, 89.0f), 89.0f, x), n);
  return d.ldexp(p, n);
}

/// e^x with the bits of exp. Precondition: no x is above 40. A multiplication by 2^n that is known to be
/// small takes half the operations.
template <class D>
TESSERA_INLINE typename D::F32 exp_below_40(D d, typename D::F32 x) noexcept {
  auto n = d.set_i32(0);
  const auto p = detail::exp_parts(d, x, n);
  const auto power = d.from_bits(d.template shl<23>(d.iadd(n, 127 + 64)));
  return d.rounded(d.mul(0x1p-64f, d.rounded(d.mul(p, power))));
}

/// e^min(x, 40) with the bits of exp: for decays, whose x are negative.
template <class D>
TESSERA_INLINE typename D::F32 exp_decay(D d, typename D::F32 x) noexcept {
  return exp_below_40(d, d.select(d.gt(x, 40.0f), 40.0f, x));
}

/// ln(1 + x), at most 2 ulp. x = -1 -> -inf, x < -1 -> NaN, -0 -> -0, +inf -> +inf, NaN -> NaN.
template <class D>
TESSERA_INLINE typename D::F32 log1p(D d, typename D::F32 x) noexcept {
  const auto one = d.set(1.0f);
  const auto u = d.add(x, one);
  // u = 2^k * m with m in [sqrt(1/2), sqrt(2)): shift the mantissa's cut to sqrt(1/2).
  const auto cut = d.isub(d.bits(u), d.set_i32(0x3f3504f3));
  const auto k = d.template sra<23>(cut);
  const auto m = d.from_bits(d.iadd(d.iand(cut, d.set_i32(0x007fffff)), d.set_i32(0x3f3504f3)));
  const auto kf = d.to_f32(k);
  const auto f = d.sub(m, one);
  // What u lost of 1 + x: from the smaller summand, relative to u.
  const auto from_x = d.sub(x, d.sub(u, one));
  const auto from_one = d.sub(one, d.sub(u, x));
  const auto c = d.div(d.select(d.gt(u, d.set(2.0f)), from_one, from_x), u);
  // ln m = 2 atanh(s), s = f / (2 + f): f - f^2/2 + s (f^2/2 + R(s^2)).
  const auto s = d.div(f, d.add(f, d.set(2.0f)));
  const auto z = d.rounded(d.mul(s, s));
  auto t = d.fma(z, d.set(2.0f / 9), d.set(2.0f / 7));
  t = d.fma(t, z, d.set(2.0f / 5));
  t = d.fma(t, z, d.set(2.0f / 3));
  const auto half_square = d.rounded(d.mul(d.mul(f, f), d.set(0.5f)));
  const auto tail = d.fma(t, z, half_square);
  const auto low = d.fma(kf, d.set(0x1.7f7d1cp-20f), c);
  const auto correction = d.sub(d.fma(s, tail, low), half_square);
  auto y = d.fma(kf, d.set(0x1.62e4p-1f), d.add(f, correction));
  y = d.select(d.eq(u, d.set(infinity)), u, y);
  y = d.select(d.eq(u, d.set(0.0f)), d.set(-infinity), y);
  y = d.select(d.lt(u, d.set(0.0f)), d.set(quiet_nan), y);
  y = d.select(d.eq(x, d.set(0.0f)), x, y);
  return d.select(d.eq(x, x), y, x);
}

/// 1 / (1 + e^-x), at most 2.5 ulp (subnormal results: 2 spacings). -inf -> 0, +inf -> 1, NaN -> NaN.
template <class D>
TESSERA_INLINE typename D::F32 sigmoid(D d, typename D::F32 x) noexcept {
  // e^-|x| never overflows, so the lower half keeps its relative accuracy.
  const auto e = exp(d, d.neg(d.abs(x)));
  const auto one = d.set(1.0f);
  return d.div(d.select(d.lt(x, d.set(0.0f)), e, one), d.add(one, e));
}

/// x / (1 + e^-x), at most 3 ulp where e^x is normal (x > -87.33), below that an absolute error of at
/// most 2^-142. -inf -> NaN (as the formula), +inf -> +inf, NaN -> NaN.
template <class D>
TESSERA_INLINE typename D::F32 silu(D d, typename D::F32 x) noexcept {
  return d.rounded(d.mul(x, sigmoid(d, x)));
}

/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), the tanh form of Hendrycks and Gimpel's GELU, as
/// x * sigmoid(z), z twice the argument of tanh: no cancellation, so the relative error is at most
/// (4 + 3 |z|) * 2^-24 while e^z is normal, below that an absolute one of at most 2^-139.
/// -inf -> NaN (as the formula), +inf -> +inf, NaN -> NaN.
template <class D>
TESSERA_INLINE typename D::F32 gelu(D d, typename D::F32 x) noexcept {
  const auto square = d.rounded(d.mul(x, x));
  // sqrt(8 / pi), and that times 0.044715.
  const auto slope = d.fma(0x1.2444f2p-4f, square, d.set(0x1.988454p+0f));
  return d.rounded(d.mul(x, sigmoid(d, d.rounded(d.mul(x, slope)))));
}

/// ln(1 + e^x), at most 2 ulp; x itself above 20. -inf -> 0, NaN -> NaN.
template <class D>
TESSERA_INLINE typename D::F32 softplus(D d, typename D::F32 x) noexcept {
  return d.select(d.gt(x, d.set(20.0f)), x, log1p(d, exp(d, x)));
}

/// tanh(x), at most 2.5 ulp. +-inf -> +-1, NaN -> NaN, -0 -> -0.
template <class D>
TESSERA_INLINE typename D::F32 tanh(D d, typename D::F32 x) noexcept {
  const auto a = d.abs(x);
  // Below 0.625 a polynomial in x^2: 1 - 2 / (e^2a + 1) would cancel.
  const auto z = d.rounded(d.mul(x, x));
  auto p = d.fma(z, d.set(-0x1.8c2d0ap-8f), d.set(0x1.576e3p-6f));
  p = d.fma(p, z, d.set(-0x1.b91582p-5f));
  p = d.fma(p, z, d.set(0x1.110dd8p-3f));
  p = d.fma(p, z, d.set(-0x1.555552p-2f));
  const auto small = d.fma(d.mul(a, z), p, a);
  const auto e = exp(d, d.add(a, a));
  const auto large = d.sub(d.set(1.0f), d.div(d.set(2.0f), d.add(e, d.set(1.0f))));
  const auto magnitude = d.select(d.lt(a, d.set(0.625f)), small, large);
  const auto sign = d.iand(d.bits(x), d.set_i32(INT32_MIN));
  return d.from_bits(d.ior(d.bits(magnitude), sign));
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_CORE_MATH_HPP_
