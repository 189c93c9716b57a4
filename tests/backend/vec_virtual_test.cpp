// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Row reductions over virtual lanes: the order is the one that core/vector.hpp defines, at every
// length, in every backend. The expectation is a plain loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/backend/backends.hpp"
#include "tests/backend/lanes_check.hpp"

namespace {

constexpr std::size_t lanes = tessera::virtual_lanes;

template <class B>
class VecVirtual : public ::testing::Test {
 public:
  using V = typename B::Vectors;
  void SetUp() override {
    if (B::check() != tessera::Status::ok) GTEST_SKIP() << "not on this core";
  }
};
TYPED_TEST_SUITE(VecVirtual, tessera_test::BackendsWithOwnVectors, tessera_test::BackendName);

/// Rows of ordinary numbers of either sign and many magnitudes: every order has other bits.
std::vector<float> row(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<float> x(n);
  for (float& v : x) {
    const auto bits = static_cast<std::uint32_t>(random());
    v = tessera::from_bits((bits & 0x807fffffu) | (118 + (bits >> 23) % 16) << 23);
  }
  return x;
}

template <class T, class F>
T tree(const T* lane, F f) {
  T x[lanes];
  for (std::size_t l = 0; l < lanes; ++l) x[l] = lane[l];
  for (std::size_t h = lanes / 2; h >= 1; h /= 2)
    for (std::size_t l = 0; l < h; ++l) x[l] = f(x[l], x[l + h]);
  return x[0];
}

float add(float a, float b) {
  return a + b;
}
float larger(float a, float b) {
  return a > b ? a : b;
}

template <class V>
float row_sum(const std::vector<float>& x) {
  const auto full = V::full_virtual();
  auto acc = full.set(0.0f);
  V::for_virtual(x.size(),
                 [&](auto d, std::size_t i) { acc = d.keep(acc, d.add(acc, d.load(&x[i]))); });
  return full.sum(acc);
}

TYPED_TEST(VecVirtual, Sum) {
  for (std::size_t n = 1; n <= 4 * lanes + 1; ++n) {
    const std::vector<float> x = row(n);
    float lane[lanes] = {};
    for (std::size_t i = 0; i < n; ++i) lane[i % lanes] += x[i];
    ASSERT_EQ(tessera::bits_of(row_sum<typename TestFixture::V>(x)),
              tessera::bits_of(tree(lane, add)))
        << "length " << n;
  }
}

TYPED_TEST(VecVirtual, SumOfSquares) {
  using V = typename TestFixture::V;
  for (std::size_t n = 1; n <= 2 * lanes + 1; ++n) {
    const std::vector<float> x = row(n);
    float lane[lanes] = {};
    for (std::size_t i = 0; i < n; ++i) lane[i % lanes] = tessera::fma(x[i], x[i], lane[i % lanes]);
    const auto full = V::full_virtual();
    auto acc = full.set(0.0f);
    V::for_virtual(n, [&](auto d, std::size_t i) {
      const auto v = d.load(&x[i]);
      acc = d.keep(acc, d.fma(v, v, acc));
    });
    ASSERT_EQ(tessera::bits_of(full.sum(acc)), tessera::bits_of(tree(lane, add))) << "length " << n;
  }
}

TYPED_TEST(VecVirtual, Max) {
  using V = typename TestFixture::V;
  for (std::size_t n = 1; n <= 2 * lanes + 1; ++n) {
    std::vector<float> x = row(n);
    if (n % 3 == 0) x[n / 2] = tessera::quiet_nan;
    if (n % 5 == 0) x[n / 3] = tessera::infinity;
    float lane[lanes];
    for (float& l : lane) l = -tessera::infinity;
    for (std::size_t i = 0; i < n; ++i) lane[i % lanes] = larger(lane[i % lanes], x[i]);
    const auto full = V::full_virtual();
    auto acc = full.set(-tessera::infinity);
    V::for_virtual(n, [&](auto d, std::size_t i) { acc = d.keep(acc, d.max(acc, d.load(&x[i]))); });
    ASSERT_EQ(tessera::bits_of(full.max_lane(acc)), tessera::bits_of(tree(lane, larger)))
        << "length " << n;
  }
}

TYPED_TEST(VecVirtual, WithLargest) {
  using V = typename TestFixture::V;
  for (std::size_t n = 0; n <= 5 * lanes + 1; ++n) {
    std::vector<float> x = row(n + 1);
    if (n % 3 == 0) x[n / 2] = tessera::quiet_nan;
    if (n % 5 == 0) x[n / 3] = tessera::infinity;
    if (n % 7 == 0) std::fill(x.begin(), x.end(), -tessera::infinity);
    float expected = -tessera::infinity;
    for (std::size_t i = 0; i < n; ++i) expected = larger(x[i], expected);
    std::vector<float> used(n + 1, 0.0f);
    const auto make = [&](auto d, std::size_t i) { return d.load(&x[i]); };
    const auto use = [&](auto d, std::size_t i, auto v, float m) {
      ASSERT_EQ(m, expected);
      d.store(&used[i], v);
    };
    if constexpr (requires { V::with_largest(n, make, use); }) {
      ASSERT_EQ(V::with_largest(n, make, use), expected) << "length " << n;
      x[n] = 0.0f;
      ASSERT_EQ(std::memcmp(used.data(), x.data(), x.size() * sizeof(float)), 0) << n;
    }
  }
}

TYPED_TEST(VecVirtual, IntegerMax) {
  using V = typename TestFixture::V;
  for (std::size_t n = 1; n <= 2 * lanes + 1; ++n) {
    std::vector<std::int32_t> x(n);
    for (std::size_t i = 0; i < n; ++i)
      x[i] = static_cast<std::int32_t>(0x9e3779b9u * (i + n)) | INT32_MIN;
    if (n % 2 == 0) x[n * 7 % n] = INT32_MAX;
    const auto full = V::full_virtual();
    auto acc = full.set_i32(INT32_MIN);
    V::for_virtual(
        n, [&](auto d, std::size_t i) { acc = d.keep(acc, d.imax(acc, d.load_i32(&x[i]))); });
    std::int32_t expected = INT32_MIN;
    for (const std::int32_t v : x) expected = v > expected ? v : expected;
    ASSERT_EQ(full.imax_lane(acc), expected) << "length " << n;
  }
}

// Special values in every lane: zeros of both signs, infinities that cancel, NaN.
TYPED_TEST(VecVirtual, FoldsOfSpecialValues) {
  using V = typename TestFixture::V;
  const auto& in = tessera_test::inputs();
  for (std::size_t i = 0; i + lanes <= in.size(); i += 7) {
    const auto full = V::full_virtual();
    const auto v = full.load(&in.a[i]);
    const float sum = full.sum(v);
    const float expected = tree(&in.a[i], add);
    if (expected == expected) {
      ASSERT_EQ(tessera::bits_of(sum), tessera::bits_of(expected)) << "at " << i;
    } else {
      ASSERT_TRUE(sum != sum) << "at " << i;
    }
    ASSERT_EQ(tessera::bits_of(full.max_lane(v)), tessera::bits_of(tree(&in.a[i], larger)))
        << "at " << i;
  }
}

TYPED_TEST(VecVirtual, KeepLeavesOtherLanes) {
  using V = typename TestFixture::V;
  for (std::size_t n = 1; n <= lanes; ++n) {
    const std::vector<float> old = row(lanes);
    const std::vector<float> now = row(n);
    const auto full = V::full_virtual();
    auto acc = full.load(old.data());
    auto acc_i = full.bits(acc);
    V::for_virtual(n, [&](auto d, std::size_t i) {
      const auto v = d.load(&now[i]);
      acc = d.keep(acc, v);
      acc_i = d.keep(acc_i, d.bits(v));
    });
    float out[lanes];
    std::int32_t out_i[lanes];
    full.store(out, acc);
    full.store_i32(out_i, acc_i);
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::uint32_t expected = tessera::bits_of(l < n ? now[l] : old[l]);
      ASSERT_EQ(tessera::bits_of(out[l]), expected) << "length " << n << ", lane " << l;
      ASSERT_EQ(static_cast<std::uint32_t>(out_i[l]), expected) << "length " << n << ", lane " << l;
    }
  }
}

}  // namespace
