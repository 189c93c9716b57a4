// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// 16-bit floats to and from lanes, one text for every backend, in integer operations only.
///
/// Hazard: Highway 1.2 converts 2048 of the 65,536 half values wrongly in software, and its RVV
/// f32 -> bf16 rounds otherwise; hardware conversions keep or quieten NaNs as they like. A backend
/// may use hardware only where a test has proven it over all values.
#ifndef TESSERA_CORE_HALF_LANES_HPP_
#define TESSERA_CORE_HALF_LANES_HPP_

#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// I32 lanes holding Float16 bit patterns (0..65535) to F32. Exact; NaNs come out quiet.
template <class D>
TESSERA_INLINE typename D::F32 f32_from_f16(D d, typename D::I32 h) noexcept {
  const auto sign = d.template shl<16>(d.iand(h, d.set_i32(0x8000)));
  const auto magnitude = d.template shl<13>(d.iand(h, d.set_i32(0x7fff)));
  // Scaling by 2^112 rebiases the exponent and normalises subnormals, both exactly.
  const auto finite = d.bits(d.rounded(d.mul(d.from_bits(magnitude), d.set(0x1p112f))));
  const auto special = d.ior(magnitude, d.set_i32(0x7f800000));
  const auto quiet = d.ior(special, d.set_i32(0x400000));
  const auto is_nan = d.igt(magnitude, d.set_i32(0x0f800000));
  const auto is_special = d.igt(magnitude, d.set_i32(0x0f7fffff));
  const auto nan_or_inf = d.select(is_nan, quiet, special);
  return d.from_bits(d.ior(sign, d.select(is_special, nan_or_inf, finite)));
}

/// I32 lanes holding BFloat16 bit patterns to F32. Exact.
template <class D>
TESSERA_INLINE typename D::F32 f32_from_bf16(D d, typename D::I32 h) noexcept {
  return d.from_bits(d.template shl<16>(h));
}

/// F32 to Float16 bit patterns: the rounding and the NaN of to_float16(float).
template <class D>
TESSERA_INLINE typename D::I32 f16_from_f32(D d, typename D::F32 x) noexcept {
  const auto bits = d.bits(x);
  const auto sign = d.iand(d.template shr<16>(bits), d.set_i32(0x8000));
  const auto a = d.iand(bits, d.set_i32(0x7fffffff));
  const auto odd = d.iand(d.template shr<13>(a), d.set_i32(1));
  const auto biased = d.iadd(d.isub(a, d.set_i32(0x38000000 - 0xfff)), odd);
  const auto normal = d.template shr<13>(biased);
  // Adding 0.5 rounds a subnormal half to a multiple of 2^-24, the spacing of floats at 0.5.
  const auto shifted = d.add(d.from_bits(a), d.set(0.5f));
  const auto subnormal = d.isub(d.bits(shifted), d.set_i32(0x3f000000));
  const auto is_normal = d.igt(a, d.set_i32(0x387fffff));
  const auto is_large = d.igt(a, d.set_i32(0x477fffff));
  const auto is_nan = d.igt(a, d.set_i32(0x7f800000));
  auto h = d.select(is_normal, normal, subnormal);
  h = d.select(is_large, d.set_i32(0x7c00), h);
  h = d.select(is_nan, d.set_i32(0x7e00), h);
  return d.ior(sign, h);
}

/// F32 to BFloat16 bit patterns: the rounding and the NaN of to_bfloat16(float).
template <class D>
TESSERA_INLINE typename D::I32 bf16_from_f32(D d, typename D::F32 x) noexcept {
  const auto bits = d.bits(x);
  const auto odd = d.iand(d.template shr<16>(bits), d.set_i32(1));
  const auto rounded = d.template shr<16>(d.iadd(d.iadd(bits, d.set_i32(0x7fff)), odd));
  const auto a = d.iand(bits, d.set_i32(0x7fffffff));
  const auto nan = d.ior(d.iand(d.template shr<16>(bits), d.set_i32(0x8000)), d.set_i32(0x7fc0));
  return d.select(d.igt(a, d.set_i32(0x7f800000)), nan, rounded);
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_CORE_HALF_LANES_HPP_
