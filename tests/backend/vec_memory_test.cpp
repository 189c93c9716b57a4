// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Loads and stores of every backend's vector layer: the right elements, at any element alignment, no
// byte read or written outside.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tessera/core/float16.hpp"
#include "tests/backend/backends.hpp"
#include "tests/backend/lanes_check.hpp"
#include "tests/support/guarded.hpp"

namespace {

template <class B>
class VecMemory : public ::testing::Test {
 public:
  using V = typename B::Vectors;
  void SetUp() override {
    if (B::check() != tessera::Status::ok) GTEST_SKIP() << "not on this core";
  }
};
TYPED_TEST_SUITE(VecMemory, tessera_test::BackendsWithOwnVectors, tessera_test::BackendName);

constexpr std::size_t largest = 2 * 8 * 1024 / 32 + 1;  // two stretches of eight registers of 1024

/// Distinct, ordinary, exact in every element type.
template <class T>
T element(std::size_t i) {
  const int small = static_cast<int>(i * 29 % 251) - 125;
  if constexpr (std::is_same_v<T, tessera::Float16>) {
    return tessera::to_float16(static_cast<float>(small));
  } else if constexpr (std::is_same_v<T, tessera::BFloat16>) {
    return tessera::to_bfloat16(static_cast<float>(small));
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return static_cast<T>(small * 0x01020304);
  } else {
    return static_cast<T>(small);
  }
}

/// Calls f(kind, n) for every kind of stretch and every length.
template <class V, class F>
void each_length(F f) {
  tessera_test::for_each_kind([&](auto kind) {
    for (const std::size_t n : tessera_test::lengths(tessera_test::full_width<V, kind>(), largest))
      f(kind, n);
  });
}

/// Copies n elements between buffers that end at a guard page (or begin at one), exactly or one
/// element away from it; what lies around the elements differs and must not matter.
template <class V, class T, class Copy>
void check_copy(Copy copy) {
  each_length<V>([&](auto kind, std::size_t n) {
    for (const tessera_test::Guard side : tessera_test::both_guards) {
      for (const std::size_t offset : {std::size_t{0}, sizeof(T)}) {
        SCOPED_TRACE(::testing::Message() << "kind " << kind << ", length " << n);
        tessera_test::GuardedBuffer<T> from(n, side, offset);
        tessera_test::GuardedBuffer<T> to(n, side, offset);
        for (std::size_t k = 0; k < n; ++k) from[k] = element<T>(k);
        tessera_test::stretches<V, kind>(
            n, [&](auto d, std::size_t k) { copy(d, from.data() + k, to.data() + k); });
        ASSERT_EQ(std::memcmp(to.data(), from.data(), n * sizeof(T)), 0);
        ASSERT_TRUE(to.untouched_outside());
      }
    }
  });
}

TYPED_TEST(VecMemory, Float) {
  check_copy<typename TestFixture::V, float>(
      [](auto d, const float* from, float* to) { d.store(to, d.load(from)); });
}

TYPED_TEST(VecMemory, Reload) {
  check_copy<typename TestFixture::V, float>([](auto d, const float* from, float* to) {
    auto row = d.set(1.0f);
    d.reload(row, from);
    d.store(to, row);
  });
}

TYPED_TEST(VecMemory, Int32) {
  check_copy<typename TestFixture::V, std::int32_t>(
      [](auto d, const std::int32_t* from, std::int32_t* to) {
        d.store_i32(to, d.load_i32(from));
      });
}

TYPED_TEST(VecMemory, Int8) {
  check_copy<typename TestFixture::V, std::int8_t>(
      [](auto d, const std::int8_t* from, std::int8_t* to) { d.store_i8(to, d.load_i32(from)); });
}

TYPED_TEST(VecMemory, Float16) {
  check_copy<typename TestFixture::V, tessera::Float16>(
      [](auto d, const tessera::Float16* from, tessera::Float16* to) {
        d.store(to, d.load(from));
      });
}

TYPED_TEST(VecMemory, BFloat16) {
  check_copy<typename TestFixture::V, tessera::BFloat16>(
      [](auto d, const tessera::BFloat16* from, tessera::BFloat16* to) {
        d.store(to, d.load(from));
      });
}

// Sign extension on load, the low byte on store.
TYPED_TEST(VecMemory, Int8Values) {
  std::int8_t bytes[256];
  for (int k = 0; k < 256; ++k) bytes[k] = static_cast<std::int8_t>(k - 128);
  tessera_test::LanesCheck<typename TestFixture::V>::indexed(
      "load_i32 of int8", 256, [&](auto d, std::size_t k) { return d.load_i32(bytes + k); });
  const tessera_test::Inputs& in = tessera_test::inputs();
  tessera_test::for_each_kind([&](auto kind) {
    std::vector<std::int8_t> low(in.size());
    tessera_test::stretches<typename TestFixture::V, kind>(
        in.size(), [&](auto d, std::size_t k) { d.store_i8(&low[k], d.load_i32(&in.i[k])); });
    for (std::size_t k = 0; k < in.size(); ++k)
      ASSERT_EQ(low[k], static_cast<std::int8_t>(in.i[k] & 0xff)) << "kind " << kind << " at " << k;
  });
}

TYPED_TEST(VecMemory, LoadPairs) {
  using V = typename TestFixture::V;
  std::vector<float> even(largest), odd(largest);
  each_length<V>([&](auto kind, std::size_t n) {
    for (const tessera_test::Guard side : tessera_test::both_guards) {
      // Four bytes off: pairs need no more than a float's alignment.
      tessera_test::GuardedBuffer<float> p(2 * n, side, sizeof(float));
      for (std::size_t k = 0; k < 2 * n; ++k) p[k] = element<float>(k);
      tessera_test::stretches<V, kind>(n, [&](auto d, std::size_t k) {
        auto e = d.set(0.0f);
        auto o = d.set(0.0f);
        d.load_pairs(&p[2 * k], e, o);
        d.store(&even[k], e);
        d.store(&odd[k], o);
      });
      for (std::size_t k = 0; k < n; ++k) {
        ASSERT_EQ(even[k], p[2 * k]) << "kind " << kind << ", length " << n << " at " << k;
        ASSERT_EQ(odd[k], p[2 * k + 1]) << "kind " << kind << ", length " << n << " at " << k;
      }
    }
  });
}

TYPED_TEST(VecMemory, PairsTouchNothingElse) {
  using V = typename TestFixture::V;
  each_length<V>([&](auto kind, std::size_t n) {
    for (const tessera_test::Guard side : tessera_test::both_guards) {
      tessera_test::GuardedBuffer<float> from(2 * n, side);
      tessera_test::GuardedBuffer<float> to(2 * n, side);
      for (std::size_t k = 0; k < 2 * n; ++k) from[k] = element<float>(k);
      tessera_test::stretches<V, kind>(n, [&](auto d, std::size_t k) {
        auto even = d.set(0.0f);
        auto odd = d.set(0.0f);
        d.load_pairs(&from[2 * k], even, odd);
        d.store_pairs(&to[2 * k], even, odd);
      });
      ASSERT_EQ(std::memcmp(to.data(), from.data(), 2 * n * sizeof(float)), 0)
          << "kind " << kind << ", length " << n;
      ASSERT_TRUE(to.untouched_outside()) << "kind " << kind << ", length " << n;
    }
  });
}

}  // namespace
