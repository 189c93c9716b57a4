// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Loads and stores of every backend's vector layer: the right elements, at any element alignment, no
// byte read or written outside.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tessera/core/float16.hpp"
#include "tests/backend/backends.hpp"
#include "tests/backend/guarded.hpp"
#include "tests/backend/lanes_check.hpp"

namespace {

template <class B>
class VecMemory : public ::testing::Test {
 public:
  using V = typename B::Vectors;
  void SetUp() override {
    if (B::check() != tessera::Status::ok) GTEST_SKIP() << "not on this core";
  }
};
TYPED_TEST_SUITE(VecMemory, tests::BackendsWithOwnVectors, tests::BackendName);

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
  tests::for_each_kind([&](auto kind) {
    for (const std::size_t n : tests::lengths(tests::full_width<V, kind>(), largest)) f(kind, n);
  });
}

/// Fails unless `bytes` bytes of `p` are `expected` and all others of the guarded area are 0x5a.
void expect_only(tests::Guarded& area, const void* p, const void* expected, std::size_t bytes) {
  ASSERT_EQ(std::memcmp(p, expected, bytes), 0);
  const auto first = static_cast<const std::byte*>(p) - area.data();
  for (std::size_t k = 0; k < area.size(); ++k) {
    const bool inside =
        k >= static_cast<std::size_t>(first) && k < static_cast<std::size_t>(first) + bytes;
    if (!inside && area.data()[k] != std::byte{0x5a}) FAIL() << "byte " << k << " was written";
  }
}

/// Loads n elements that end at a guard page, then n that begin behind one, and stores them likewise.
template <class V, class T, class Copy>
void check_copy(Copy copy) {
  tests::Guarded source((largest + 4) * sizeof(T));
  tests::Guarded target((largest + 4) * sizeof(T));
  each_length<V>([&](auto kind, std::size_t n) {
    for (const std::size_t shift : {0u, 1u, 3u}) {
      SCOPED_TRACE(::testing::Message() << "kind " << kind << ", length " << n);
      const std::size_t room = source.size() / sizeof(T) - n;
      for (const bool rear : {true, false}) {
        const std::size_t at = rear ? room - shift : shift;
        // Beside the shifted ones lie elements that must not matter.
        source.fill(0x7f);
        target.fill(0x5a);
        T* from = source.at_front<T>() + at;
        T* to = target.at_front<T>() + at;
        for (std::size_t k = 0; k < n; ++k) from[k] = element<T>(k);
        tests::stretches<V, kind>(n, [&](auto d, std::size_t k) { copy(d, from + k, to + k); });
        expect_only(target, to, from, n * sizeof(T));
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

TYPED_TEST(VecMemory, Float) {
  check_copy<typename TestFixture::V, float>(
      [](auto d, const float* from, float* to) { d.store(to, d.load(from)); });
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
  tests::LanesCheck<typename TestFixture::V>::indexed(
      "load_i32 of int8", 256, [&](auto d, std::size_t k) { return d.load_i32(bytes + k); });
  const tests::Inputs& in = tests::inputs();
  tests::for_each_kind([&](auto kind) {
    std::vector<std::int8_t> low(in.size());
    tests::stretches<typename TestFixture::V, kind>(
        in.size(), [&](auto d, std::size_t k) { d.store_i8(&low[k], d.load_i32(&in.i[k])); });
    for (std::size_t k = 0; k < in.size(); ++k)
      ASSERT_EQ(low[k], static_cast<std::int8_t>(in.i[k] & 0xff)) << "kind " << kind << " at " << k;
  });
}

TYPED_TEST(VecMemory, LoadPairs) {
  using V = typename TestFixture::V;
  tests::Guarded source(2 * (largest + 2) * sizeof(float));
  std::vector<float> even(largest), odd(largest);
  each_length<V>([&](auto kind, std::size_t n) {
    for (const bool rear : {true, false}) {
      source.fill(0x7f);
      float* p = rear ? source.at_rear<float>(2 * n) : source.at_front<float>() + 1;
      for (std::size_t k = 0; k < 2 * n; ++k) p[k] = element<float>(k);
      tests::stretches<V, kind>(n, [&](auto d, std::size_t k) {
        auto e = d.set(0.0f);
        auto o = d.set(0.0f);
        d.load_pairs(p + 2 * k, e, o);
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

TYPED_TEST(VecMemory, StorePairs) {
  using V = typename TestFixture::V;
  tests::Guarded target(2 * (largest + 2) * sizeof(float));
  std::vector<float> even(largest), odd(largest), both(2 * largest);
  for (std::size_t k = 0; k < largest; ++k) {
    even[k] = both[2 * k] = element<float>(2 * k);
    odd[k] = both[2 * k + 1] = element<float>(2 * k + 1);
  }
  each_length<V>([&](auto kind, std::size_t n) {
    for (const bool rear : {true, false}) {
      SCOPED_TRACE(::testing::Message() << "kind " << kind << ", length " << n);
      target.fill(0x5a);
      float* p = rear ? target.at_rear<float>(2 * n) : target.at_front<float>() + 1;
      tests::stretches<V, kind>(n, [&](auto d, std::size_t k) {
        d.store_pairs(p + 2 * k, d.load(&even[k]), d.load(&odd[k]));
      });
      expect_only(target, p, both.data(), 2 * n * sizeof(float));
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
}

}  // namespace
