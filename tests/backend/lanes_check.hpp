// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Runs one operation of the vector layer over every kind of lanes object and many lengths, and
/// demands the bits of the scalar backend.
#ifndef TESSERA_TESTS_BACKEND_LANES_CHECK_HPP_
#define TESSERA_TESTS_BACKEND_LANES_CHECK_HPP_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "tessera/backend/scalar/vec.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/unroll.hpp"
#include "tessera/core/vector.hpp"

namespace tessera_test {

/// Kinds of stretches: for_lanes with that many registers; 0 is for_virtual.
template <class V, int Kind, class Body>
void stretches(std::size_t n, Body body) {
  if constexpr (Kind == 0) {
    V::for_virtual(n, body);
  } else {
    V::template for_lanes<Kind>(n, body);
  }
}

template <class F>
void for_each_kind(F f) {
  f(std::integral_constant<int, 1>{});
  f(std::integral_constant<int, 2>{});
  f(std::integral_constant<int, 4>{});
  f(std::integral_constant<int, 8>{});
  f(std::integral_constant<int, 0>{});
}

/// Lanes of a full stretch.
template <class V, int Kind>
std::size_t full_width() {
  std::size_t width = 0;
  stretches<V, Kind>(1 << 16, [&](auto d, std::size_t i) {
    if (i == 0) width = d.size();
  });
  return width;
}

/// Every lane count around one and two full stretches, and one long run.
inline std::vector<std::size_t> lengths(std::size_t width, std::size_t all) {
  std::vector<std::size_t> result;
  for (std::size_t n = 1; n <= 2 * width + 1 && n < all; ++n) result.push_back(n);
  result.push_back(all);
  return result;
}

inline bool is_nan(std::int32_t bits) {
  return (static_cast<std::uint32_t>(bits) & 0x7fffffffu) > 0x7f800000u;
}

/// Bit patterns of floats where things go wrong: both zeros, subnormals, the edges of every range,
/// halves (ties), infinities, quiet and signalling NaNs.
inline std::vector<std::uint32_t> special_bits() {
  std::vector<std::uint32_t> result;
  for (std::uint32_t u :
       {0x00000000u, 0x00000001u, 0x00000002u, 0x00400000u, 0x007fffffu, 0x00800000u, 0x00800001u,
        0x33000000u, 0x33800001u, 0x387fe000u, 0x38800000u, 0x3effffffu, 0x3f000000u, 0x3f7fffffu,
        0x3f800000u, 0x3f800001u, 0x3fc00000u, 0x40200000u, 0x40490fdbu, 0x42b17218u, 0x477fefffu,
        0x477ff000u, 0x4affffffu, 0x4b000001u, 0x4effffffu, 0x4f000000u, 0x7e967699u, 0x7f000000u,
        0x7f7fffffu, 0x7f800000u, 0x7fc00000u, 0x7f800001u, 0x7fffffffu}) {
    result.push_back(u);
    result.push_back(u | 0x80000000u);
  }
  return result;
}

/// Operands: every pair of special values, then random bits, then random numbers near one.
struct Inputs {
  std::vector<float> a, b, c;
  std::vector<std::int32_t> i, j;
  std::size_t size() const { return a.size(); }

  Inputs() {
    const auto special = special_bits();
    std::mt19937 random(1);
    const auto any_special = [&] { return special[random() % special.size()]; };
    for (const std::uint32_t x : special)
      for (const std::uint32_t y : special) append(x, y, any_special());
    for (int n = 0; n < 1500; ++n) append(random(), random(), random());
    for (int n = 0; n < 1500; ++n) append(near_one(random), near_one(random), near_one(random));
    // Sums that cancel: c = -(a * b) rounded, the case where a fused and a split product differ.
    for (std::size_t n = size() - 500; n < size(); ++n) c[n] = -tessera::rounded(a[n] * b[n]);
  }

