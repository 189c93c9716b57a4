// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The tests' random data is the same everywhere: golden values, ranges, and what each fill promises.
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using namespace tessera_test;

TEST(Random, PublishedSequence) {
  // The first outputs for seed 1234567 as published with the generator.
  Random r(1234567);
  EXPECT_EQ(r.bits64(), 6457827717110365317u);
  EXPECT_EQ(r.bits64(), 3203168211198807973u);
  EXPECT_EQ(r.bits64(), 9817491932198370423u);
}

TEST(Random, RangesAreKeptAndReached) {
  Random r(1);
  bool low = false;
  bool high = false;
  for (int i = 0; i < 2000; ++i) {
    const int x = r.between(-3, 3);
    ASSERT_TRUE(x >= -3 && x <= 3);
    low = low || x == -3;
    high = high || x == 3;
    const float u = r.uniform(-2.0f, 5.0f);
    ASSERT_TRUE(u >= -2.0f && u <= 5.0f);
    ASSERT_LT(r.below(7), 7u);
    ASSERT_TRUE(std::isfinite(r.any_finite()));
  }
  EXPECT_TRUE(low && high);
}

TEST(Random, GaussianHasItsMoments) {
  Random r(2);
  constexpr int n = 20000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < n; ++i) {
    const double x = static_cast<double>(r.gaussian(2.0f));
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / n, 0.0, 0.06);
  EXPECT_NEAR(squares / n, 4.0, 0.2);
}

TEST(Random, TheSameBitsEverywhere) {
  Random r(3);
  EXPECT_EQ(tessera::bits_of(r.uniform()), 0x3de858a0u);
  EXPECT_EQ(tessera::bits_of(r.uniform(-1.5f, 0.7f)), 0x3d267c0eu);
  EXPECT_EQ(tessera::bits_of(r.gaussian()), 0x3e2c7d3du);
  EXPECT_EQ(tessera::bits_of(r.gaussian(0.3f)), 0x3e7a954fu);
  EXPECT_EQ(r.between(-100, 100), -99);
}

std::vector<float> filled(Fill kind, std::size_t n) {
  Random r(4);
  std::vector<float> x(n);
  fill(x, kind, r);
  return x;
}

TEST(Random, FillsKeepTheirPromise) {
  const auto one_hot = filled(Fill::one_hot, 100);
  EXPECT_EQ(std::count(one_hot.begin(), one_hot.end(), 1.0f), 1);
  EXPECT_EQ(std::count(one_hot.begin(), one_hot.end(), 0.0f), 99);
  for (const float x : filled(Fill::extreme, 100)) EXPECT_EQ(std::fabs(x), 0x1p60f);
  for (const float x : filled(Fill::uniform, 100)) EXPECT_LE(std::fabs(x), 1.0f);
  for (const float x : filled(Fill::tiny, 100)) EXPECT_LT(std::fabs(x), 0x1p-125f);
  for (const float x : filled(Fill::integers, 100)) EXPECT_EQ(x, std::floor(x));
  for (const Fill kind : finite_fills)
    for (const float x : filled(kind, 1000)) EXPECT_TRUE(std::isfinite(x)) << name(kind);
  const auto special = filled(Fill::special, 1000);
  EXPECT_TRUE(std::any_of(special.begin(), special.end(), [](float x) { return std::isnan(x); }));
  EXPECT_TRUE(std::any_of(special.begin(), special.end(), [](float x) { return std::isinf(x); }));
}

TEST(Random, OtherElementTypes) {
  Random r(5);
  std::vector<std::int8_t> codes(200);
  fill(codes, Fill::extreme, r);
  EXPECT_GT(std::count(codes.begin(), codes.end(), -128), 0);
  EXPECT_EQ(
      std::count(codes.begin(), codes.end(), -128) + std::count(codes.begin(), codes.end(), 127),
      200);
  fill(codes, Fill::one_hot, r);
  EXPECT_EQ(std::count(codes.begin(), codes.end(), 0), 199);
  std::vector<tessera::Float16> halves(50);
  fill(halves, Fill::extreme, r);
  for (const auto h : halves) EXPECT_EQ(h.bits & 0x7fffu, 0x7bffu);
  std::vector<tessera::BFloat16> brains(50);
  fill(brains, Fill::one_hot, r);
  EXPECT_EQ(std::count(brains.begin(), brains.end(), tessera::BFloat16{0x3f80}), 1);
}

}  // namespace
