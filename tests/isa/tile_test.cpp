// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What the instructions compute: against the witness, by hand, and by algebra.
#include "tests/isa/tiles.hpp"

#include <algorithm>
#include <limits>

namespace {

using namespace tile_tests;

template <class T>
class TileTest : public ::testing::Test {
 protected:
  std::mt19937 random_{20240917};
};
TYPED_TEST_SUITE(TileTest, Cases);

TYPED_TEST(TileTest, agrees_with_the_witness_on_random_tiles) {
  for (int repetition = 0; repetition < 200; ++repetition) {
    const auto a = random_bytes(this->random_, TypeParam::zero_operand().size());
    const auto b = random_bytes(this->random_, a.size());
    const auto c = random_sums(this->random_, TypeParam::zero_sums().size());
    ASSERT_EQ(TypeParam::run(c, a, b), TypeParam::expected(c, a, b)) << repetition;
  }
}

// A[i][q] = 16 * i + q (cut to the element's range), B[j] selects column j: C[i][j] = A[i][j]. Any
// mistake in the order of rows, columns or nibbles moves a number.
TYPED_TEST(TileTest, one_hot_columns_copy_the_layout_of_a) {
  constexpr auto t = TypeParam::tile;
  const int modulus = TypeParam::bits == 4 ? 8 : 128;
  auto a = TypeParam::zero_operand();
  for (int i = 0; i < t.m; ++i) {
    for (int q = 0; q < t.k; ++q) TypeParam::set(a, t.k * i + q, (16 * i + q + i) % modulus);
  }
  for (int offset = 0; offset + t.n <= t.k; ++offset) {
    auto b = TypeParam::zero_operand();
    for (int j = 0; j < t.n; ++j) TypeParam::set(b, t.k * j + offset + j, 1);
    const auto c = TypeParam::run(TypeParam::zero_sums(), a, b);
    for (int i = 0; i < t.m; ++i) {
      for (int j = 0; j < t.n; ++j) {
        ASSERT_EQ(c[t.n * i + j], (16 * i + offset + j + i) % modulus) << i << ' ' << j;
      }
    }
  }
}

TYPED_TEST(TileTest, one_pair_of_elements_reaches_one_sum) {
  constexpr auto t = TypeParam::tile;
  for (int i = 0; i < t.m; ++i) {
    for (int j = 0; j < t.n; ++j) {
      for (int q = 0; q < t.k; ++q) {
        auto a = TypeParam::zero_operand();
        auto b = TypeParam::zero_operand();
        TypeParam::set(a, t.k * i + q, 3);
        TypeParam::set(b, t.k * j + q, 5);
        auto expected = TypeParam::zero_sums();
        expected[t.n * i + j] = 15;
        ASSERT_EQ(TypeParam::run(TypeParam::zero_sums(), a, b), expected);
      }
    }
  }
}

TYPED_TEST(TileTest, zero_operands_leave_the_sums_alone) {
  const auto zero = TypeParam::zero_operand();
  const auto a = random_bytes(this->random_, zero.size());
  const auto c = random_sums(this->random_, TypeParam::zero_sums().size());
  EXPECT_EQ(TypeParam::run(c, a, zero), c);
  EXPECT_EQ(TypeParam::run(c, zero, a), c);
}

// All bits set is -1 or the largest unsigned; the top bit alone is the smallest signed or a half.
TYPED_TEST(TileTest, extremes_of_each_signedness) {
  constexpr auto t = TypeParam::tile;
  const int all = (1 << TypeParam::bits) - 1;
  const int top = 1 << (TypeParam::bits - 1);
  for (const int x : {all, top, top - 1}) {
    for (const int y : {all, top, top - 1}) {
      auto a = TypeParam::zero_operand();
      auto b = TypeParam::zero_operand();
      for (int e = 0; e < t.m * t.k; ++e) TypeParam::set(a, e, x);
      for (int e = 0; e < t.n * t.k; ++e) TypeParam::set(b, e, y);
      const int value_a = TypeParam::a_signed && x >= top ? x - all - 1 : x;
      const int value_b = TypeParam::b_signed && y >= top ? y - all - 1 : y;
      for (const int sum : TypeParam::run(TypeParam::zero_sums(), a, b)) {
        ASSERT_EQ(sum, t.k * value_a * value_b) << x << ' ' << y;
      }
    }
  }
}

TYPED_TEST(TileTest, every_pair_of_values) {
  constexpr auto t = TypeParam::tile;
  const int values = 1 << TypeParam::bits;
  // Row i of A holds one value at a different place each time; so does row j of B.
  for (int x = 0; x < values; x += t.m) {
    for (int y = 0; y < values; y += t.n) {
      auto a = TypeParam::zero_operand();
      auto b = TypeParam::zero_operand();
      const int q = (x / t.m + y) % t.k;
      for (int i = 0; i < t.m; ++i) TypeParam::set(a, t.k * i + q, x + i);
      for (int j = 0; j < t.n; ++j) TypeParam::set(b, t.k * j + q, y + j);
      const auto c = TypeParam::run(TypeParam::zero_sums(), a, b);
      for (int i = 0; i < t.m; ++i) {
        for (int j = 0; j < t.n; ++j) {
          const bool a_negative = TypeParam::a_signed && x + i >= values / 2;
          const bool b_negative = TypeParam::b_signed && y + j >= values / 2;
          const int value_a = a_negative ? x + i - values : x + i;
          const int value_b = b_negative ? y + j - values : y + j;
          ASSERT_EQ(c[t.n * i + j], value_a * value_b) << x + i << ' ' << y + j;
        }
      }
    }
  }
}

TYPED_TEST(TileTest, sums_wrap_modulo_2_to_the_32) {
  constexpr auto t = TypeParam::tile;
  auto a = TypeParam::zero_operand();
  auto b = TypeParam::zero_operand();
  for (int i = 0; i < t.m; ++i) TypeParam::set(a, t.k * i, 1);
  for (int j = 0; j < t.n; ++j) TypeParam::set(b, t.k * j, 1);
  const auto full = std::vector<std::int32_t>(TypeParam::zero_sums().size(),
                                              std::numeric_limits<std::int32_t>::max());
  for (const auto sum : TypeParam::run(full, a, b)) {
    ASSERT_EQ(sum, std::numeric_limits<std::int32_t>::min());
  }
  if (!TypeParam::a_signed) return;
  for (int i = 0; i < t.m; ++i) TypeParam::set(a, t.k * i, (1 << TypeParam::bits) - 1);
  const auto empty =
      std::vector<std::int32_t>(full.size(), std::numeric_limits<std::int32_t>::min());
  for (const auto sum : TypeParam::run(empty, a, b)) {
    ASSERT_EQ(sum, std::numeric_limits<std::int32_t>::max());
  }
}

// The product of a sum is the sum of the products, in A and in B.
TYPED_TEST(TileTest, bilinear) {
  constexpr auto t = TypeParam::tile;
  std::uniform_int_distribution<int> small(0, TypeParam::bits == 4 ? 3 : 63);
  for (int repetition = 0; repetition < 50; ++repetition) {
    auto x = TypeParam::zero_operand();
    auto y = TypeParam::zero_operand();
    auto sum = TypeParam::zero_operand();
    for (int e = 0; e < t.m * t.k; ++e) {
      const int p = small(this->random_);
      const int r = small(this->random_);
      TypeParam::set(x, e, p);
      TypeParam::set(y, e, r);
      TypeParam::set(sum, e, p + r);
    }
    const auto other = random_bytes(this->random_, x.size());
    const auto zero = TypeParam::zero_sums();
    EXPECT_EQ(TypeParam::run(zero, sum, other),
              TypeParam::run(TypeParam::run(zero, x, other), y, other));
    EXPECT_EQ(TypeParam::run(zero, other, sum),
              TypeParam::run(TypeParam::run(zero, other, x), other, y));
  }
}

// Rotating the rows of A rotates the rows of C; rotating K in both operands changes nothing.
TYPED_TEST(TileTest, permutations) {
  constexpr auto t = TypeParam::tile;
  const auto a = random_bytes(this->random_, TypeParam::zero_operand().size());
  const auto b = random_bytes(this->random_, a.size());
  const auto c = TypeParam::run(TypeParam::zero_sums(), a, b);
  const int row_bytes = t.k * TypeParam::bits / 8;

  auto rows_rotated = a;
  std::rotate(rows_rotated.begin(), rows_rotated.begin() + row_bytes, rows_rotated.end());
  auto expected = c;
  std::rotate(expected.begin(), expected.begin() + t.n, expected.end());
  EXPECT_EQ(TypeParam::run(TypeParam::zero_sums(), rows_rotated, b), expected);

  auto a_turned = a;
  auto b_turned = b;
  for (auto* operand : {&a_turned, &b_turned}) {
    for (int row = 0; row < t.m; ++row) {
      const auto begin = operand->begin() + row * row_bytes;
      std::rotate(begin, begin + 1, begin + row_bytes);
    }
  }
  EXPECT_EQ(TypeParam::run(TypeParam::zero_sums(), a_turned, b_turned), c);
}

// 4 x 4 x 8 by hand: rows of A are 1..8, all -1, 0..0 2, alternating 1 -1.
TEST(WorkedExample, k1_vmadot) {
  const std::int8_t a[32] = {1, 2, 3, 4, 5, 6, 7, 8, -1, -1, -1, -1, -1, -1, -1, -1,
                             0, 0, 0, 0, 0, 0, 0, 2, 1,  -1, 1,  -1, 1,  -1, 1,  -1};
  const std::int8_t b[32] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0,
                             8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, -128};
  std::int32_t c[16] = {100};
  ime::exec_tile<ime::Vmadot<Element::int8>, ime::k1>(c, reinterpret_cast<const std::uint8_t*>(a),
                                                      reinterpret_cast<const std::uint8_t*>(b));
  const std::int32_t expected[16] = {136, 1, 120, -1024, -8, -1, -36, 128,
                                     2,   0, 2,   -256,  0,  1,  4,   128};
  for (int e = 0; e < 16; ++e) EXPECT_EQ(c[e], expected[e]) << e;
}

