// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The error norms of the tests find what they are for: NaNs, infinities, one bad row, one bad bit.
#include "tests/support/norms.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace {

using namespace tessera_test;

constexpr double nan64 = std::numeric_limits<double>::quiet_NaN();
constexpr double inf64 = std::numeric_limits<double>::infinity();
constexpr float nan32 = std::numeric_limits<float>::quiet_NaN();
constexpr float inf32 = std::numeric_limits<float>::infinity();

TEST(Norms, WithinRefusesNanOnEitherSide) {
  EXPECT_TRUE(within(1.0, 1.0));
  EXPECT_FALSE(within(std::nextafter(1.0, 2.0), 1.0));
  EXPECT_FALSE(within(nan64, 1e300));
  EXPECT_FALSE(within(nan64, inf64));
  EXPECT_FALSE(within(0.0, nan64));
  EXPECT_FALSE(within(Worst{nan64, 3}, inf64));
  EXPECT_TRUE(within(Worst{0.5, 3}, 0.5));
}

TEST(Norms, AnUnexpectedNanOrInfinityFailsEveryNorm) {
  const std::vector<double> want = {1.0, 2.0, 3.0, 4.0};
  for (const float bad : {nan32, inf32, -inf32}) {
    for (std::size_t at = 0; at < want.size(); ++at) {
      std::vector<float> got = {1.0f, 2.0f, 3.0f, 4.0f};
      got[at] = bad;
      EXPECT_FALSE(within(nmse(got, want), inf64)) << bad << " at " << at;
      EXPECT_FALSE(within(worst_error(got, want), inf64)) << bad << " at " << at;
      EXPECT_FALSE(within(worst_ulp(got, want), inf64)) << bad << " at " << at;
      EXPECT_FALSE(within(worst_row_nmse(got, want, 2), inf64)) << bad << " at " << at;
    }
  }
}

TEST(Norms, AMissingNanOrInfinityFailsToo) {
  for (const double special : {nan64, inf64, -inf64}) {
    const std::vector<double> want = {1.0, special};
    const std::vector<float> got = {1.0f, 2.0f};
    EXPECT_FALSE(within(nmse(got, want), inf64)) << special;
    EXPECT_FALSE(within(worst_error(got, want), inf64)) << special;
    EXPECT_FALSE(within(worst_ulp(got, want), inf64)) << special;
  }
}

TEST(Norms, ExpectedNansAndInfinitiesAreNoError) {
  const std::array<double, 4> want = {nan64, inf64, -inf64, 2.0};
  const std::array<float, 4> got = {nan32, inf32, -inf32, 2.0f};
  EXPECT_TRUE(within(nmse(got, want), 0.0));
  EXPECT_TRUE(within(worst_error(got, want), 0.0));
  EXPECT_TRUE(within(worst_ulp(got, want), 0.0));
  const std::array<float, 4> swapped = {nan32, -inf32, inf32, 2.0f};
  EXPECT_FALSE(within(nmse(swapped, want), inf64));
}

TEST(Norms, ANanIsNotReplacedByALaterValue) {
  const std::vector<double> want = {1.0, 1.0, 1.0};
  const std::vector<float> got = {nan32, 1e30f, 1.0f};
  EXPECT_TRUE(std::isnan(worst_error(got, want).value));
  EXPECT_EQ(worst_error(got, want).index, 0u);
}

TEST(Norms, OneZeroedRowOfAHundredIsSeen) {
  constexpr std::size_t cols = 8;
  std::vector<double> want(100 * cols);
  std::vector<float> got(want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    want[i] = 1.0 + static_cast<double>(i % 7);
    got[i] = static_cast<float>(want[i]);
  }
  EXPECT_TRUE(within(worst_row_nmse(got, want, cols), 0.0));
  for (std::size_t j = 0; j < cols; ++j) got[41 * cols + j] = 0.0f;
  EXPECT_TRUE(within(nmse(got, want), 0.05));  // the average hides it
  EXPECT_FALSE(within(worst_row_nmse(got, want, cols), 0.05));
  EXPECT_EQ(worst_row_nmse(got, want, cols).index, 41u);
}

