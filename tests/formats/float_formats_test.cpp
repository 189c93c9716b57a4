// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// f32, f16 and bf16: arrays to and from float, exact or rounded to nearest even, nothing written
// beyond the count.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tessera/formats/all.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/norms.hpp"
#include "tests/support/random.hpp"

namespace {

using namespace tessera_test;

template <class F>
class FloatFormats : public testing::Test {};
using Formats = testing::Types<tessera::format::f32, tessera::format::f16, tessera::format::bf16>;
TYPED_TEST_SUITE(FloatFormats, Formats);

float one_by_one(float x, float*) {
  return x;
}
tessera::Float16 one_by_one(float x, tessera::Float16*) {
  return tessera::to_float16(x);
}
tessera::BFloat16 one_by_one(float x, tessera::BFloat16*) {
  return tessera::to_bfloat16(x);
}

TYPED_TEST(FloatFormats, ArraysOfEveryLength) {
  using E = typename TypeParam::Element;
  Random r(1);
  for (std::size_t n = 0; n <= 40; ++n)
    for (const Fill kind : all_fills) {
      GuardedBuffer<float> x(n);
      fill(x.span(), kind, r, 65504.0f);
      x.seal();
      GuardedBuffer<E> stored(n);
      TypeParam::quantize(x.data(), n, stored.data());
      EXPECT_TRUE(stored.untouched_outside());
      GuardedBuffer<float> back(n);
      TypeParam::dequantize(stored.data(), n, back.data());
      EXPECT_TRUE(back.untouched_outside());
      for (std::size_t i = 0; i < n; ++i) {
        const E want = one_by_one(x[i], static_cast<E*>(nullptr));
        ASSERT_EQ(std::memcmp(&want, &stored[i], sizeof want), 0) << i << ' ' << name(kind);
        ASSERT_TRUE(same_bits(back[i], tessera::to_float(want))) << i << ' ' << name(kind);
      }
    }
}

TYPED_TEST(FloatFormats, WritesNoMoreThanTheCount) {
  using E = typename TypeParam::Element;
  GuardedBuffer<float> x(9);
  for (float& v : x) v = 1.0f;
  GuardedBuffer<E> stored(9);
  TypeParam::quantize(x.data(), 5, stored.data());
  EXPECT_TRUE(stored.untouched_except(0, 5));
  GuardedBuffer<float> back(9);
  TypeParam::dequantize(stored.data(), 5, back.data());
  EXPECT_TRUE(back.untouched_except(0, 5));
}

TEST(HalfFormats, GoldenBytes) {
  const float x[] = {1.0f, -2.0f, 65504.0f, 1e10f, 0x1.004p0f};
  tessera::Float16 h[5];
  tessera::BFloat16 b[5];
  tessera::format::f16::quantize(x, 5, h);
  tessera::format::bf16::quantize(x, 5, b);
  const std::uint16_t halves[] = {0x3c00, 0xc000, 0x7bff, 0x7c00, 0x3c01};
  const std::uint16_t brains[] = {0x3f80, 0xc000, 0x4780, 0x5015, 0x3f80};
  EXPECT_EQ(std::memcmp(h, halves, sizeof h), 0);
  EXPECT_EQ(std::memcmp(b, brains, sizeof b), 0);
  static_assert(tessera::format::f16::from_float(1.0f).bits == 0x3c00);
  static_assert(tessera::format::bf16::from_float(1.0f).bits == 0x3f80);
  static_assert(tessera::format::f32::from_float(1.5f) == 1.5f);
}

}  // namespace
