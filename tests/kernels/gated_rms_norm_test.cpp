// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// gated_rms_norm on every backend: groups, shared and own weights, the gate before and after, refusals.
#include "tests/reference/gated_rms_norm.hpp"
#include "tessera/head_norm.hpp"
#include "tests/kernels/heads_harness.hpp"

namespace tessera_test {
namespace {

using tessera::GateOrder;

template <class B>
class GatedRmsNorm : public OnBackend<B> {};
TYPED_TEST_SUITE(GatedRmsNorm, FloatBackends, BackendName);

/// Two groups, three tokens.
struct Norming {
  std::size_t n;
  Heads x{2, 3, n}, z{2, 3, n}, y{2, 3, n};
  std::vector<float> w = Heads(2, 1, n).fill_with(n + 2).values();

  explicit Norming(std::size_t size) : n(size) { x.fill_with(n), z.fill_with(n + 1); }
  tessera::GatedRmsNormArgs args(bool gated, bool shared, GateOrder order) {
    tessera::GatedRmsNormArgs a;
    a.x = x.input(), a.y = y.view(), a.order = order;
    if (gated) a.z = z.input();
    a.weight = {w.data(), 2, n, shared ? 0 : static_cast<std::ptrdiff_t>(n)};
    return a;
  }
};

TYPED_TEST(GatedRmsNorm, EveryLength) {
  for (const std::size_t n : {1, 16, 31, 64, 100, 257})
    for (const bool gated : {true, false})
      for (const bool shared : {true, false})
        for (const GateOrder order : {GateOrder::after, GateOrder::before}) {
          Norming p(n), scalar(n);
          const auto args = p.args(gated, shared, order);
          reference::Expected want;
          for (std::size_t h = 0; h < 2; ++h)
            for (std::size_t t = 0; t < 3; ++t)
              reference::gated_rms_norm(p.x.row(h, t), gated ? p.z.row(h, t) : nullptr,
                                        args.weight.row(h), n, 1e-5f, order == GateOrder::before,
                                        want);
          for (std::size_t u = tessera::units(args); u-- > 0;)
            ASSERT_EQ(tessera::gated_rms_norm<TypeParam>(args, {u, u + 1}), Status::ok);
          ASSERT_TRUE(p.y.untouched_outside());
          ASSERT_TRUE(matches(p.y.values(), want)) << n;
          ASSERT_EQ(
              tessera::gated_rms_norm<tessera::backend::scalar>(scalar.args(gated, shared, order)),
              Status::ok);
          ASSERT_TRUE(same_bits(p.y.values(), scalar.y.values()));
          auto in_place = scalar.args(gated, shared, order);
          in_place.y = scalar.x.view();
          ASSERT_EQ(tessera::gated_rms_norm<TypeParam>(in_place), Status::ok);
          ASSERT_TRUE(same_bits(scalar.x.values(), p.y.values()));
        }
}

TYPED_TEST(GatedRmsNorm, Refused) {
  Norming p(8);
  const auto refused = [&](Status want, auto spoil) {
    auto args = p.args(true, false, GateOrder::after);
    spoil(args);
    EXPECT_EQ(tessera::check<TypeParam>(args), want);
    EXPECT_EQ(tessera::gated_rms_norm<TypeParam>(args), want);
    EXPECT_TRUE(p.y.buffer().untouched());
  };
  refused(Status::shape_mismatch, [](auto& a) { a.z.dim = 7; });
  refused(Status::shape_mismatch, [](auto& a) { a.weight.rows = 1; });
  refused(Status::misaligned, [](auto& a) { a.z.data = shifted(a.z.data, 1); });
  refused(Status::misaligned, [](auto& a) { a.weight.data = shifted(a.weight.data, 2); });
  refused(Status::overlap, [](auto& a) { a.z.data = a.y.data; });
  refused(Status::overlap, [](auto& a) { a.weight.data = a.y.data; });
  refused(Status::not_finite, [](auto& a) { a.eps = inf; });
  refused(Status::null_pointer, [](auto& a) { a.x.data = nullptr; });
}

}  // namespace
}  // namespace tessera_test