TEST(Norms, ValuesByHand) {
  const std::vector<double> want = {3.0, 4.0};
  const std::vector<float> got = {3.0f, 4.5f};
  EXPECT_DOUBLE_EQ(nmse(got, want), 0.25 / 25.0);
  EXPECT_DOUBLE_EQ(worst_error(got, want).value, 0.5);
  EXPECT_EQ(worst_error(got, want).index, 1u);
  const std::vector<double> zeros = {0.0, 0.0};
  EXPECT_TRUE(within(nmse(std::vector<float>{0.0f, -0.0f}, zeros), 0.0));
  EXPECT_FALSE(within(nmse(std::vector<float>{0.0f, 1e-30f}, zeros), 1e300));
}

TEST(Norms, LengthsMustMatch) {
  const std::vector<double> want = {1.0, 2.0};
  EXPECT_FALSE(within(nmse(std::vector<float>{1.0f}, want), inf64));
  EXPECT_FALSE(within(worst_error(std::vector<float>{1.0f}, want), inf64));
  EXPECT_FALSE(within(worst_row_nmse(std::vector<float>{1.0f, 2.0f}, want, 0), inf64));
  EXPECT_FALSE(same_bits(std::vector<float>{1.0f}, std::vector<float>{1.0f, 2.0f}));
}

TEST(Norms, SpacingOfFloats) {
  EXPECT_EQ(float_spacing(1.0), 0x1p-23);
  EXPECT_EQ(float_spacing(-1.5), 0x1p-23);
  EXPECT_EQ(float_spacing(std::nextafter(1.0, 0.0)), 0x1p-24);
  EXPECT_EQ(float_spacing(0.0), 0x1p-149);
  EXPECT_EQ(float_spacing(0x1p-126), 0x1p-149);
  EXPECT_EQ(float_spacing(0x1p-140), 0x1p-149);
  EXPECT_EQ(float_spacing(0x1p127), 0x1p104);
}

TEST(Norms, UlpErrorByHand) {
  EXPECT_EQ(ulp_error(1.0f, 1.0), 0.0);
  EXPECT_EQ(ulp_error(std::nextafter(1.0f, 2.0f), 1.0), 1.0);
  EXPECT_EQ(ulp_error(1.0f, 1.0 + 0x1p-24), 0.5);
  EXPECT_EQ(ulp_error(0.0f, 0x1p-150), 0.5);
  EXPECT_EQ(ulp_error(inf32, 1e39), 0.0);
  EXPECT_GT(ulp_error(std::numeric_limits<float>::max(), 1e39), 1.0);
  EXPECT_FALSE(within(ulp_error(-inf32, 1e39), inf64));
  EXPECT_FALSE(within(ulp_error(inf32, 1e38), inf64));
  EXPECT_FALSE(within(ulp_error(nan32, 1.0), inf64));
}

TEST(Norms, SameBitsTellsZerosApartButNotNans) {
  EXPECT_FALSE(same_bits(0.0f, -0.0f));
  EXPECT_TRUE(same_bits(nan32, -nan32));
  EXPECT_FALSE(same_bits(nan32, 1.0f));
  EXPECT_FALSE(same_bits(1.0f, std::nextafter(1.0f, 2.0f)));
  const std::vector<float> a = {1.0f, nan32, -0.0f};
  EXPECT_TRUE(same_bits(a, a));
  EXPECT_FALSE(same_bits(a, std::vector<float>{1.0f, nan32, 0.0f}));
}

TEST(Norms, SameBytes) {
  const std::vector<std::byte> a = {std::byte{1}, std::byte{2}};
  EXPECT_TRUE(same_bytes(a, a));
  EXPECT_FALSE(same_bytes(a, std::vector<std::byte>{std::byte{1}, std::byte{3}}));
  EXPECT_FALSE(same_bytes(a, std::vector<std::byte>{std::byte{1}}));
}

TEST(Norms, DotLimitHoldsForSequentialSums) {
  // 1 + n * 2^-24 summed in f32 loses every small term: the limit must allow exactly such losses.
  float sum = 1.0f;
  for (int i = 0; i < 1000; ++i) sum += 0x1p-24f;
  const double exact = 1.0 + 1000 * 0x1p-24;
  EXPECT_TRUE(within(std::fabs(static_cast<double>(sum) - exact), dot_limit(1001, exact)));
  EXPECT_FALSE(within(std::fabs(1.001 - exact), dot_limit(1001, exact)));
}

}  // namespace