// One row each of an 8 x 8 x 32 int4 tile by hand: low nibble first.
TEST(WorkedExample, k3_vmadot_int4) {
  std::uint8_t a[128] = {0x21, 0x43};  // row 0: 1 2 3 4 0 ...
  std::uint8_t b[128] = {0x8f, 0x07};  // row 0: -1 -8 7 0 ...
  b[16] = 0x10;                        // row 1: 0 1 0 ...
  std::int32_t c[64] = {};
  ime::exec_tile<ime::Vmadot<Element::int4>, ime::k3>(c, a, b);
  EXPECT_EQ(c[0], 1 * -1 + 2 * -8 + 3 * 7);
  EXPECT_EQ(c[1], 2);
  std::int32_t u[64] = {};
  ime::exec_tile<ime::Vmadotu<Element::int4>, ime::k3>(u, a, b);
  EXPECT_EQ(u[0], 1 * 15 + 2 * 8 + 3 * 7);
}

// A product cannot tell the two nibbles of a byte apart where both operands swap them.
TEST(Elements, the_low_nibble_comes_first) {
  const std::uint8_t row[2] = {0x8f, 0x21};
  const int as_signed[4] = {-1, -8, 1, 2};
  const int as_unsigned[4] = {15, 8, 1, 2};
  for (int e = 0; e < 4; ++e) {
    EXPECT_EQ((ime::element_at<Element::int4, ime::Reading::as_signed>(row, e)), as_signed[e]);
    EXPECT_EQ((ime::element_at<Element::int4, ime::Reading::as_unsigned>(row, e)), as_unsigned[e]);
  }
}

constexpr std::int32_t first_sum_at_compile_time() {
  std::uint8_t a[32]{255, 2};
  std::uint8_t b[32]{3, 255};
  std::int32_t c[16]{1000};
  ime::exec_tile<ime::Vmadotus<Element::int8>, ime::k1>(c, a, b);
  return c[0];
}
static_assert(first_sum_at_compile_time() == 1000 + 255 * 3 + 2 * -1);

}  // namespace
