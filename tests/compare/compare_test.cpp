// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Every measure on values whose answer is known, and every verdict on a fault of its kind.
#include "tessera/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/random.hpp"

namespace {

using tessera::Comparison;
using tessera::Element;
using tessera::Elements;
using tessera::Judgement;
using tessera::Layout;
using tessera::Verdict;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

Elements elements(const std::vector<float>& x) {
  return {x.data(), x.size(), Element::f32};
}

Comparison compared(const Elements& a, const Elements& b) {
  std::vector<std::uint32_t> workspace(tessera::compare_workspace(a.count));
  Comparison c;
  EXPECT_EQ(tessera::compare(a, b, workspace, &c), tessera::Status::ok);
  return c;
}

Judgement judged(const std::vector<float>& a, const std::vector<float>& b,
                 const std::vector<std::size_t>& shape, tessera::BufferHashes hashes = {}) {
  return tessera::judge(compared(elements(a), elements(b)), elements(a), elements(b), shape,
                        tessera::rounding_limits(Element::f32), hashes);
}

std::vector<float> drawn(std::size_t count, std::uint64_t seed = 1) {
  tessera_test::Random random(seed);
  std::vector<float> x(count);
  for (float& e : x) e = random.gaussian();
  return x;
}

/// [outer][rows][cols][inner] with rows and cols exchanged.
std::vector<float> exchanged(const std::vector<float>& x, std::size_t outer, std::size_t rows,
                             std::size_t cols, std::size_t inner) {
  std::vector<float> y;
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t c = 0; c < cols; ++c)
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t e = 0; e < inner; ++e)
          y.push_back(x[((o * rows + r) * cols + c) * inner + e]);
  return y;
}

