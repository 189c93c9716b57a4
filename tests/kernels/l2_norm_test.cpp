// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// l2_norm on every backend: float64 reference, scalar's bits, layouts, units, refusals.
#include "tests/reference/l2_norm.hpp"
#include "tessera/head_norm.hpp"
#include "tests/kernels/heads_harness.hpp"

namespace tessera_test {
namespace {

template <class B>
class L2Norm : public OnBackend<B> {};
TYPED_TEST_SUITE(L2Norm, FloatBackends, BackendName);

template <class B>
std::vector<float> unit(const Heads& x, HeadLayout layout = {}, float eps = 1e-6f) {
  Heads y(x.heads(), x.tokens(), x.dim(), layout);
  const tessera::L2NormArgs args = {x.input(), y.view(), eps};
  const std::size_t n = tessera::units(args);
  for (std::size_t i = 3; i-- > 0;)
    EXPECT_EQ(tessera::l2_norm<B>(args, tessera::Slice{i, 3}.of(n)), Status::ok);
  EXPECT_TRUE(y.untouched_outside());
  return y.values();
}

TYPED_TEST(L2Norm, EveryLengthAndLayout) {
  for (const std::size_t n : {1, 2, 15, 16, 31, 33, 64, 100, 128, 257}) {
    Heads x(2, 3, n);
    x.fill_with(n);
    reference::Expected want;
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t t = 0; t < 3; ++t) reference::l2_norm(x.row(h, t), n, 1e-6f, want);
    const auto got = unit<TypeParam>(x);
    ASSERT_TRUE(matches(got, want)) << n;
    ASSERT_TRUE(same_bits(got, unit<tessera::backend::scalar>(x)));
    for (const HeadLayout& layout : head_layouts)
      ASSERT_TRUE(same_bits(got, unit<TypeParam>(Heads(2, 3, n, layout).fill_with(n), layout)));
    Heads same(2, 3, n);
    same.fill_with(n);
    ASSERT_EQ(tessera::l2_norm<TypeParam>({same.input(), same.view()}), Status::ok);
    ASSERT_TRUE(same_bits(same.values(), got));
  }
}

TYPED_TEST(L2Norm, ShortRowsAndNonFinite) {
  Heads x(1, 4, 5);
  for (std::size_t t = 0; t < 4; ++t)
    for (std::size_t i = 0; i < 5; ++i) x.row(0, t)[i] = t == 0 ? 0.0f : 1e-10f;
  x.row(0, 2)[1] = nan;
  x.row(0, 3)[1] = inf;
  const auto y = unit<TypeParam>(x, {}, 0.5f);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(y[i], 0.0f);
    EXPECT_EQ(y[5 + i], 2e-10f);
    EXPECT_TRUE(std::isnan(y[10 + i]));
    EXPECT_TRUE(i == 1 ? std::isnan(y[15 + i]) : y[15 + i] == 0.0f);
  }
}

TYPED_TEST(L2Norm, Refused) {
  Heads x(2, 3, 8);
  x.fill_with(1);
  Heads y(2, 3, 8);
  const auto refused = [&](Status want, auto spoil) {
    tessera::L2NormArgs args = {x.input(), y.view()};
    spoil(args);
    EXPECT_EQ(tessera::check<TypeParam>(args), want);
    EXPECT_EQ(tessera::l2_norm<TypeParam>(args), want);
    EXPECT_TRUE(y.buffer().untouched());
  };
  refused(Status::empty_shape, [](auto& a) { a.x.dim = 0; });
  refused(Status::shape_mismatch, [](auto& a) { a.y.tokens = 2; });
  refused(Status::null_pointer, [](auto& a) { a.x.data = nullptr; });
  refused(Status::null_pointer, [](auto& a) { a.y.data = nullptr; });
  refused(Status::misaligned, [](auto& a) { a.x.data = shifted(a.x.data, 1); });
  refused(Status::shape_too_large, [](auto& a) { a.x.token_stride = PTRDIFF_MAX; });
  refused(Status::stride_too_small, [](auto& a) { a.y.token_stride = 7; });
  refused(Status::overlap, [](auto& a) { a.x.data = a.y.data + 1, a.x.tokens = a.y.tokens = 2; });
  refused(Status::not_finite, [](auto& a) { a.eps = nan; });
  refused(Status::position_range, [](auto& a) { a.eps = -1.0f; });
  const tessera::L2NormArgs args = {x.input(), y.view()};
  EXPECT_EQ(tessera::l2_norm<TypeParam>(args, {0, 7}), Status::bad_unit_range);
}

}  // namespace
}  // namespace tessera_test