 private:
  void append(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    a.push_back(tessera::from_bits(x));
    b.push_back(tessera::from_bits(y));
    c.push_back(tessera::from_bits(z));
    i.push_back(static_cast<std::int32_t>(x));
    j.push_back(static_cast<std::int32_t>(n_ % 3 == 0 ? x : y));
    ++n_;
  }
  static std::uint32_t near_one(std::mt19937& random) {
    const auto bits = static_cast<std::uint32_t>(random());
    return (bits & 0x807fffffu) | (120 + (bits >> 23) % 12) << 23;
  }
  std::size_t n_ = 0;
};

inline const Inputs& inputs() {
  static const Inputs all;
  return all;
}

/// Stores what an operation returned, whatever it is; a float as its bits, a mask as 0 or -1.
template <class D, class R>
void store_result(D d, const R& r, std::int32_t* out) {
  if constexpr (std::is_same_v<R, typename D::F32>) {
    d.store_i32(out, d.bits(r));
  } else if constexpr (std::is_same_v<R, typename D::I32>) {
    d.store_i32(out, r);
  } else {
    static_assert(std::is_same_v<R, typename D::Mask>);
    d.store_i32(out, d.select(r, d.set_i32(-1), d.set_i32(0)));
  }
}

/// An operation over [0, n) by one backend and one kind, its type forgotten: the loops around it are
/// then compiled once.
using Run = void (*)(const void* op, std::size_t n, std::int32_t* out);

struct KindOfRun {
  int kind;
  std::size_t width;
  Run run;
};

/// Compares the results of every kind and length with `expected`: floats bit for bit or both NaN,
/// everything else bit for bit; nothing is stored beyond the length.
inline void expect_equal(const char* name, bool is_float, const std::vector<std::int32_t>& expected,
                         const std::vector<KindOfRun>& runs, const void* op) {
  std::vector<std::int32_t> out(expected.size() + 1);
  for (const KindOfRun& r : runs) {
    for (const std::size_t n : lengths(r.width, expected.size())) {
      std::memset(out.data(), 0x5a, out.size() * sizeof(std::int32_t));
      r.run(op, n, out.data());
      for (std::size_t k = 0; k < n; ++k) {
        if (out[k] == expected[k]) continue;
        if (is_float && is_nan(out[k]) && is_nan(expected[k])) continue;
        FAIL() << name << ", kind " << r.kind << ", length " << n << ", element " << k << std::hex
               << ": got " << out[k] << ", scalar " << expected[k];
      }
      ASSERT_EQ(out[n], 0x5a5a5a5a) << name << ", kind " << r.kind << ", length " << n;
    }
  }
}

/// `op(d, i)` computes lanes i, i + 1, ... of some function of the index. Compares V's results over
/// [0, all) and shorter lengths with scalar's.
template <class V>
class LanesCheck {
 public:
  template <class Op>
  static void indexed(const char* name, std::size_t all, Op op) {
    using Scalar = tessera::ScalarVectors;
    std::vector<std::int32_t> expected(all);
    run<Scalar, 1, Op>(&op, all, expected.data());
    const bool is_float = returns_float<Op>(op);
    std::vector<KindOfRun> runs;
    for_each_kind(
        [&](auto kind) { runs.push_back({kind, full_width<V, kind>(), run<V, kind, Op>}); });
    expect_equal(name, is_float, expected, runs, &op);
  }
  /// op(d, a, b, c) on floats.
  template <class Op>
  static void floats(const char* name, Op op) {
    indexed(name, inputs().size(), [op](auto d, std::size_t k) {
      const Inputs& in = inputs();
      const auto a = d.load(&in.a[k]);
      const auto b = d.load(&in.b[k]);
      const auto c = d.load(&in.c[k]);
      return op(d, a, b, c);
    });
  }
  /// op(d, i, j) on integers.
  template <class Op>
  static void integers(const char* name, Op op) {
    indexed(name, inputs().size(), [op](auto d, std::size_t k) {
      const Inputs& in = inputs();
      const auto i = d.load_i32(&in.i[k]);
      const auto j = d.load_i32(&in.j[k]);
      return op(d, i, j);
    });
  }

 private:
  template <class W, int Kind, class Op>
  static void run(const void* op, std::size_t n, std::int32_t* out) {
    const Op& f = *static_cast<const Op*>(op);
    stretches<W, Kind>(n, [&](auto d, std::size_t k) { store_result(d, f(d, k), out + k); });
  }
  template <class Op>
  static bool returns_float(const Op& op) {
    const auto d = tessera::ScalarVectors::full_virtual();
    using D = std::remove_const_t<decltype(d)>;
    return std::is_same_v<decltype(op(d, std::size_t{0})), typename D::F32>;
  }
};

}  // namespace tessera_test

#endif  // TESSERA_TESTS_BACKEND_LANES_CHECK_HPP_
