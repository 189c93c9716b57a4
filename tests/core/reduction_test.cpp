// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// A row reduction over the 32 virtual lanes equals its definition written out: element i belongs to
// lane i mod 32, each lane accumulates ascending, lanes are folded 16, 8, 4, 2, 1 apart.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "tessera/backend/scalar/vec.hpp"
#include "tessera/core/vector.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/norms.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scale.hpp"

namespace {

using tessera::ScalarVectors;
using tessera_test::Fill;
using tessera_test::GuardedBuffer;
using tessera_test::Random;
using tessera_test::same_bits;

static_assert(tessera::virtual_lanes == 32, "part of the definition of every reduced result");

/// The definition, for sums of squares; std::fma and float addition only.
float literal_sum_of_squares(std::span<const float> x) {
  std::array<float, 32> lane = {};
  for (std::size_t i = 0; i < x.size(); ++i) lane[i % 32] = std::fma(x[i], x[i], lane[i % 32]);
  for (const std::size_t h : {16, 8, 4, 2, 1})
    for (std::size_t i = 0; i < h; ++i) lane[i] = lane[i] + lane[i + h];
  return lane[0];
}
float sum_of_squares(std::span<const float> x) {
  const auto all = ScalarVectors::full_virtual();
  auto acc = all.set(0.0f);
  ScalarVectors::for_virtual(x.size(), [&](auto d, std::size_t i) {
    const auto v = d.load(x.data() + i);
    acc = d.keep(acc, d.fma(v, v, acc));
  });
  return all.sum(acc);
}

/// The definition for maxima: a > b ? a : b, so a NaN on the left is lost and one on the right stays.
float literal_max(std::span<const float> x) {
  std::array<float, 32> lane;
  lane.fill(-std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < x.size(); ++i)
    lane[i % 32] = lane[i % 32] > x[i] ? lane[i % 32] : x[i];
  for (const std::size_t h : {16, 8, 4, 2, 1})
    for (std::size_t i = 0; i < h; ++i) lane[i] = lane[i] > lane[i + h] ? lane[i] : lane[i + h];
  return lane[0];
}
float max_of(std::span<const float> x) {
  const auto all = ScalarVectors::full_virtual();
  auto acc = all.set(-std::numeric_limits<float>::infinity());
  ScalarVectors::for_virtual(x.size(), [&](auto d, std::size_t i) {
    acc = d.keep(acc, d.max(acc, d.load(x.data() + i)));
  });
  return all.max_lane(acc);
}

TEST(Reduction, EqualsTheDefinitionAtEveryLength) {
  Random r(1);
  for (std::size_t n = 1; n <= 130; ++n)
    for (const Fill kind : tessera_test::all_fills) {
      GuardedBuffer<float> x(n);
      fill(x.span(), kind, r, 0x1p40f);
      x.seal();
      EXPECT_TRUE(same_bits(sum_of_squares(x.span()), literal_sum_of_squares(x.span())))
          << n << ' ' << name(kind);
      EXPECT_TRUE(same_bits(max_of(x.span()), literal_max(x.span()))) << n << ' ' << name(kind);
    }
}

TEST(Reduction, LongRows) {
  Random r(2);
  for (std::size_t i = tessera_test::repetitions(100); i > 0; --i) {
    GuardedBuffer<float> x(1 + r.below(5000));
    fill(x.span(), Fill::gaussian, r);
    EXPECT_TRUE(same_bits(sum_of_squares(x.span()), literal_sum_of_squares(x.span())));
    EXPECT_TRUE(same_bits(max_of(x.span()), literal_max(x.span())));
  }
}

TEST(Reduction, TheTreeIsNotAnotherOrder) {
  // 1 in lane 0, halves of its spacing elsewhere: each order of additions gives its own result.
  GuardedBuffer<float> x(32);
  for (float& e : x) e = 0x1p-24f;
  x[0] = 1.0f;
  float ascending = 0.0f;
  for (const float e : x) ascending += e;
  const auto all = ScalarVectors::full_virtual();
  EXPECT_EQ(all.sum(all.load(x.data())), 1.0f + 30 * 0x1p-24f);  // lane 16's is lost, in a tie
  EXPECT_EQ(ascending, 1.0f);
}

TEST(Reduction, LargestInteger) {
  Random r(3);
  const auto all = ScalarVectors::full_virtual();
  for (int i = 0; i < 200; ++i) {
    GuardedBuffer<std::int32_t> x(32);
    std::int32_t want = std::numeric_limits<std::int32_t>::min();
    for (auto& e : x) {
      e = static_cast<std::int32_t>(r.bits32());
      want = e > want ? e : want;
    }
    EXPECT_EQ(all.imax_lane(all.load_i32(x.data())), want);
  }
}

}  // namespace
