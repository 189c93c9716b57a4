// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Weights with a scale and a zero point per row: one integer sum over a row of any length, the same bits on every
// backend and in every layout, within float64's limits.
#include <vector>

#include "tests/kernels/backends.hpp"
#include "tests/kernels/matmul_experts_harness.hpp"
#include "tests/reference/matmul.hpp"

namespace tessera_test {
namespace {

using F = tessera::format::u8_row;
using tessera::ActivationNeeds;

static_assert(ActivationNeeds::of<F>().cover(ActivationNeeds::of<tessera::format::i8_row>()));
static_assert(!ActivationNeeds::of<F>().cover(ActivationNeeds::of<tessera::format::q8_0>()));
static_assert(!ActivationNeeds::of<tessera::format::q8_0>().cover(ActivationNeeds::of<F>()));

template <class B>
class MatmulWholeRows : public OnBackend<B> {};
TYPED_TEST_SUITE(MatmulWholeRows, TestedBackends, BackendName);

/// Codes of all values, zero points at either end.
struct Codes {
  std::size_t n, k;
  std::vector<std::uint8_t> codes = std::vector<std::uint8_t>(n * k);
  std::vector<float> scales = std::vector<float>(n);
  std::vector<std::uint8_t> zero_points = std::vector<std::uint8_t>(n);

  Codes(std::size_t rows, std::size_t cols) : n(rows), k(cols) {
    Random r(rows + cols);
    fill_bytes(std::as_writable_bytes(std::span(codes)), r);
    for (float& s : scales) s = r.gaussian();
    for (std::size_t i = 0; i < n; ++i)
      zero_points[i] = static_cast<std::uint8_t>(i % 3 == 0 ? 255 : i % 3 == 1 ? 0 : r.below(256));
  }
  tessera::RowView<F> view() const {
    return {codes.data(), scales.data(), zero_points.data(), n, k, static_cast<std::ptrdiff_t>(k)};
  }
};

template <class B, class T>
std::vector<float> values(tessera::MatrixView<const float> a, const Codes& w) {
  const Packed<F, T> packed(w.view());
  return matmul_values<B>(a, packed.weights());
}

/// Scalar's values, within float64's limits.
std::vector<float> expected(const GuardedMatrix<float>& a, const Codes& w) {
  const auto got = values<tessera::backend::scalar, tessera::tile::scalar>(a.input(), w);
  const auto in =
      reference::activations<F>(a.row(0), a.rows(), w.k, static_cast<std::ptrdiff_t>(a.stride()));
  const auto want = reference::matmul<F>(in.seen, reference::codes<F>(w.view()));
  EXPECT_EQ(first_outside(want, got.data()), got.size());
  return got;
}

template <class B, class Other>
void every_shape() {
  std::size_t turn = 0;
  for (const std::size_t m : {1, 3, 9, 17})
    for (const std::size_t n : {1, 13, 50}) {
      const std::size_t k = std::size_t{1} + turn++ * 37 % 200;
      SCOPED_TRACE(testing::Message() << m << "x" << n << "x" << k);
      auto a = random_matrix(m, k, k, turn % 2);
      a.seal();
      const Codes w(n, k);
      const auto want = expected(a, w);
      ASSERT_TRUE(same_bits((values<B, tessera::tile_for<F, B>>(a.input(), w)), want));
      ASSERT_TRUE(same_bits((values<B, Other>(a.input(), w)), want));
    }
}

TYPED_TEST(MatmulWholeRows, EveryShape) {
  using Own = tessera::tile_for<F, TypeParam>;
  using Other = std::conditional_t<std::is_same_v<Own, tessera::tile::columns16>,
                                   tessera::tile::ime1_int8, tessera::tile::columns16>;
  every_shape<TypeParam, Other>();
}

TYPED_TEST(MatmulWholeRows, LongRowsOfTheLargestCodes) {
  using B = TypeParam;
  // Some pieces; every product is the largest there is.
  constexpr std::size_t k = std::is_same_v<B, tessera::backend::scalar> ? 300000 : 66000;
  Codes w(2, k);
  GuardedMatrix<float> a(1, k);
  for (std::size_t q = 0; q < k; ++q) {
    a(0, q) = q % 70000 == 0 ? -2.0f : 2.0f;
    w.codes[q] = 255, w.codes[k + q] = 0;
  }
  w.zero_points = {0, 255};
  ASSERT_TRUE(same_bits((values<B, tessera::tile_for<F, B>>(a.input(), w)), expected(a, w)));
}

TYPED_TEST(MatmulWholeRows, NotFiniteRowsAreNaN) {
  using B = TypeParam;
  GuardedMatrix<float> a = random_matrix(3, 70, 3);
  a(1, 69) = __builtin_inff();
  const auto got = values<B, tessera::tile_for<F, B>>(a.input(), Codes(5, 70));
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i] != got[i], i / 5 == 1) << i;
}

TYPED_TEST(MatmulWholeRows, RowsQuantisedBeforeAndExperts) {
  using B = TypeParam;
  using T = tessera::tile_for<F, B>;
  constexpr std::size_t m = 11, n = 21, k = 70;
  const auto a = random_matrix(m, k, 5);
  const Codes w(n, k);
  const Packed<F, T> packed(w.view());
  const auto want = matmul_values<B>(a.input(), packed.weights());
  const auto multiply = [&](ActivationNeeds needs, GuardedMatrix<float>& c) {
    GuardedBuffer<std::byte> bytes(tessera::quantized_size<B>(m, k, needs));
    EXPECT_EQ(
        tessera::quantize_rows<B>(tessera::QuantizeRowsArgs<>{a.input(), bytes.span(), needs}),
        Status::ok);
    EXPECT_TRUE(bytes.untouched_outside());
    tessera::MatmulArgs<F, T, tessera::QuantizedActivations> args{
        {bytes.span(), m, k}, packed.weights(), c.view(), {}};
    GuardedWorkspace workspace(tessera::workspace_size<B>(args));
    args.workspace = workspace.get();
    return tessera::matmul<B>(args);
  };
  GuardedMatrix<float> c(m, n);
  ASSERT_EQ(multiply(ActivationNeeds::of<tessera::format::q8_0>(), c), Status::quantized_needs);
  ASSERT_TRUE(c.untouched());
  ASSERT_EQ(multiply(ActivationNeeds::of<F>(), c), Status::ok);
  ASSERT_TRUE(same_bits(values_of(c), want));

  Experts<B, F> e({4, 2, 2, 5, 19, 45});
  ASSERT_NO_FATAL_FAILURE(e.run(e.args()));
  ASSERT_TRUE(same_bits(values_of(e.c), e.one_by_one(0)));
}

}  // namespace
}  // namespace tessera_test
