// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The product of every format in long rows against double: given the quantised operands, an output's
// error is at the rounding level of f32, 1e-6 of the product of the rows' norms.
#include <cmath>

#include "tests/kernels/matmul_harness.hpp"
#include "tests/reference/matmul.hpp"

namespace tessera_test {
namespace {

double norm(const double* x, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i] * x[i];
  return std::sqrt(sum);
}

/// The largest error of an output in units of the norms' product. Scalar: the others have its bits.
template <class F>
double relative_error(const Weights& w) {
  const std::size_t m = 4;
  const auto a = random_matrix(m, w.k, 91);
  const Packed<F, tessera::tile::scalar> packed(w);
  const auto c = matmul_values<tessera::backend::scalar>(a.input(), packed.weights());
  const auto in = reference::activations<F>(a.row(0), m, w.k, static_cast<std::ptrdiff_t>(w.k));
  const auto stored = reference::stored<F>(w.values.data(), w.n, w.k);
  const auto want = reference::matmul<F>(in.seen, stored);
  EXPECT_EQ(first_outside(want, c.data()), c.size()) << F::name;
  double worst = 0;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < w.n; ++j) {
      const double error = std::fabs(double{c[i * w.n + j]} - want.value[i * w.n + j]);
      const double relative = error / (norm(in.seen.row(i), w.k) * norm(stored.row(j), w.k));
      worst = std::fmax(worst, relative);  // a NaN has failed above
    }
  return worst;
}

TEST(MatmulAccuracy, ErrorsAreAtTheRoundingLevel) {
  Weights centred = random_weights(5, 2048, 92);
  Weights positive = centred;  // blocks with a minimum far from 0, or none
  for (float& v : positive.values) v = std::fabs(v) + 3.0f;
  tessera::all_formats::for_each([&]<class F>(tessera::Type<F>) {
    EXPECT_TRUE(within(relative_error<F>(centred), 1e-6)) << F::name;
    EXPECT_TRUE(within(relative_error<F>(positive), 1e-6)) << F::name << ", all positive";
  });
}

}  // namespace
}  // namespace tessera_test
