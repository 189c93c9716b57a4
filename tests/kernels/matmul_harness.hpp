// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One matrix product of any backend, format and tile with every operand between guard pages.
#ifndef TESSERA_TESTS_KERNELS_MATMUL_HARNESS_HPP_
#define TESSERA_TESTS_KERNELS_MATMUL_HARNESS_HPP_

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <vector>

#include "tessera/matmul.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/norms.hpp"
#include "tests/support/random.hpp"

namespace tessera_test {

using tessera::Status;

/// Dense float weights, n x k.
struct Weights {
  std::size_t n;
  std::size_t k;
  std::vector<float> values;

  tessera::MatrixView<const float> view() const { return tessera::matrix(values.data(), n, k); }
};

inline Weights random_weights(std::size_t n, std::size_t k, std::uint64_t seed) {
  Weights w{n, k, std::vector<float>(n * k)};
  Random random(seed);
  fill(w.values, Fill::gaussian, random);
  return w;
}

inline GuardedMatrix<float> random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed,
                                          std::size_t padding = 0, Guard side = Guard::rear,
                                          Fill kind = Fill::gaussian) {
  GuardedMatrix<float> a(rows, cols, padding, side);
  Random random(seed);
  for (std::size_t i = 0; i < rows; ++i) fill(a.row_span(i), kind, random);
  return a;
}

inline std::vector<float> values_of(const GuardedMatrix<float>& c) {
  std::vector<float> values;
  for (std::size_t i = 0; i < c.rows(); ++i)
    values.insert(values.end(), c.row(i), c.row(i) + c.cols());
  return values;
}

/// Weights packed into memory that ends at a guard page and cannot be written any more.
template <class F, class T>
class Packed {
 public:
  /// `w`: a matrix of floats or a BlockView<F>.
  template <class Source>
  explicit Packed(const Source& w, Guard side = Guard::rear)
      : image_(tessera::packed_size<F, T>(w.rows, w.cols), side), n_(w.rows), k_(w.cols) {
    EXPECT_EQ((tessera::pack_weights<F, T>(w, image_.span())), Status::ok);
    image_.seal();
  }
  explicit Packed(const Weights& w, Guard side = Guard::rear) : Packed(w.view(), side) {}

  tessera::PackedWeights<F, T> weights() const { return {image_.span(), n_, k_}; }
  GuardedBuffer<std::byte>& image() { return image_; }

 private:
  GuardedBuffer<std::byte> image_;
  std::size_t n_;
  std::size_t k_;
};

/// Memory of exactly the size a call names.
class GuardedWorkspace {
 public:
  explicit GuardedWorkspace(tessera::WorkspaceSize need, Guard side = Guard::rear)
      : shared_(need.shared, side), scratch_(need.scratch, side) {}

  tessera::Workspace get() { return {shared_.span(), scratch_.span()}; }
  GuardedBuffer<std::byte>& shared() { return shared_; }
  GuardedBuffer<std::byte>& scratch() { return scratch_; }

  [[nodiscard]] testing::AssertionResult untouched_outside() const {
    if (auto r = shared_.untouched_outside(); !r) return r << " (shared)";
    return scratch_.untouched_outside();
  }
  [[nodiscard]] testing::AssertionResult untouched() const {
    if (auto r = shared_.untouched(); !r) return r << " (shared)";
    return scratch_.untouched();
  }

 private:
  GuardedBuffer<std::byte> shared_;
  GuardedBuffer<std::byte> scratch_;
};

/// What an emulated product does with its rows.
struct ProductCounts {
  static inline std::size_t groups = 0;
  static inline std::size_t outputs = 0;
  static void retired(const char*) {}
  static void quantized(std::size_t count) { groups += count; }
  static void stored(std::size_t count) { outputs += count; }
};

/// The whole product on backend B into `c`, which is poisoned first; checks what lies around.
template <class B, class F, class T, class E = tessera::epilogue::Identity>
void run_matmul(tessera::MatrixView<const float> a, const tessera::PackedWeights<F, T>& b,
                GuardedMatrix<float>& c, const E& e = {}, Guard side = Guard::rear) {
  c.poison();
  tessera::MatmulArgs<F, T> args{a, b, c.view(), {}};
  GuardedWorkspace workspace(tessera::workspace_size<B>(args), side);
  args.workspace = workspace.get();
  ASSERT_EQ(tessera::matmul<B>(args, e), Status::ok);
  ASSERT_TRUE(c.untouched_outside());
  ASSERT_TRUE(workspace.untouched_outside());
}

/// The same as values.
template <class B, class F, class T, class E = tessera::epilogue::Identity>
std::vector<float> matmul_values(tessera::MatrixView<const float> a,
                                 const tessera::PackedWeights<F, T>& b, const E& e = {}) {
  GuardedMatrix<float> c(a.rows, b.n);
  run_matmul<B>(a, b, c, e);
  return values_of(c);
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_KERNELS_MATMUL_HARNESS_HPP_
