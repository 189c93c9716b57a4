// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The functions of core/math.hpp have scalar's bits on every backend, at every exponent.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tessera/core/math.hpp"
#include "tests/backend/backends.hpp"
#include "tests/backend/lanes_check.hpp"

namespace {

template <class B>
class Math : public ::testing::Test {
 public:
  using Check = tessera_test::LanesCheck<typename B::Vectors>;
  void SetUp() override {
    if (B::check() != tessera::Status::ok) GTEST_SKIP() << "not on this core";
  }
};
TYPED_TEST_SUITE(Math, tessera_test::BackendsWithOwnVectors, tessera_test::BackendName);

/// Special values, then some of every sign and exponent, then many where the functions bend.
const std::vector<float>& arguments() {
  static const std::vector<float> all = [] {
    std::vector<float> x;
    std::mt19937 random(3);
    for (const std::uint32_t bits : tessera_test::special_bits())
      x.push_back(tessera::from_bits(bits));
    for (std::uint32_t high = 0; high < 512; ++high)
      for (int k = 0; k < 4; ++k)
        x.push_back(tessera::from_bits(high << 23 | (random() & 0x7fffffu)));
    for (int k = 0; k < 1500; ++k) {
      const float unit = static_cast<float>(random() >> 8) * 0x1p-24f;
      for (const float range : {1.0f, 20.0f, 104.0f}) x.push_back((2 * unit - 1) * range);
    }
    for (const float edge : {-104.0f, -103.97f, -87.3365f, 88.72284f, 88.72283f, 89.0f, 20.0f,
                             20.000002f, -1.0f, -0.99999994f, -1.0000001f})
      x.push_back(edge);
    return x;
  }();
  return all;
}

template <class Check, class F>
void check(const char* name, F f) {
  const std::vector<float>& x = arguments();
  Check::indexed(name, x.size(), [&x, f](auto d, std::size_t k) { return f(d, d.load(&x[k])); });
}

TYPED_TEST(Math, Exp) {
  check<typename TestFixture::Check>("exp", [](auto d, auto x) { return tessera::exp(d, x); });
}
TYPED_TEST(Math, Log1p) {
  check<typename TestFixture::Check>("log1p", [](auto d, auto x) { return tessera::log1p(d, x); });
}
TYPED_TEST(Math, Silu) {
  check<typename TestFixture::Check>("sigmoid",
                                     [](auto d, auto x) { return tessera::sigmoid(d, x); });
  check<typename TestFixture::Check>("silu", [](auto d, auto x) { return tessera::silu(d, x); });
  check<typename TestFixture::Check>("gelu", [](auto d, auto x) { return tessera::gelu(d, x); });
}
TYPED_TEST(Math, Softplus) {
  check<typename TestFixture::Check>("softplus",
                                     [](auto d, auto x) { return tessera::softplus(d, x); });
}

}  // namespace
