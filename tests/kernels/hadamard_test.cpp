// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// hadamard on every backend: float64 reference, scalar's bits, its own inverse, operands, refusals.
#include "tessera/hadamard.hpp"

#include "tests/kernels/heads_harness.hpp"
#include "tests/reference/hadamard.hpp"

namespace tessera_test {
namespace {

template <class B>
class Hadamard : public OnBackend<B> {};
TYPED_TEST_SUITE(Hadamard, FloatBackends, BackendName);

template <class B>
std::vector<float> transformed(const Heads& x, std::size_t block, HeadLayout layout = {}) {
  Heads y(x.heads(), x.tokens(), x.dim(), layout);
  tessera::HadamardArgs args{x.input(), y.view(), block, {}};
  GuardedWorkspace workspace(tessera::workspace_size(args));
  args.workspace = workspace.get();
  EXPECT_EQ(tessera::hadamard<B>(args), Status::ok);
  EXPECT_TRUE(y.untouched_outside());
  EXPECT_TRUE(workspace.untouched_outside());
  return y.values();
}

TYPED_TEST(Hadamard, EveryLength) {
  const std::size_t shapes[][2] = {{1, 1},   {2, 2},   {4, 4},    {8, 8},     {16, 16}, {32, 32},
                                   {64, 64}, {128, 0}, {256, 0},  {512, 512}, {96, 32}, {80, 16},
                                   {6, 2},   {100, 4}, {576, 64}, {7, 1}};
  for (const auto& s : shapes) {
    const auto x = std::move(Heads(2, 3, s[0]).fill_with(s[0]));
    const std::size_t n = s[1] == 0 ? s[0] : s[1];
    reference::Expected want;
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t t = 0; t < 3; ++t)
        for (std::size_t i = 0; i < s[0]; i += n) reference::hadamard(x.row(h, t) + i, n, want);
    const auto y = transformed<TypeParam>(x, s[1]);
    ASSERT_TRUE(matches(y, want)) << s[0] << " " << s[1];
    ASSERT_TRUE(same_bits(y, transformed<tessera::backend::scalar>(x, s[1])));
  }
}

TYPED_TEST(Hadamard, ByHandInPlaceAndInAnyLayout) {
  Heads x(1, 1, 4);
  for (std::size_t i = 0; i < 4; ++i) x.row(0, 0)[i] = static_cast<float>(1 << i);
  EXPECT_EQ(transformed<TypeParam>(x, 0), (std::vector<float>{7.5f, -2.5f, -4.5f, 1.5f}));
  const auto dense = std::move(Heads(2, 3, 32).fill_with(5));
  const auto want = transformed<TypeParam>(dense, 16);
  for (const HeadLayout in : head_layouts) {
    auto y = std::move(Heads(2, 3, 32, in).fill_with(5));
    ASSERT_TRUE(same_bits(transformed<TypeParam>(y, 16, in), want));
    tessera::HadamardArgs args{y.input(), y.view(), 16, {}};
    GuardedWorkspace workspace(tessera::workspace_size(args));
    args.workspace = workspace.get();
    const std::size_t n = tessera::units(args);
    for (std::size_t u = n; u-- > 0;)
      ASSERT_EQ(tessera::hadamard<TypeParam>(args, {u, u + 1}), Status::ok);
    ASSERT_TRUE(same_bits(y.values(), want));
    ASSERT_TRUE(y.untouched_outside());
  }
}

template <class B>
struct Transforming {
  Heads x{2, 3, 8, {false, 1}};
  Heads y{2, 3, 8, {false, 1}};
  tessera::HadamardArgs args;
  GuardedWorkspace workspace;

  Transforming() : args{x.input(), y.view(), 0, {}}, workspace(tessera::workspace_size(args)) {
    x.fill_with(1);
    restore();
  }
  void restore() { args = {x.input(), y.view(), 0, workspace.get()}; }
  void refused(Status want) {
    EXPECT_EQ(tessera::check<B>(args), want);
    EXPECT_EQ(tessera::hadamard<B>(args), want);
    EXPECT_TRUE(y.buffer().untouched());
    EXPECT_TRUE(workspace.untouched());
    restore();
  }
};

TYPED_TEST(Hadamard, Refused) {
  Transforming<TypeParam> p;
  ASSERT_EQ(tessera::check<TypeParam>(p.args), Status::ok);
  ASSERT_EQ(tessera::hadamard<TypeParam>(p.args, {0, 7}), Status::bad_unit_range);
  p.args.x.heads = p.args.y.heads = 0;
  p.refused(Status::empty_shape);
  p.args.x.data = nullptr;
  p.refused(Status::null_pointer);
  p.args.y.tokens = 2;
  p.refused(Status::shape_mismatch);
  p.args.x.head_stride = PTRDIFF_MAX;
  p.refused(Status::shape_too_large);
  p.args.y.token_stride = 7;
  p.refused(Status::stride_too_small);
  p.args.x.data = shifted(p.args.x.data, 1);
  p.refused(Status::misaligned);
  for (const std::size_t block : {3, 6, 12, 16}) {
    p.args.block = block;
    p.refused(Status::head_size);
  }
  p.args.x.dim = p.args.y.dim = 6;
  p.refused(Status::head_size);
  p.args.y = p.x.view();
  p.args.y.data += 1;
  p.refused(Status::overlap);
  p.args.workspace.scratch = p.args.workspace.scratch.first(63);
  p.refused(Status::scratch_too_small);
}

}  // namespace
}  // namespace tessera_test
