// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A product with experts, every operand strided and between guard pages.
#ifndef TESSERA_TESTS_KERNELS_MATMUL_EXPERTS_HARNESS_HPP_
#define TESSERA_TESTS_KERNELS_MATMUL_EXPERTS_HARNESS_HPP_

#include <cstdint>
#include <cstring>
#include <vector>

#include "tessera/matmul_experts.hpp"
#include "tests/kernels/matmul_harness.hpp"

namespace tessera_test {

struct ExpertsCase {
  std::size_t experts;
  std::size_t used;
  std::size_t slots;  ///< rows of activations per token
  std::size_t tokens;
  std::size_t n;
  std::size_t k;
};

/// Rows of activations and outputs are padded, ids lie in wider rows.
template <class B, class F, class C = float>
struct Experts {
  using T = tessera::tile_for<F, B>;
  using Args = tessera::MatmulExpertsArgs<F, T, float, C>;
  using PairArgs = tessera::MatmulExpertsArgs<F, T, float, C, tessera::PackedPair<F, T>>;

  ExpertsCase s;
  std::vector<Weights> weights;
  std::vector<std::int32_t> chosen;
  GuardedMatrix<float> a;
  GuardedMatrix<std::int32_t> ids;
  GuardedMatrix<C> c;
  GuardedBuffer<std::byte> images;

  explicit Experts(const ExpertsCase& of, std::uint64_t seed = 1)
      : s(of),
        a(random_matrix(s.tokens * s.slots, s.k, seed, 2)),
        ids(s.tokens, s.used, 3),
        c(s.tokens * s.used, s.n, 1),
        images(s.experts * bytes()) {
    Random random(seed + 1);
    for (std::size_t e = 0; e < s.experts; ++e) {
      weights.push_back(random_weights(s.n, s.k, seed + 10 + e));
      EXPECT_EQ((tessera::pack_weights<F, T>(weights[e].view(),
                                             images.span().subspan(e * bytes(), bytes()))),
                Status::ok);
    }
    for (std::size_t t = 0; t < s.tokens; ++t)
      for (std::size_t u = 0; u < s.used; ++u) {
        // Some experts get many rows, some none; an expert may come twice within a token.
        const std::size_t id = random.below(4) == 0 ? s.experts - 1 : random.below(s.experts);
        ids(t, u) = static_cast<std::int32_t>(id);
      }
    read_ids();
    a.seal();
    images.seal();
  }
  void read_ids() {
    chosen.clear();
    for (std::size_t t = 0; t < s.tokens; ++t)
      for (std::size_t u = 0; u < s.used; ++u) chosen.push_back(ids(t, u));
  }
  std::size_t bytes() const { return tessera::packed_size<F, T>(s.n, s.k); }
  std::span<const std::byte> image(std::size_t e) const {
    return images.span().subspan(e * bytes(), bytes());
  }

  template <class Any>
  void set(Any& args) {
    const auto stride = static_cast<std::ptrdiff_t>(a.stride());
    const auto to = static_cast<std::ptrdiff_t>(c.stride());
    args.a = {a.row(0), s.tokens, s.slots, s.k, stride * static_cast<std::ptrdiff_t>(s.slots),
              stride};
    args.experts = s.experts;
    args.ids = {ids.row(0), s.tokens, s.used, 1, static_cast<std::ptrdiff_t>(ids.stride()), 1};
    args.c = {c.row(0), s.tokens, s.used, s.n, to * static_cast<std::ptrdiff_t>(s.used), to};
  }
  Args args() {
    Args args;
    set(args);
    args.b = {images.span(), s.n, s.k};
    return args;
  }
  /// Expert e's gate is image e, its up projection image e + 1.
  PairArgs pair_args() {
    PairArgs args;
    set(args);
    args.experts = s.experts - 1;
    args.b = {images.span(), images.span().subspan(bytes()), s.n, s.k};
    return args;
  }
  /// The activation row that pair p reads.
  const float* source(std::size_t p) const {
    return a.row(p / s.used * s.slots + p % s.used % s.slots);
  }
  /// The rows one by one, by expert (and by the next one), as plain products.
  std::vector<float> one_by_one(std::size_t next) {
    std::vector<float> all;
    for (std::size_t p = 0; p < chosen.size(); ++p) {
      const tessera::PackedWeights<F, T> w{image(static_cast<std::size_t>(chosen[p]) + next), s.n,
                                           s.k};
      const auto row = matmul_values<B>(
          tessera::MatrixView<const float>{source(p), 1, s.k, static_cast<std::ptrdiff_t>(s.k)}, w);
      all.insert(all.end(), row.begin(), row.end());
    }
    return all;
  }
  template <class Any, class... E>
  void run(Any args, const E&... e) {
    c.poison();
    GuardedWorkspace workspace(tessera::workspace_size<B>(args));
    args.workspace = workspace.get();
    ASSERT_EQ(tessera::matmul_experts<B>(args, e...), Status::ok);
    ASSERT_TRUE(c.untouched_outside());
    ASSERT_TRUE(workspace.untouched_outside());
  }
};

}  // namespace tessera_test

#endif  // TESSERA_TESTS_KERNELS_MATMUL_EXPERTS_HARNESS_HPP_
