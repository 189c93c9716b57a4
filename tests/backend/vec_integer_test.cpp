// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Integer operations, conversions and ldexp of every backend's vector layer: scalar's bits.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/backend/backends.hpp"
#include "tests/backend/lanes_check.hpp"

namespace {

template <class B>
class VecInteger : public ::testing::Test {
 public:
  using Check = tessera_test::LanesCheck<typename B::Vectors>;
  void SetUp() override {
    if (B::check() != tessera::Status::ok) GTEST_SKIP() << "not on this core";
  }
};
TYPED_TEST_SUITE(VecInteger, tessera_test::BackendsWithOwnVectors, tessera_test::BackendName);

TYPED_TEST(VecInteger, Arithmetic) {
  using C = typename TestFixture::Check;
  C::integers("iadd", [](auto d, auto& i, auto& j) { return d.iadd(i, j); });
  C::integers("iadd(I32, int32_t)",
              [](auto d, auto& i, auto&) { return d.iadd(i, INT32_MIN + 1); });
  C::integers("isub", [](auto d, auto& i, auto& j) { return d.isub(i, j); });
  C::integers("imul", [](auto d, auto& i, auto& j) { return d.imul(i, j); });
  C::integers("imul(I32, int32_t)", [](auto d, auto& i, auto&) { return d.imul(i, -0x12345679); });
  C::integers("iand", [](auto d, auto& i, auto& j) { return d.iand(i, j); });
  C::integers("ior", [](auto d, auto& i, auto& j) { return d.ior(i, j); });
  C::integers("ixor", [](auto d, auto& i, auto& j) { return d.ixor(i, j); });
  C::integers("imax", [](auto d, auto& i, auto& j) { return d.imax(i, j); });
  C::integers("set_i32", [](auto d, auto& i, auto&) { return d.iadd(i, d.set_i32(INT32_MIN)); });
}

TYPED_TEST(VecInteger, Comparisons) {
  using C = typename TestFixture::Check;
  C::integers("igt", [](auto d, auto& i, auto& j) { return d.igt(i, j); });
  C::integers("ieq", [](auto d, auto& i, auto& j) { return d.ieq(i, j); });
  C::integers("select of I32",
              [](auto d, auto& i, auto& j) { return d.select(d.igt(i, j), j, i); });
}

TYPED_TEST(VecInteger, Shifts) {
  using C = typename TestFixture::Check;
  C::integers("shl<1>", [](auto d, auto& i, auto&) { return d.template shl<1>(i); });
  C::integers("shl<16>", [](auto d, auto& i, auto&) { return d.template shl<16>(i); });
  C::integers("shl<31>", [](auto d, auto& i, auto&) { return d.template shl<31>(i); });
  C::integers("shr<1>", [](auto d, auto& i, auto&) { return d.template shr<1>(i); });
  C::integers("shr<23>", [](auto d, auto& i, auto&) { return d.template shr<23>(i); });
  C::integers("shr<31>", [](auto d, auto& i, auto&) { return d.template shr<31>(i); });
  C::integers("sra<1>", [](auto d, auto& i, auto&) { return d.template sra<1>(i); });
  C::integers("sra<23>", [](auto d, auto& i, auto&) { return d.template sra<23>(i); });
  C::integers("sra<31>", [](auto d, auto& i, auto&) { return d.template sra<31>(i); });
}

TYPED_TEST(VecInteger, Reinterpretation) {
  using C = typename TestFixture::Check;
  C::floats("bits", [](auto d, auto& a, auto&, auto&) { return d.bits(a); });
  C::integers("from_bits", [](auto d, auto& i, auto&) { return d.bits(d.from_bits(i)); });
}

TYPED_TEST(VecInteger, ToFloat) {
  using C = typename TestFixture::Check;
  C::integers("to_f32", [](auto d, auto& i, auto&) { return d.to_f32(i); });
}

// Ties, both signs, and the largest magnitudes the precondition allows.
TYPED_TEST(VecInteger, RoundToInteger) {
  std::vector<float> x;
  for (int i = -70; i <= 70; ++i)
    for (const float part : {0.0f, 0.25f, 0.5f, 0.75f}) x.push_back(static_cast<float>(i) + part);
  for (const float value : tessera_test::inputs().a)
    if (std::fabs(value) < 0x1p31f) x.push_back(value);
  for (const float large : {0x1.fffffep22f, 0x1.000002p23f, 0x1.fffffep30f, 8388607.5f, 4194303.5f})
    x.push_back(large), x.push_back(-large);
  TestFixture::Check::indexed("round_to_i32", x.size(),
                              [&](auto d, std::size_t k) { return d.round_to_i32(d.load(&x[k])); });
}

// Results that are subnormal, zero, normal and infinite; one rounding, ties to even.
TYPED_TEST(VecInteger, Ldexp) {
  std::vector<float> x;
  std::vector<std::int32_t> n;
  for (int power = -200; power <= 200; ++power) {
    for (const float value : {0.5f, 0.75f, 1.0f, 0x1.000002p0f, 0x1.fffffep0f, 1.5f, 0x1.8p1f,
                              0x1.fffffep1f, 0x1.555556p0f, -0.5f, -0x1.fffffep1f}) {
      x.push_back(value);
      n.push_back(power);
    }
  }
  for (const float value : tessera_test::inputs().a) {
    if (!(std::fabs(value) >= 0.5f && std::fabs(value) < 4.0f)) continue;
    x.push_back(value);
    n.push_back(static_cast<std::int32_t>(x.size() * 37 % 401) - 200);
  }
  TestFixture::Check::indexed("ldexp", x.size(), [&](auto d, std::size_t k) {
    return d.ldexp(d.load(&x[k]), d.load_i32(&n[k]));
  });
}

}  // namespace
