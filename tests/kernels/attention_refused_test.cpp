// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Every Status attention documents, that a refused call has written nothing, and its workspace.
#include "tests/kernels/attention_harness.hpp"

namespace tessera_test {
namespace {

/// Valid arguments, to be spoilt one at a time.
template <class B>
struct Attending {
  AttentionShape shape{4, 2, 3, 5, 6, 7, true, 2};
  AttentionOperands in{shape, {false, 1}};
  Heads out{4, 3, 7, {false, 1}};
  tessera::AttentionArgs<> args;
  GuardedWorkspace workspace;

  Attending() : args(shapes()), workspace(tessera::workspace_size(args)) { restore(); }
  tessera::AttentionArgs<> shapes() {
    return {in.q.input(), in.k.input(), in.v.input(), out.view(), 1.0f, true, 2, {}};
  }
  void restore() {
    args = shapes();
    args.workspace = workspace.get();
  }
  void refused(Status want) {
    const auto q = in.q.values();
    const auto k = in.k.values();
    const auto v = in.v.values();
    EXPECT_EQ(tessera::check<B>(args), want);
    EXPECT_EQ(tessera::attention<B>(args), want);
    EXPECT_EQ(tessera::attention<B>(args, {0, 1}), want);
    EXPECT_TRUE(out.buffer().untouched());
    EXPECT_TRUE(workspace.untouched());
    EXPECT_TRUE(same_bits(in.q.values(), q));
    EXPECT_TRUE(same_bits(in.k.values(), k));
    EXPECT_TRUE(same_bits(in.v.values(), v));
    restore();
  }
};

template <class B>
class AttentionRefused : public OnBackend<B> {};
TYPED_TEST_SUITE(AttentionRefused, FloatBackends, BackendName);

TYPED_TEST(AttentionRefused, Shapes) {
  Attending<TypeParam> p;
  ASSERT_EQ(tessera::check<TypeParam>(p.args), Status::ok);
  for (auto* view : {&p.args.q, &p.args.k, &p.args.v}) {
    view->heads = 0;
    p.refused(Status::empty_shape);
    view->dim = 0;
    p.refused(Status::empty_shape);
    view->data = nullptr;
    p.refused(Status::null_pointer);
    view->dim += 1;
    p.refused(Status::shape_mismatch);
    view->tokens += 1;
    p.refused(Status::shape_mismatch);
    view->head_stride = PTRDIFF_MAX;
    p.refused(Status::shape_too_large);
    view->token_stride = PTRDIFF_MIN;
    p.refused(Status::shape_too_large);
    view->data = shifted(view->data, 1);
    p.refused(Status::misaligned);
  }
  p.args.out.heads = 0;
  p.refused(Status::empty_shape);
  p.args.out.data = nullptr;
  p.refused(Status::null_pointer);
  p.args.out.dim = 6;
  p.refused(Status::shape_mismatch);
  p.args.out.tokens = 2;
  p.refused(Status::shape_mismatch);
  p.args.out.heads = 2;
  p.refused(Status::shape_mismatch);
  p.args.k.heads = 1;
  p.refused(Status::shape_mismatch);
  p.args.out.token_stride = PTRDIFF_MAX;
  p.refused(Status::shape_too_large);
  p.args.out.token_stride = 6;
  p.refused(Status::stride_too_small);
  p.args.out.head_stride = -6;
  p.refused(Status::stride_too_small);
  p.args.out.head_stride = 2 * p.args.out.token_stride;
  p.refused(Status::stride_too_small);
  p.args.out.data = shifted(p.args.out.data, 2);
  p.refused(Status::misaligned);
  p.args.q.heads = p.args.out.heads = 3;
  p.refused(Status::head_ratio);
  p.args.q.heads = p.args.out.heads = 1;
  p.refused(Status::head_ratio);
}

TYPED_TEST(AttentionRefused, ScaleOverlapAndWorkspace) {
  Attending<TypeParam> p;
  for (const float scale : {nan, inf, -inf}) {
    p.args.scale = scale;
    p.refused(Status::not_finite);
  }
  for (Heads* in : {&p.in.q, &p.in.k, &p.in.v}) {
    p.args.out.data = in->row(0, 0);
    p.refused(Status::overlap);
    p.args.out.data = in->row(in->heads() - 1, in->tokens() - 1) + in->dim() - 1;
    p.refused(Status::overlap);
  }
  const auto need = tessera::workspace_size(p.args);
  EXPECT_EQ(need.shared, 0u);
  p.args.workspace.scratch = p.args.workspace.scratch.first(need.scratch - 1);
  p.refused(Status::scratch_too_small);
  p.args.workspace.scratch = {};
  p.refused(Status::scratch_too_small);
  GuardedBuffer<std::byte> odd(need.scratch, Guard::rear, 32);
  p.args.workspace.scratch = odd.span();
  p.refused(Status::workspace_misaligned);
  EXPECT_TRUE(odd.untouched());
}

TYPED_TEST(AttentionRefused, DimensionsThatOverflowTheWorkspace) {
  Attending<TypeParam> p;
  const std::size_t huge = std::size_t{1} << 45;
  p.args.v.dim = p.args.out.dim = huge;
  p.args.v.head_stride = p.args.v.token_stride = 0;
  p.args.out.data = reinterpret_cast<float*>(std::uintptr_t{1} << 60);  // never touched
  p.args.out.token_stride = static_cast<std::ptrdiff_t>(huge);
  p.args.out.head_stride = static_cast<std::ptrdiff_t>(3 * huge);
  // The values' rows would reach any address: keep them away from the output, too.
  p.refused(Status::shape_too_large);
}

TEST(AttentionWorkspace, GrowsWithEveryDimension) {
  const std::size_t sizes[] = {1, 2, 3, 8, 31, 32, 33, 64, 100, 4096};
  const auto need = [](std::size_t heads, std::size_t key_heads, std::size_t queries,
                       std::size_t keys, std::size_t dk, std::size_t dv) {
    tessera::AttentionArgs<> args;
    args.q = {nullptr, heads * key_heads, queries, dk, 0, 0};
    args.k = {nullptr, key_heads, keys, dk, 0, 0};
    args.v = {nullptr, key_heads, keys, dv, 0, 0};
    args.out = {nullptr, heads * key_heads, queries, dv, 0, 0};
    return tessera::workspace_size(args).scratch;
  };
  for (std::size_t i = 0; i + 1 < std::size(sizes); ++i)
    for (const std::size_t x : {std::size_t{1}, std::size_t{40}}) {
      const std::size_t a = sizes[i];
      const std::size_t b = sizes[i + 1];
      EXPECT_LE(need(a, x, x, x, x, x), need(b, x, x, x, x, x));
      EXPECT_LE(need(x, a, x, x, x, x), need(x, b, x, x, x, x));
      EXPECT_LE(need(x, x, a, x, x, x), need(x, x, b, x, x, x));
      EXPECT_LE(need(x, x, x, a, x, x), need(x, x, x, b, x, x));
      EXPECT_LE(need(x, x, x, x, a, x), need(x, x, x, x, b, x));
      EXPECT_LE(need(x, x, x, x, x, a), need(x, x, x, x, x, b));
    }
}

template <class B>
class AttentionElsewhere : public testing::Test {};
TYPED_TEST_SUITE(AttentionElsewhere, CoreBackends, BackendName);

TYPED_TEST(AttentionElsewhere, RefusedOnAnotherCore) {
  Attending<TypeParam> p;
  expect_refused_elsewhere<TypeParam>(p);
}

}  // namespace
}  // namespace tessera_test
