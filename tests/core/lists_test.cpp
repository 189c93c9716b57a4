// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Type lists keep their order, unrolled loops run once per index, accumulator packs are distinct.
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>
#include <vector>

#include "tessera/core/type_list.hpp"
#include "tessera/core/unroll.hpp"

namespace {

using tessera::TypeList;

TEST(Lists, ForEachRunsInOrder) {
  std::vector<std::size_t> sizes;
  TypeList<char, int, char[3]>::for_each(
      [&](auto t) { sizes.push_back(sizeof(typename decltype(t)::type)); });
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 4, 3}));
  TypeList<>::for_each([](auto) { FAIL(); });
}

TEST(Lists, AppendPutsTypesBehind) {
  static_assert(std::is_same_v<TypeList<char>::append<int, long>, TypeList<char, int, long>>);
  static_assert(TypeList<char>::append<int, long>::size == 3);
  static_assert(TypeList<>::size == 0);
}

TEST(Unroll, EveryIndexOnceAscendingAndConstant) {
  std::vector<std::size_t> seen;
  tessera::unroll<5>([&](auto i) {
    static_assert(decltype(i)::value < 5);
    seen.push_back(i);
  });
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  tessera::unroll<0>([](auto) { FAIL(); });
}

TEST(Unroll, NthIsTheArgumentItself) {
  int a = 1;
  double b = 2;
  char c = 3;
  tessera::nth<1>(a, b, c) = 5;
  EXPECT_EQ(b, 5.0);
  EXPECT_EQ(&tessera::nth<0>(a, b, c), &a);
  EXPECT_EQ(&tessera::nth<2>(a, b, c), &c);
}

TEST(Unroll, AccumulatorsAreMadeInOrderAndDistinct) {
  int next = 10;
  int calls = 0;
  tessera::with_accumulators<3>([&] { return next++; },
                                [&](auto& x, auto& y, auto& z) {
                                  ++calls;
                                  EXPECT_EQ(x, 10);
                                  EXPECT_EQ(y, 11);
                                  EXPECT_EQ(z, 12);
                                  x = 0;
                                  EXPECT_EQ(y, 11);
                                });
  EXPECT_EQ(calls, 1);
  tessera::with_accumulators<0>([] { return 1; },
                                [&](auto&... none) {
                                  static_assert(sizeof...(none) == 0);
                                  ++calls;
                                });
  EXPECT_EQ(calls, 2);
}

}  // namespace
