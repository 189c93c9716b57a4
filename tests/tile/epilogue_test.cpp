// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The functors behind a product: what each does to one value, to NaNs and zeros, and that chains run
// first to last.
#include "tessera/tile/epilogue.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tessera/backend/scalar/vec.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/norms.hpp"
#include "tests/support/random.hpp"

namespace {

using namespace tessera_test;
namespace epilogue = tessera::epilogue;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// The functor over one row of values that starts at `column`.
template <class E>
void run(const E& e, GuardedBuffer<float>& x, std::size_t row, std::size_t column) {
  tessera::ScalarVectors::for_lanes<1>(x.size(), [&](auto d, std::size_t i) {
    d.store(x.data() + i, e(d, d.load(x.data() + i), row, column + i));
  });
}

template <class E>
float one(const E& e, float x, std::size_t row = 0, std::size_t column = 0) {
  GuardedBuffer<float> v(1);
  v[0] = x;
  run(e, v, row, column);
  return v[0];
}

TEST(Epilogue, IdentityKeepsEveryBit) {
  for (const std::uint32_t bits : special_float_bits)
    EXPECT_TRUE(
        same_bits(one(epilogue::Identity{}, tessera::from_bits(bits)), tessera::from_bits(bits)));
}

TEST(Epilogue, ScaleIsOneRoundedProduct) {
  Random r(1);
  for (int i = 0; i < 1000; ++i) {
    const float x = r.any_finite();
    const float factor = r.any_finite();
    const auto want = static_cast<float>(static_cast<double>(x) * static_cast<double>(factor));
    EXPECT_TRUE(same_bits(one(epilogue::Scale{factor}, x), want)) << x << ' ' << factor;
  }
  EXPECT_TRUE(same_bits(one(epilogue::Scale{-2.0f}, 0.0f), -0.0f));
  EXPECT_TRUE(std::isnan(one(epilogue::Scale{0.0f}, inf)));
}

TEST(Epilogue, BiasFollowsTheColumn) {
  GuardedBuffer<float> bias(20);
  for (std::size_t i = 0; i < 20; ++i) bias[i] = static_cast<float>(i);
  bias.seal();
  for (std::size_t column = 0; column < 13; ++column) {
    GuardedBuffer<float> x(7);  // its last element may read the last bias, and nothing behind
    for (float& v : x) v = 0.5f;
    run(epilogue::Bias{bias.data()}, x, 3, column);
    for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(x[i], static_cast<float>(column + i) + 0.5f);
  }
}

TEST(Epilogue, ClampAndItsNan) {
  const epilogue::Clamp clamp = {-1.0f, 2.0f};
  EXPECT_EQ(one(clamp, -3.0f), -1.0f);
  EXPECT_EQ(one(clamp, -1.0f), -1.0f);
  EXPECT_EQ(one(clamp, 0.5f), 0.5f);
  EXPECT_EQ(one(clamp, 2.0f), 2.0f);
  EXPECT_EQ(one(clamp, 3.0f), 2.0f);
  EXPECT_EQ(one(clamp, -inf), -1.0f);
  EXPECT_EQ(one(clamp, inf), 2.0f);
  EXPECT_EQ(one(clamp, nan), -1.0f);
  EXPECT_EQ(one(clamp, -nan), -1.0f);
  EXPECT_TRUE(same_bits(one(clamp, -0.0f), -0.0f));
  // Of two zeros the limit's is taken: that is max's and min's rule.
  EXPECT_TRUE(same_bits(one(epilogue::Clamp{0.0f, 1.0f}, -0.0f), 0.0f));
}

TEST(Epilogue, ChainsRunFirstToLast) {
  GuardedBuffer<float> bias(1);
  bias[0] = 10.0f;
  const epilogue::Scale twice = {2.0f};
  const epilogue::Bias plus_ten = {bias.data()};
  const epilogue::Clamp clamp = {0.0f, 15.0f};
  EXPECT_EQ(one(epilogue::Chain{twice, plus_ten}, 3.0f), 16.0f);
  EXPECT_EQ(one(epilogue::Chain{plus_ten, twice}, 3.0f), 26.0f);
  EXPECT_EQ(one(epilogue::Chain{epilogue::Chain{twice, plus_ten}, clamp}, 3.0f), 15.0f);
  EXPECT_EQ(one(epilogue::Chain{twice, epilogue::Chain{plus_ten, clamp}}, 3.0f), 15.0f);
  EXPECT_EQ(one(epilogue::Chain{clamp, epilogue::Chain{twice, plus_ten}}, 30.0f), 40.0f);
}

/// Adds a number that tells row and column.
struct Where {
  template <class D>
  auto operator()(D d, typename D::F32 v, std::size_t row, std::size_t column) const {
    return d.add(v, d.set(static_cast<float>(100 * row + column)));
  }
};

TEST(Epilogue, ChainsHandRowAndColumnOn) {
  EXPECT_EQ(one(epilogue::Chain{Where{}, Where{}}, 0.0f, 3, 7), 614.0f);
}

TEST(Epilogue, AScaledProductIsNotFusedWithTheBias) {
  // (1 + 2^-12)^2 - 1 is 2^-11 after rounding the product, 2^-11 + 2^-24 without.
  GuardedBuffer<float> bias(1);
  bias[0] = -1.0f;
  const float a = 1.0f + 0x1p-12f;
  EXPECT_EQ(one(epilogue::Chain{epilogue::Scale{a}, epilogue::Bias{bias.data()}}, a), 0x1p-11f);
}

}  // namespace
