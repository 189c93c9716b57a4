// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// 16-bit floats through every backend's vector layer: all 65,536 values in, a dense sweep of floats
// out, against the conversions of core/float16.hpp.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "tessera/core/float16.hpp"
#include "tests/backend/backends.hpp"
#include "tests/backend/lanes_check.hpp"

namespace {

template <class B>
class VecHalf : public ::testing::Test {
 public:
  using V = typename B::Vectors;
  void SetUp() override {
    if (B::check() != tessera::Status::ok) GTEST_SKIP() << "not on this core";
  }
};
TYPED_TEST_SUITE(VecHalf, tessera_test::BackendsWithOwnVectors, tessera_test::BackendName);

bool half_is_nan(tessera::Float16 h) {
  return (h.bits & 0x7fffu) > 0x7c00u;
}
bool half_is_nan(tessera::BFloat16 h) {
  return (h.bits & 0x7fffu) > 0x7f80u;
}
template <class T>
T narrowed(float x) {
  if constexpr (std::is_same_v<T, tessera::Float16>) {
    return tessera::to_float16(x);
  } else {
    return tessera::to_bfloat16(x);
  }
}

template <class V, class T>
void check_all_values() {
  std::vector<T> halves(65536);
  for (std::size_t k = 0; k < halves.size(); ++k) halves[k].bits = static_cast<std::uint16_t>(k);
  std::vector<float> out(halves.size());
  tessera_test::for_each_kind([&](auto kind) {
    tessera_test::stretches<V, kind>(
        halves.size(), [&](auto d, std::size_t k) { d.store(&out[k], d.load(&halves[k])); });
    for (std::size_t k = 0; k < halves.size(); ++k) {
      const std::uint32_t expected = tessera::bits_of(tessera::to_float(halves[k]));
      if (half_is_nan(halves[k])) {
        ASSERT_TRUE(out[k] != out[k]) << "kind " << kind << ", value " << k;
      } else {
        ASSERT_EQ(tessera::bits_of(out[k]), expected) << "kind " << kind << ", value " << k;
      }
    }
  });
}

/// Every sign and exponent with mantissas around each rounding decision of a 16-bit float, and
/// random ones.
std::vector<float> sweep() {
  std::vector<float> result;
  std::mt19937 random(2);
  for (std::uint32_t high = 0; high < 512; ++high) {
    for (int shift = 0; shift < 23; ++shift)
      for (std::uint32_t around : {0u, 1u, 2u, 3u, 0x7fffffu, 0x7ffffeu})
        result.push_back(tessera::from_bits(high << 23 | ((around << shift) & 0x7fffffu)));
    for (int k = 0; k < 40; ++k)
      result.push_back(tessera::from_bits(high << 23 | (random() & 0x7fffffu)));
    // Ties of both formats, one below and one above.
    for (std::uint32_t tie : {0x1000u, 0x3000u, 0x8000u, 0x18000u, 0x7ff000u, 0x7f8000u})
      for (std::uint32_t off : {0u, 1u, ~0u})
        result.push_back(tessera::from_bits(high << 23 | ((tie + off) & 0x7fffffu)));
  }
  return result;
}

template <class V, class T>
void check_stores() {
  const std::vector<float> x = sweep();
  std::vector<T> out(x.size());
  tessera_test::for_each_kind([&](auto kind) {
    tessera_test::stretches<V, kind>(
        x.size(), [&](auto d, std::size_t k) { d.store(&out[k], d.load(&x[k])); });
    for (std::size_t k = 0; k < x.size(); ++k) {
      const T expected = narrowed<T>(x[k]);
      if (half_is_nan(expected)) {
        ASSERT_TRUE(half_is_nan(out[k])) << "kind " << kind << ", " << tessera::bits_of(x[k]);
      } else {
        ASSERT_EQ(out[k].bits, expected.bits) << "kind " << kind << ", " << tessera::bits_of(x[k]);
      }
    }
  });
}

TYPED_TEST(VecHalf, LoadFloat16) {
  check_all_values<typename TestFixture::V, tessera::Float16>();
}
TYPED_TEST(VecHalf, LoadBFloat16) {
  check_all_values<typename TestFixture::V, tessera::BFloat16>();
}
TYPED_TEST(VecHalf, StoreFloat16) {
  check_stores<typename TestFixture::V, tessera::Float16>();
}
TYPED_TEST(VecHalf, StoreBFloat16) {
  check_stores<typename TestFixture::V, tessera::BFloat16>();
}

}  // namespace
