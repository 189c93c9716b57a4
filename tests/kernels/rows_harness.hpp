// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What the tests of the row kernels (norm, softmax, gated activation) share.
#ifndef TESSERA_TESTS_KERNELS_ROWS_HARNESS_HPP_
#define TESSERA_TESTS_KERNELS_ROWS_HARNESS_HPP_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "tests/kernels/backends.hpp"
#include "tests/kernels/matmul_harness.hpp"
#include "tests/reference/expected.hpp"

namespace tessera_test {

inline constexpr float inf = std::numeric_limits<float>::infinity();
inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Lengths around every register: 1 to 70, the virtual lanes of wide registers, primes.
inline std::vector<std::size_t> row_lengths() {
  std::vector<std::size_t> all;
  for (std::size_t n = 1; n <= 70; ++n) all.push_back(n);
  for (const std::size_t n : {95, 96, 97, 127, 128, 129, 172, 255, 256, 257, 509, 1031})
    all.push_back(n);
  return all;
}

/// The address `bytes` further, aligned or not.
template <class T>
T* shifted(T* p, std::ptrdiff_t bytes) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) +
                              static_cast<std::uintptr_t>(bytes));
}

/// Are all of them inside their limits?
inline testing::AssertionResult matches(std::span<const float> got,
                                        const reference::Expected& want) {
  if (got.size() != want.value.size())
    return testing::AssertionFailure() << got.size() << " values against " << want.value.size();
  const std::size_t i = reference::first_outside(want, got.data());
  if (i == got.size()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "element " << i << " of " << got.size() << ": " << got[i]
                                     << " against " << want.value[i] << " +- " << want.limit[i];
}

/// One unit per row: every unit alone, last first, and up to 17 slices give the bits `want`; ranges
/// outside are refused. `run(args, range)` is the kernel.
template <class Args, class Run>
void expect_same_units(const Args& args, GuardedMatrix<float>& y, const std::vector<float>& want,
                       Run run) {
  const std::size_t n = tessera::units(args);
  ASSERT_EQ(n, y.rows());
  y.poison();
  for (std::size_t u = n; u-- > 0;) {
    ASSERT_EQ(run(args, tessera::UnitRange{u, u + 1}), Status::ok);
    ASSERT_TRUE(y.untouched_except_rows(u, n));
  }
  ASSERT_TRUE(same_bits(values_of(y), want));
  for (std::size_t count = 1; count <= 17; ++count) {
    y.poison();
    for (std::size_t i = count; i-- > 0;)
      ASSERT_EQ(run(args, tessera::Slice{i, count}.of(n)), Status::ok);
    ASSERT_TRUE(same_bits(values_of(y), want)) << count << " slices";
  }
  y.poison();
  for (const tessera::UnitRange range :
       {tessera::UnitRange{0, n + 1}, tessera::UnitRange{n + 1, n + 1}, tessera::UnitRange{1, 0}})
    ASSERT_EQ(run(args, range), Status::bad_unit_range);
  ASSERT_EQ(run(args, tessera::UnitRange{n, n}), Status::ok);
  ASSERT_TRUE(y.untouched());
}

/// Each way in which one matrix of valid arguments can be refused, whatever the kernel. `p` is a
/// problem with `args` and `refused(Status)`, which restores them.
template <class Problem, class Args, class T>
void expect_view_checked(Problem& p, tessera::MatrixView<T> Args::* view) {
  const auto spoilt = [&](Status want, auto spoil) {
    spoil(p.args.*view);
    p.refused(want);
  };
  spoilt(Status::null_pointer, [](auto& v) { v.data = nullptr; });
  for (const std::ptrdiff_t bytes : {1, 2, 3, -1})
    spoilt(Status::misaligned, [&](auto& v) { v.data = shifted(v.data, bytes); });
  spoilt(Status::shape_mismatch, [](auto& v) { v.rows -= 1; });
  spoilt(Status::shape_mismatch, [](auto& v) { v.cols -= 1; });
  for (const std::ptrdiff_t stride : {PTRDIFF_MAX, PTRDIFF_MIN})
    spoilt(Status::shape_too_large, [&](auto& v) { v.row_stride = stride; });
  if constexpr (!std::is_const_v<T>) {
    const auto cols = static_cast<std::ptrdiff_t>((p.args.*view).cols);
    for (const std::ptrdiff_t stride : {std::ptrdiff_t{0}, cols - 1, 1 - cols})
      spoilt(Status::stride_too_small, [&](auto& v) { v.row_stride = stride; });
  }
}

/// Valid arguments on a core that has the backend's instructions or not.
template <class B, class Problem>
void expect_refused_elsewhere(Problem& p) {
  if (B::check() == Status::ok)
    EXPECT_EQ(tessera::check<B>(p.args), Status::ok);
  else
    p.refused(B::check());
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_KERNELS_ROWS_HARNESS_HPP_