TEST(Compare, MeasuresByHand) {
  const Comparison c = compared(elements({3, 4, 0, 1}), elements({3, 5, 0, 0}));
  EXPECT_EQ(c.differing, 2u);
  EXPECT_EQ(c.first, 1u);
  EXPECT_EQ(c.worst, 3u);  // 1 of rms alone; 1 of 5 + rms at element 1
  EXPECT_EQ(c.max_abs, 1.0);
  EXPECT_EQ(c.max_rel, std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(c.nmse, 2.0 / 34);
  EXPECT_DOUBLE_EQ(c.sensitive, std::sqrt(2.0 / 34));
  EXPECT_DOUBLE_EQ(c.insensitive, std::sqrt(2.0 / 34));  // sorted: 0 1 3 4 against 0 0 3 5
  EXPECT_DOUBLE_EQ(c.cosine, 29 / std::sqrt(26.0 * 34));
  EXPECT_DOUBLE_EQ(c.rms, std::sqrt(34.0 / 4));
  EXPECT_EQ(c.ulps[0], 2u);
}

TEST(Compare, UlpsAreThoseOfTheCoarserType) {
  const std::vector<float> b = {1, 1, -1, 2, 0};
  const std::vector<float> a = {1, 1 + 0x1p-23f, -1 - 0x3p-23f, 2 - 0x1p-23f, -0.0f};
  const Comparison c = compared(elements(a), elements(b));
  EXPECT_EQ(c.ulps[0], 2u);  // the zeros are at one place
  EXPECT_EQ(c.ulps[1], 2u);
  EXPECT_EQ(c.ulps[2], 1u);  // 3
  EXPECT_EQ(c.differing, 4u);
  const tessera::Float16 half[] = {tessera::to_float16(1.0f), tessera::to_float16(1.0f + 0x1p-10f)};
  const float full[] = {1.0f + 0x1p-13f, 1.0f};
  const Comparison mixed = compared({half, 2, Element::f16}, {full, 2, Element::f32});
  EXPECT_EQ(mixed.ulps[0], 1u);
  EXPECT_EQ(mixed.ulps[1], 1u);
  const double far[] = {-1.0};
  const double near[] = {1.0};
  EXPECT_EQ(
      compared({far, 1, Element::f64}, {near, 1, Element::f64}).ulps[tessera::ulp_buckets - 1], 1u);
}

TEST(Compare, NonFiniteElementsAreCounted) {
  const Comparison c = compared(elements({nan, infinity, -infinity, 1, infinity, infinity}),
                                elements({nan, infinity, 70000, nan, 65504, -infinity}));
  EXPECT_EQ(c.computed.nan, 1u);
  EXPECT_EQ(c.computed.plus, 3u);
  EXPECT_EQ(c.computed.minus, 1u);
  EXPECT_EQ(c.reference.nan, 2u);
  EXPECT_EQ(c.mismatched, 4u);
  EXPECT_EQ(c.overflowed, 1u);
  EXPECT_EQ(c.first, 2u);
  EXPECT_EQ(c.worst, 2u);
  EXPECT_EQ(c.insensitive, std::numeric_limits<double>::infinity());
  EXPECT_EQ(judged({nan, 1}, {1, 1}, {2}).verdict, Verdict::wrong);
  EXPECT_EQ(judged({nan, 1}, {-nan, 1}, {2}).verdict, Verdict::equal);
}

TEST(Compare, RefusesAndDoesWithout) {
  const std::vector<float> x = {1, 2};
  Comparison c;
  EXPECT_EQ(tessera::compare(elements(x), {x.data(), 1, Element::f32}, {}, &c),
            tessera::Status::shape_mismatch);
  EXPECT_EQ(tessera::compare({nullptr, 2, Element::f32}, elements(x), {}, &c),
            tessera::Status::null_pointer);
  ASSERT_EQ(tessera::compare(elements(x), elements(x), {}, &c), tessera::Status::ok);
  EXPECT_TRUE(std::isnan(c.insensitive));
  EXPECT_DOUBLE_EQ(c.cosine, 1.0);
  EXPECT_EQ(compared({nullptr, 0, Element::f32}, {nullptr, 0, Element::f32}).differing, 0u);
}

TEST(Judge, RoundingIsNoDivergence) {
  const std::vector<float> b = drawn(4096);
  std::vector<float> a = b;
  EXPECT_EQ(judged(a, b, {64, 64}).verdict, Verdict::equal);
  for (float& e : a) e *= 1 + 0x1p-20f;
  EXPECT_EQ(judged(a, b, {64, 64}).verdict, Verdict::rounding);
}

TEST(Judge, OneWrongElementOfVeryMany) {
  std::vector<float> b = drawn(40000);
  b[1234] = 0;
  std::vector<float> a = b;
  a[1234] = 0.01f;
  EXPECT_LT(compared(elements(a), elements(b)).sensitive, 1e-4);
  EXPECT_EQ(judged(a, b, {200, 200}).verdict, Verdict::wrong);
}

TEST(Judge, OneWrongElementOfMany) {
  const std::vector<float> b = drawn(4096);
  std::vector<float> a = b;
  a[1234] += 0.02f;
  const Comparison c = compared(elements(a), elements(b));
  EXPECT_LT(c.sensitive, 1e-3);
  EXPECT_EQ(c.worst, 1234u);
  EXPECT_EQ(judged(a, b, {64, 64}).verdict, Verdict::wrong);
}

TEST(Judge, NamesExchangedAxes) {
  const std::vector<float> b = drawn(3 * 8 * 5 * 4);
  const std::vector<std::size_t> shape = {3, 8, 5, 4};
  const auto expect = [&](const std::vector<float>& a, std::size_t first, std::size_t second) {
    const Judgement j = judged(a, b, shape);
    EXPECT_EQ(j.verdict, Verdict::layout);
    EXPECT_EQ(j.layout.layout, Layout::transposed);
    EXPECT_EQ(j.layout.first, first);
    EXPECT_EQ(j.layout.second, second);
  };
  expect(exchanged(b, 3, 8, 5, 4), 1, 2);
  expect(exchanged(b, 1, 3, 8, 20), 0, 1);
  expect(exchanged(b, 24, 5, 4, 1), 2, 3);
  expect(exchanged(b, 24, 4, 5, 1), 2, 3);  // read as if it had been the other way round
}

TEST(Judge, NamesPermutedAndRepeatedSlices) {
  const std::vector<float> b = drawn(6 * 4 * 16);
  const auto heads = [&](const std::vector<std::size_t>& map) {
    std::vector<float> a;
    for (std::size_t t = 0; t < 6; ++t)
      for (const std::size_t h : map)
        for (std::size_t d = 0; d < 16; ++d) a.push_back(b[(t * 4 + h) * 16 + d]);
    return judged(a, b, {6, 4, 16});
  };
  const Judgement permuted = heads({0, 2, 1, 3});
  EXPECT_EQ(permuted.verdict, Verdict::layout);
  EXPECT_EQ(permuted.layout.layout, Layout::permuted);
  EXPECT_EQ(permuted.layout.first, 1u);
  EXPECT_EQ(heads({0, 0, 1, 1}).layout.layout, Layout::mapped);
}

TEST(Judge, AnyOtherOrderIsShuffled) {
  const std::vector<float> b = drawn(1000);
  std::vector<float> a(1000);
  for (std::size_t i = 0; i < 1000; ++i) a[i] = b[i * 377 % 1000] * (1 + 0x1p-22f);
  const Judgement j = judged(a, b, {1000});
  EXPECT_EQ(j.verdict, Verdict::layout);
  EXPECT_EQ(j.layout.layout, Layout::shuffled);
  EXPECT_LT(compared(elements(a), elements(b)).insensitive, 1e-6);
}

TEST(Judge, OtherValuesOfTheSameDistributionAreWrong) {
  for (const std::size_t count : {4u, 30u, 1000u, 100000u})
    EXPECT_EQ(judged(drawn(count, 2), drawn(count, 3), {count}).verdict, Verdict::wrong) << count;
  std::vector<tessera::BFloat16> a;
  std::vector<tessera::BFloat16> b;
  for (const float x : drawn(100000, 2)) a.push_back(tessera::to_bfloat16(x));
  for (const float x : drawn(100000, 3)) b.push_back(tessera::to_bfloat16(x));
  const Elements ea = {a.data(), a.size(), Element::bf16};
  const Elements eb = {b.data(), b.size(), Element::bf16};
  const std::size_t shape[] = {1000, 100};
  EXPECT_EQ(judge(compared(ea, eb), ea, eb, shape, tessera::rounding_limits(Element::bf16)).verdict,
            Verdict::wrong);
}

TEST(Judge, AFactorRemainsVisible) {
  const std::vector<float> b = drawn(256);
  std::vector<float> a = b;
  for (float& e : a) e *= 8;
  const Comparison c = compared(elements(a), elements(b));
  EXPECT_NEAR(c.factor, 8, 1e-12);
  EXPECT_LT(c.beside, 1e-7);
  EXPECT_NEAR(c.cosine, 1, 1e-12);
  EXPECT_EQ(judged(a, b, {256}).verdict, Verdict::wrong);
}

TEST(Judge, HashesTellAChangedBuffer) {
  const std::vector<float> x = drawn(16);
  EXPECT_EQ(judged(x, x, {16}, {1, 2}).verdict, Verdict::changed);
  EXPECT_EQ(judged(x, x, {16}, {2, 2}).verdict, Verdict::equal);
}

}  // namespace
