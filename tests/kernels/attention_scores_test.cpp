// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// scores on every backend: float64, scalar's bits, keys as rows and as columns, and with softmax the
// fused path's result.
#include "tessera/scores.hpp"

#include "tessera/softmax.hpp"
#include "tests/kernels/attention_problem.hpp"

namespace tessera_test {
namespace {

template <class B>
class AttentionScores : public OnBackend<B> {};
TYPED_TEST_SUITE(AttentionScores, TestedBackends, BackendName);

template <class B, class K>
std::vector<float> scored(AttentionProblem& p) {
  Heads out(p.c.heads, p.c.queries, p.c.keys);
  tessera::ScoresArgs<K> args{p.q.input(), p.k.view<K>(p.c.keys), out.view(), p.c.scale, false, {},
                              p.c.query};
  GuardedWorkspace workspace(tessera::workspace_size(args));
  args.workspace = workspace.get();
  for (std::size_t u = tessera::units(args); u-- > 0;)
    EXPECT_EQ(tessera::scores<B>(args, {u, u + 1}), Status::ok);
  EXPECT_EQ(tessera::scores<B>(args, {0, tessera::units(args) + 1}), Status::bad_unit_range);
  EXPECT_TRUE(out.untouched_outside());
  EXPECT_TRUE(workspace.untouched_outside());
  return out.values();
}

/// softmax(scores) V in double against the fused path, relative to each row's norm.
template <class B, class K>
void expect_like_fused(AttentionProblem& p) {
  const auto s = scored<B, K>(p);
  ASSERT_TRUE(same_bits(s, scored<tessera::backend::scalar, K>(p)));
  std::vector<float> weights(s.size());
  const std::size_t rows = p.c.heads * p.c.queries;
  ASSERT_EQ(tessera::softmax<B>({tessera::matrix(s.data(), rows, p.c.keys),
                                 tessera::matrix(weights.data(), rows, p.c.keys)}),
            Status::ok);
  const auto fused = p.answer<B>();
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t head = r / p.c.queries / (p.c.heads / p.c.key_heads);
    double error = 0;
    double norm = 0;
    for (std::size_t d = 0; d < p.c.dv; ++d) {
      double o = 0;
      for (std::size_t j = 0; j < p.c.keys; ++j)
        o += double{weights[r * p.c.keys + j]} * double{p.v.value(0, head, j)[d]};
      error += std::pow(o - double{fused[r * p.c.dv + d]}, 2);
      norm += o * o;
    }
    ASSERT_TRUE(within(std::sqrt(error), 2e-6 * std::sqrt(norm))) << r;
  }
}

TYPED_TEST(AttentionScores, WithSoftmaxTheFusedPath) {
  AttentionCase c{6, 2, 5, 130, 64, 32, FormatId::q8_0, FormatId::q8_0};
  for (const auto query : {tessera::Query::quantized, tessera::Query::full}) {
    c.query = query;
    AttentionProblem p(c);
    expect_like_fused<TypeParam, tessera::format::q8_0>(p);
  }
  c.k = c.v = FormatId::f16;
  AttentionProblem p(c);
  expect_like_fused<TypeParam, tessera::format::f16>(p);
}

TYPED_TEST(AttentionScores, ValuesAndColumns) {
  for (const std::size_t keys : {1, 63, 64, 65, 200})
    for (const std::size_t dim : {1, 40, 64, 130}) {
      AttentionCase c{4, 2, 3, keys, dim, 1, FormatId::f32, FormatId::f32};
      AttentionProblem p(c);
      const auto got = scored<TypeParam, tessera::format::f32>(p);
      reference::Expected want;
      Heads columns(2, dim, keys);
      for (std::size_t h = 0; h < 4; ++h)
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t j = 0; j < keys; ++j) {
            double dot = 0;
            double magnitude = 0;
            for (std::size_t d = 0; d < dim; ++d) {
              const double product = double{p.q.row(h, i)[d]} * double{p.k.value(0, h / 2, j)[d]};
              dot += product, magnitude += std::fabs(product);
              columns.row(h / 2, d)[j] = p.k.value(0, h / 2, j)[d];
            }
            want.value.push_back(dot * double{c.scale});
            want.limit.push_back(reference::relative_limit(dim + 1) * magnitude + 0x1p-140);
          }
      ASSERT_TRUE(matches(got, want)) << keys << " " << dim;
      Heads out(4, 3, keys);
      tessera::ScoresArgs<> args{p.q.input(), columns.input(), out.view(), c.scale, true, {}};
      GuardedWorkspace workspace(tessera::workspace_size(args));
      args.workspace = workspace.get();
      ASSERT_EQ(tessera::scores<TypeParam>(args), Status::ok);
      ASSERT_TRUE(same_bits(out.values(), got));
    }
}

TYPED_TEST(AttentionScores, Refused) {
  AttentionCase c{4, 2, 3, 5, 32, 32};
  AttentionProblem p(c);
  Heads out(4, 3, 5, {false, 1});
  tessera::ScoresArgs<> good{
      p.q.input(), p.k.view<tessera::format::f32>(5), out.view(), 1.0f, false, {}};
  GuardedWorkspace workspace(tessera::workspace_size(good));
  good.workspace = workspace.get();
  ASSERT_EQ(tessera::check<TypeParam>(good), Status::ok);
  const auto refused = [&](Status want, auto spoil) {
    auto args = good;
    spoil(args);
    EXPECT_EQ(tessera::check<TypeParam>(args), want);
    EXPECT_EQ(tessera::scores<TypeParam>(args), want);
    EXPECT_TRUE(out.buffer().untouched());
  };
  refused(Status::empty_shape, [](auto& a) { a.q.heads = 0; });
  refused(Status::empty_shape, [](auto& a) { a.k.dim = 0; });
  refused(Status::null_pointer, [](auto& a) { a.k.data = nullptr; });
  refused(Status::misaligned, [](auto& a) { a.k.data = shifted(a.k.data, 1); });
  refused(Status::shape_mismatch, [](auto& a) { a.k.dim = 31; });
  refused(Status::shape_mismatch, [](auto& a) { a.k.tokens = 4; });
  refused(Status::shape_mismatch, [](auto& a) { a.transposed = true; });
  refused(Status::shape_mismatch, [](auto& a) { a.out.heads = 2; });
  refused(Status::stride_too_small, [](auto& a) { a.out.token_stride = 4; });
  refused(Status::shape_too_large, [](auto& a) { a.k.head_stride = PTRDIFF_MAX; });
  refused(Status::head_ratio, [](auto& a) { a.q.heads = a.out.heads = 3; });
  refused(Status::not_finite, [](auto& a) { a.scale = nan; });
  refused(Status::overlap, [&](auto& a) { a.out.data = p.q.row(0, 0); });
  refused(Status::scratch_too_small,
          [](auto& a) { a.workspace.scratch = a.workspace.scratch.first(64); });
}

}  // namespace
}  // namespace tessera_test
