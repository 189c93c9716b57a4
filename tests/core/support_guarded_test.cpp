// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The guarded buffers of the tests: an access outside dies, a stray write is found.
#include "tests/support/guarded.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "tessera/core/arithmetic.hpp"
#include "tessera/core/float16.hpp"

namespace {

using namespace tessera_test;

template <class T>
void read_at(const T* p) {
  volatile auto sink = *p;
  static_cast<void>(sink);
}

TEST(Guarded, TheRearDies) {
  GuardedBuffer<float> b(3, Guard::rear);
  read_at(b.data() + 2);
  EXPECT_DEATH(read_at(b.data() + 3), "");
  EXPECT_DEATH(b[3] = 1.0f, "");
}

TEST(Guarded, TheFrontDies) {
  GuardedBuffer<float> b(3, Guard::front);
  read_at(b.data());
  EXPECT_DEATH(read_at(b.data() - 1), "");
}

TEST(Guarded, BothFarSidesDieToo) {
  const auto page = static_cast<std::ptrdiff_t>(sysconf(_SC_PAGESIZE));
  GuardedBuffer<std::byte> b(3, Guard::rear);
  read_at(b.data() - (page - 3));
  EXPECT_DEATH(read_at(b.data() - (page - 2)), "");
}

TEST(Guarded, NoElementsStillHaveAnAddressThatDies) {
  GuardedBuffer<float> b(0);
  EXPECT_EQ(b.size(), 0u);
  EXPECT_TRUE(b.untouched());
  EXPECT_DEATH(read_at(b.data()), "");
}

TEST(Guarded, ASealedBufferIsReadOnly) {
  GuardedBuffer<std::int8_t> b(5);
  b[4] = 3;
  b.seal();
  EXPECT_EQ(b[4], 3);
  EXPECT_DEATH(b[4] = 4, "");
  b.unseal();
  b[4] = 4;
  EXPECT_EQ(b[4], 4);
}

TEST(Guarded, SizesAroundAPage) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (const Guard side : both_guards)
    for (const std::size_t n : {page - 1, page, page + 1, 2 * page, 2 * page + 1}) {
      GuardedBuffer<std::byte> b(n, side);
      b[0] = b[n - 1] = std::byte{0};
      EXPECT_TRUE(b.untouched_unless([&](std::size_t i) { return i == 0 || i == n - 1; }));
      EXPECT_FALSE(b.untouched());
    }
}

TEST(Guarded, PoisonIsASignallingNanOr7f) {
  GuardedBuffer<float> f(2);
  EXPECT_EQ(tessera::bits_of(f[1]) & 0x7fc00000u, 0x7f800000u);
  EXPECT_TRUE(std::isnan(f[1]));
  GuardedBuffer<tessera::Float16> h(2);
  EXPECT_TRUE(std::isnan(to_float(h[0])));
  EXPECT_EQ(h[0].bits & 0x0200u, 0u);
  GuardedBuffer<tessera::BFloat16> b(2);
  EXPECT_TRUE(std::isnan(to_float(b[0])));
  EXPECT_EQ(b[0].bits & 0x0040u, 0u);
  GuardedBuffer<std::int8_t> i(2);
  EXPECT_EQ(i[0], 0x7f);
  GuardedBuffer<double> d(2);
  EXPECT_TRUE(std::isnan(d[1]));
}

TEST(Guarded, FindsEveryStrayByte) {
  for (const Guard side : both_guards) {
    GuardedBuffer<float> b(7, side, 4);
    EXPECT_TRUE(b.untouched());
    auto* bytes = reinterpret_cast<std::byte*>(b.data());
    for (const std::ptrdiff_t at : {-5, -4, -1, 0, 3, 27, 28, 31}) {
      if (side == Guard::front && at < -4) continue;  // before the page
      bytes[at] ^= std::byte{1};
      EXPECT_FALSE(b.untouched()) << at;
      const bool inside = at >= 0 && at < 28;
      EXPECT_EQ(static_cast<bool>(b.untouched_outside()), inside) << at;
      bytes[at] ^= std::byte{1};
    }
    EXPECT_TRUE(b.untouched());
  }
}

TEST(Guarded, ElementsInsideTheRangeMayChange) {
  GuardedBuffer<float> b(10);
  for (std::size_t i = 3; i < 6; ++i) b[i] = 0.0f;
  EXPECT_TRUE(b.untouched_except(3, 3));
  EXPECT_FALSE(b.untouched_except(3, 2));
  EXPECT_FALSE(b.untouched_except(4, 6));
  b.poison();
  EXPECT_TRUE(b.untouched());
}

TEST(Guarded, OffsetsMakeOddAddresses) {
  for (const Guard side : both_guards)
    for (std::size_t offset = 0; offset < 8; ++offset) {
      GuardedBuffer<std::byte> b(40, side, offset);
      const auto address = reinterpret_cast<std::uintptr_t>(b.data());
      EXPECT_EQ(address % 8, side == Guard::front ? offset : (8 - offset) % 8);
    }
}

TEST(Guarded, MoveKeepsTheMemory) {
  GuardedBuffer<float> a(4);
  a[1] = 2.0f;
  const float* p = a.data();
  const GuardedBuffer<float> b(std::move(a));
  EXPECT_EQ(b.data(), p);
  EXPECT_TRUE(b.untouched_except(1, 1));
}

TEST(Guarded, MatrixPaddingIsWatched) {
  for (const Guard side : both_guards) {
    GuardedMatrix<float> m(3, 5, 2, side);
    EXPECT_EQ(m.buffer().size(), 2u * 7 + 5);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 5; ++j) m(i, j) = 1.0f;
    EXPECT_TRUE(m.untouched_outside());
    EXPECT_FALSE(m.untouched_except_rows(0, 2));
    EXPECT_FALSE(m.untouched_except_rows(1, 3));
    EXPECT_TRUE(m.untouched_except_rows(0, 3));
    m.row(1)[5] = 1.0f;
    EXPECT_FALSE(m.untouched_outside());
    m.poison();
    EXPECT_TRUE(m.untouched());
    EXPECT_EQ(m.view().row(2), m.row(2));
    EXPECT_EQ(m.input().row_stride, 7);
  }
}

}  // namespace
