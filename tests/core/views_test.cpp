// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Views: where rows lie, what they span, and which shapes, strides and addresses are refused.
#include "tessera/core/views.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "tessera/core/float16.hpp"

namespace {

using tessera::HeadView;
using tessera::matrix;
using tessera::MatrixView;
using tessera::Status;
using namespace tessera::internal;

constexpr std::ptrdiff_t far = std::numeric_limits<std::ptrdiff_t>::max();
constexpr std::ptrdiff_t back = std::numeric_limits<std::ptrdiff_t>::min();
constexpr auto most = static_cast<std::size_t>(far);

float memory[4096];
float* const middle = memory + 2048;

MatrixView<const float> in(std::size_t rows, std::size_t cols, std::ptrdiff_t stride) {
  return {middle, rows, cols, stride};
}
MatrixView<float> out(std::size_t rows, std::size_t cols, std::ptrdiff_t stride) {
  return {middle, rows, cols, stride};
}
HeadView<float> heads(std::size_t h, std::size_t t, std::size_t d, std::ptrdiff_t head,
                      std::ptrdiff_t token) {
  return {middle, h, t, d, head, token};
}

TEST(MatrixViews, Rows) {
  const auto m = matrix(memory, 3, 5);
  EXPECT_EQ(m.row_stride, 5);
  EXPECT_EQ(m.row(2), memory + 10);
  EXPECT_EQ(out(4, 3, -7).row(3), middle - 21);
  EXPECT_EQ(out(4, 3, 0).row(3), middle);
}

TEST(MatrixViews, InputChecks) {
  EXPECT_EQ(check_input(in(3, 5, 5)), Status::ok);
  EXPECT_EQ(check_input(in(0, 5, 5)), Status::empty_shape);
  EXPECT_EQ(check_input(in(3, 0, 5)), Status::empty_shape);
  EXPECT_EQ(check_input(MatrixView<const float>{nullptr, 3, 5, 5}), Status::null_pointer);
  // An input may repeat a row, overlap its rows and walk backwards.
  for (const std::ptrdiff_t stride : {0, 1, 4, -1, -5, -100})
    EXPECT_EQ(check_input(in(3, 5, stride)), Status::ok) << stride;
}

TEST(MatrixViews, Alignment) {
  const auto* bytes = reinterpret_cast<const char*>(middle);
  for (int off = 0; off < 8; ++off) {
    const MatrixView<const float> v = {reinterpret_cast<const float*>(bytes + off), 2, 2, 2};
    EXPECT_EQ(check_input(v), off % 4 == 0 ? Status::ok : Status::misaligned) << off;
    const MatrixView<const tessera::Float16> h = {
        reinterpret_cast<const tessera::Float16*>(bytes + off), 2, 2, 2};
    EXPECT_EQ(check_input(h), off % 2 == 0 ? Status::ok : Status::misaligned) << off;
    const MatrixView<const std::byte> b = {reinterpret_cast<const std::byte*>(bytes + off), 2, 2,
                                           2};
    EXPECT_EQ(check_input(b), Status::ok) << off;
  }
}

TEST(MatrixViews, SizesThatNoPointerSpans) {
  EXPECT_EQ(check_input(in(1, most / 4, 1)), Status::ok);
  EXPECT_EQ(check_input(in(1, most / 4 + 1, 1)), Status::shape_too_large);
  EXPECT_EQ(check_input(in(SIZE_MAX, SIZE_MAX, 1)), Status::shape_too_large);
  EXPECT_EQ(check_input(in(SIZE_MAX, 1, 1)), Status::shape_too_large);
  EXPECT_EQ(check_input(in(SIZE_MAX, 1, 0)), Status::ok);  // one row, repeated
  EXPECT_EQ(check_input(in(2, 1, far)), Status::shape_too_large);
  EXPECT_EQ(check_input(in(2, 1, back)), Status::shape_too_large);
  EXPECT_EQ(check_input(in(1, 1, back)), Status::ok);  // no step is taken
  EXPECT_EQ(check_input(in(2, 1, far / 4)), Status::shape_too_large);
  EXPECT_EQ(check_input(in(2, 1, far / 4 - 1)), Status::ok);
  EXPECT_EQ(check_input(in(2, 1, -(far / 4 - 1))), Status::ok);
  EXPECT_EQ(check_input(in(3, 1, far / 2)), Status::shape_too_large);
  EXPECT_EQ(check_output(out(2, 1, far)), Status::shape_too_large);
}

TEST(MatrixViews, OutputRowsMustNotOverlap) {
  EXPECT_EQ(check_output(out(3, 5, 5)), Status::ok);
  EXPECT_EQ(check_output(out(3, 5, 6)), Status::ok);
  EXPECT_EQ(check_output(out(3, 5, 4)), Status::stride_too_small);
  EXPECT_EQ(check_output(out(3, 5, 0)), Status::stride_too_small);
  EXPECT_EQ(check_output(out(3, 5, -5)), Status::ok);
  EXPECT_EQ(check_output(out(3, 5, -4)), Status::stride_too_small);
  EXPECT_EQ(check_output(out(1, 5, 0)), Status::ok);  // a single row takes no step
  EXPECT_EQ(check_output(out(0, 5, 5)), Status::empty_shape);
  EXPECT_EQ(check_output(MatrixView<float>{nullptr, 1, 1, 1}), Status::null_pointer);
}

std::ptrdiff_t elements(std::uintptr_t address) {
  return static_cast<std::ptrdiff_t>(address - reinterpret_cast<std::uintptr_t>(middle)) / 4;
}

TEST(MatrixViews, Extents) {
  struct {
    std::size_t rows, cols;
    std::ptrdiff_t stride, begin, end;
  } const cases[] = {{1, 5, 7, 0, 5},    {3, 5, 7, 0, 19},  {3, 5, 0, 0, 5},
                     {3, 5, -7, -14, 5}, {2, 1, -1, -1, 1}, {1, 1, -100, 0, 1}};
  for (const auto& c : cases) {
    const Extent e = extent(out(c.rows, c.cols, c.stride));
    EXPECT_EQ(elements(e.begin), c.begin) << c.rows << 'x' << c.cols << " stride " << c.stride;
    EXPECT_EQ(elements(e.end), c.end) << c.rows << 'x' << c.cols << " stride " << c.stride;
  }
}

TEST(MatrixViews, WrittenViewsAreReadAsTheyAre) {
  const MatrixView<float> o = out(4, 8, 10);
  const MatrixView<const float> i = o;
  EXPECT_EQ(i.row(3), o.row(3));
  EXPECT_EQ(i.cols, 8u);
  static_assert(!std::is_convertible_v<MatrixView<const float>, MatrixView<float>>);
  static_assert(!std::is_convertible_v<MatrixView<double>, MatrixView<const float>>);
  const tessera::HeadView<float> h = {middle, 2, 3, 4, 12, 4};
  const tessera::HeadView<const float> r = h;
  EXPECT_EQ(r.row(1, 2), h.row(1, 2));
  EXPECT_EQ(r.dim, 4u);
}

TEST(MatrixViews, ExtentsIntersect) {
  static_assert(!intersects({0, 4}, {4, 8}));
  static_assert(!intersects({4, 8}, {0, 4}));
  static_assert(intersects({0, 5}, {4, 8}));
  static_assert(intersects({0, 8}, {3, 4}));
  static_assert(intersects({3, 4}, {0, 8}));
  static_assert(intersects({3, 4}, {3, 4}));
}

TEST(MatrixViews, InPlaceOrApart) {
  const MatrixView<float> o = out(4, 8, 10);
  const auto at = [](std::ptrdiff_t offset, std::size_t rows, std::ptrdiff_t stride) {
    return MatrixView<const float>{middle + offset, rows, 8, stride};
  };
  EXPECT_TRUE(same_rows_or_apart(o, at(0, 4, 10)));    // the same rows
  EXPECT_FALSE(same_rows_or_apart(o, at(0, 4, 11)));   // rows drift apart
  EXPECT_FALSE(same_rows_or_apart(o, at(1, 4, 10)));   // shifted by one element
  EXPECT_FALSE(same_rows_or_apart(o, at(-1, 4, 10)));  // and the other way
  EXPECT_FALSE(same_rows_or_apart(o, at(10, 4, 10)));  // shifted by one row
  EXPECT_TRUE(same_rows_or_apart(o, at(38, 4, 10)));   // right behind
  EXPECT_FALSE(same_rows_or_apart(o, at(37, 4, 10)));
  EXPECT_TRUE(same_rows_or_apart(o, at(-38, 4, 10)));  // right before
  EXPECT_FALSE(same_rows_or_apart(o, at(-37, 4, 10)));
  EXPECT_TRUE(same_rows_or_apart(o, at(-8, 4, -10)));  // walking away
  EXPECT_FALSE(same_rows_or_apart(o, at(30, 4, -10)));
  EXPECT_FALSE(same_rows_or_apart(o, at(0, 4, 0)));
  const MatrixView<float> one = out(1, 8, 10);
  EXPECT_TRUE(same_rows_or_apart(one, at(0, 1, 99)));  // of one row the stride does not matter
  // Columns of the same rows, such as the halves of a fused projection.
  const MatrixView<float> left = out(4, 8, 20);
  EXPECT_TRUE(same_rows_or_apart(left, at(8, 4, 20)));
  EXPECT_TRUE(same_rows_or_apart(left, at(12, 4, 20)));
  EXPECT_FALSE(same_rows_or_apart(left, at(13, 4, 20)));  // wraps into the next row
  EXPECT_FALSE(same_rows_or_apart(left, at(7, 4, 20)));
  EXPECT_TRUE(same_rows_or_apart(left, at(-8, 4, 20)));
  EXPECT_FALSE(same_rows_or_apart(left, at(-7, 4, 20)));
  EXPECT_TRUE(same_rows_or_apart(left, at(-12, 4, 20)));
  EXPECT_FALSE(same_rows_or_apart(left, at(-13, 4, 20)));
  EXPECT_FALSE(same_rows_or_apart(left, at(20, 4, 20)));
  EXPECT_TRUE(same_rows_or_apart(left, at(28, 3, 20)));  // a row further down
  EXPECT_FALSE(same_rows_or_apart(left, at(8, 4, 21)));
  const MatrixView<float> upwards = {middle, 4, 8, -20};
  EXPECT_TRUE(same_rows_or_apart(upwards, at(8, 4, -20)));
  EXPECT_FALSE(same_rows_or_apart(upwards, at(7, 4, -20)));
  // The same place read in other units is not in place: the sizes of elements differ.
  const MatrixView<const tessera::Float16> halves = {
      reinterpret_cast<const tessera::Float16*>(middle), 4, 8, 10};
  EXPECT_FALSE(same_rows_or_apart(o, halves));
}

TEST(HeadViews, Rows) {
  EXPECT_EQ(heads(2, 3, 4, 12, 4).row(1, 2), middle + 12 + 8);
  EXPECT_EQ(heads(2, 3, 4, -4, 8).row(1, 2), middle - 4 + 16);
}

TEST(HeadViews, InputChecks) {
  EXPECT_EQ(check_input(heads(2, 3, 4, 12, 4)), Status::ok);
  EXPECT_EQ(check_input(heads(0, 3, 4, 12, 4)), Status::empty_shape);
  EXPECT_EQ(check_input(heads(2, 3, 0, 12, 4)), Status::empty_shape);
  EXPECT_EQ(check_input(heads(2, 0, 4, 12, 4)), Status::ok);  // no tokens is legal
  EXPECT_EQ(check_input(HeadView<float>{nullptr, 2, 0, 4, 12, 4}), Status::ok);
  EXPECT_EQ(check_input(HeadView<float>{nullptr, 2, 1, 4, 12, 4}), Status::null_pointer);
  EXPECT_EQ(check_input(heads(2, 3, 4, 0, 0)), Status::ok);
  EXPECT_EQ(check_input(heads(2, 3, 4, -1, -5)), Status::ok);
  auto off = heads(2, 3, 4, 12, 4);
  off.data = reinterpret_cast<float*>(reinterpret_cast<char*>(middle) + 2);
  EXPECT_EQ(check_input(off), Status::misaligned);
}

TEST(HeadViews, SizesThatNoPointerSpans) {
  EXPECT_EQ(check_input(heads(1, 1, most / 4, 0, 0)), Status::ok);
  EXPECT_EQ(check_input(heads(1, 1, most / 4 + 1, 0, 0)), Status::shape_too_large);
  EXPECT_EQ(check_input(heads(1, 1, 1, back, back)), Status::ok);
  EXPECT_EQ(check_input(heads(2, 1, 1, back, 0)), Status::shape_too_large);
  EXPECT_EQ(check_input(heads(1, 2, 1, 0, back)), Status::shape_too_large);
  EXPECT_EQ(check_input(heads(SIZE_MAX, 1, 1, 1, 0)), Status::shape_too_large);
  EXPECT_EQ(check_input(heads(1, SIZE_MAX, 1, 0, 1)), Status::shape_too_large);
  EXPECT_EQ(check_input(heads(SIZE_MAX, SIZE_MAX, 1, 1, 1)), Status::shape_too_large);
  EXPECT_EQ(check_input(heads(1, 1, SIZE_MAX, 1, 1)), Status::shape_too_large);
  // Each dimension fits alone, both together do not.
  constexpr std::ptrdiff_t half = far / 8;
  EXPECT_EQ(check_input(heads(2, 1, 1, half + half / 2, 0)), Status::ok);
  EXPECT_EQ(check_input(heads(1, 2, 1, 0, half + half / 2)), Status::ok);
  EXPECT_EQ(check_input(heads(2, 2, 1, half + half / 2, half + half / 2)), Status::shape_too_large);
  EXPECT_EQ(check_input(heads(2, 2, 1, -(half + half / 2), half + half / 2)),
            Status::shape_too_large);
}

TEST(HeadViews, OutputRowsMustNotOverlap) {
  EXPECT_EQ(check_output(heads(2, 3, 4, 12, 4)), Status::ok);  // [heads][tokens][dim]
  EXPECT_EQ(check_output(heads(2, 3, 4, 4, 8)), Status::ok);   // [tokens][heads][dim]
  EXPECT_EQ(check_output(heads(2, 3, 4, -4, 8)), Status::ok);
  EXPECT_EQ(check_output(heads(2, 3, 4, 12, -4)), Status::ok);
  EXPECT_EQ(check_output(heads(2, 3, 4, 11, 4)), Status::stride_too_small);
  EXPECT_EQ(check_output(heads(2, 3, 4, 4, 7)), Status::stride_too_small);
  EXPECT_EQ(check_output(heads(2, 3, 4, 12, 3)), Status::stride_too_small);
  EXPECT_EQ(check_output(heads(2, 3, 4, 3, 12)), Status::stride_too_small);
  EXPECT_EQ(check_output(heads(2, 3, 4, 0, 4)), Status::stride_too_small);
  EXPECT_EQ(check_output(heads(2, 3, 4, 8, 8)), Status::stride_too_small);
  EXPECT_EQ(check_output(heads(1, 3, 4, 0, 4)), Status::ok);  // one head takes no step
  EXPECT_EQ(check_output(heads(2, 1, 4, 4, 0)), Status::ok);
  EXPECT_EQ(check_output(heads(1, 1, 4, 0, 0)), Status::ok);
  EXPECT_EQ(check_output(heads(2, 0, 4, 0, 0)), Status::ok);  // nothing is written
}

TEST(HeadViews, NoTwoAcceptedRowsShareAnElement) {
  // Brute force over small shapes: whenever check_output accepts, all rows are disjoint.
  for (std::size_t h = 1; h <= 3; ++h)
    for (std::size_t t = 1; t <= 3; ++t)
      for (std::size_t d = 1; d <= 3; ++d)
        for (std::ptrdiff_t hs = -10; hs <= 10; ++hs)
          for (std::ptrdiff_t ts = -10; ts <= 10; ++ts) {
            const auto v = heads(h, t, d, hs, ts);
            if (check_output(v) != Status::ok) continue;
            int taken[128] = {};
            for (std::size_t i = 0; i < h; ++i)
              for (std::size_t j = 0; j < t; ++j)
                for (std::size_t q = 0; q < d; ++q)
                  ASSERT_EQ(taken[v.row(i, j) + q - (middle - 64)]++, 0)
                      << h << ' ' << t << ' ' << d << ' ' << hs << ' ' << ts;
          }
}

TEST(HeadViews, Extents) {
  struct {
    std::ptrdiff_t head, token, begin, end;
  } const cases[] = {
      {12, 4, 0, 24}, {-12, 4, -12, 12}, {12, -4, -8, 16}, {-12, -4, -20, 4}, {0, 0, 0, 4}};
  for (const auto& c : cases) {
    const Extent e = extent(heads(2, 3, 4, c.head, c.token));
    EXPECT_EQ(elements(e.begin), c.begin) << c.head << ' ' << c.token;
    EXPECT_EQ(elements(e.end), c.end) << c.head << ' ' << c.token;
  }
}

TEST(Views, Magnitude) {
  static_assert(magnitude(5) == 5 && magnitude(-5) == 5 && magnitude(0) == 0);
  static_assert(magnitude(back) == most + 1);
}

}  // namespace
