// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Packing rows of floats: quantised by the format's rule, the last group padded with zeros, any
// stride, nothing read beyond a row. And rows of blocks at any address.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/tile/packing.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/norms.hpp"
#include "tests/support/random.hpp"
#include "tests/tile/layouts.hpp"

namespace {

using namespace tessera_test;
using tessera::MatrixView;
using tessera::Status;

/// The stored blocks of one row, quantised one by one.
std::vector<std::byte> quantised_row(const FormatEntry& f, const float* x, std::size_t k) {
  std::vector<std::byte> bytes(f.blocks_in(k) * f.block_bytes);
  for (std::size_t g = 0; g < f.blocks_in(k); ++g) {
    std::vector<float> group(f.group, 0.0f);
    for (std::size_t i = 0; i < f.group && g * f.group + i < k; ++i) group[i] = x[g * f.group + i];
    f.quantize(group.data(), bytes.data() + g * f.block_bytes);
  }
  return bytes;
}

void check_rows(const Layout& layout, const MatrixView<const float>& w) {
  auto image = layout.image(w.rows, w.cols);
  ASSERT_EQ(layout.pack_floats(w, image.span(), {}), Status::ok);
  EXPECT_TRUE(image.untouched_outside());
  const std::size_t row_bytes = layout.format.blocks_in(w.cols) * layout.format.block_bytes;
  GuardedMatrix<std::byte> back(w.rows, row_bytes);
  ASSERT_EQ(layout.unpack(image.span(), w.rows, w.cols, back.row(0), row_bytes, {}), Status::ok);
  for (std::size_t i = 0; i < w.rows; ++i)
    ASSERT_TRUE(same_bytes(back.row_span(i), quantised_row(layout.format, w.row(i), w.cols)))
        << "row " << i << " of " << w.rows << " x " << w.cols;
}

TEST(FloatRows, EveryLengthUpTo70) {
  Random r(1);
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    const std::size_t n = layout.n < 16 ? layout.n + 1 : 3;
    for (std::size_t k = 1; k <= 70; ++k) {
      GuardedMatrix<float> w(n, k, k % 3);  // padding is signalling NaNs
      for (std::size_t i = 0; i < n; ++i) fill(w.row_span(i), Fill::gaussian, r);
      w.seal();
      check_rows(layout, w.input());
    }
  }
}

TEST(FloatRows, EveryTileEdgeAndKindOfData) {
  Random r(2);
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    for (const std::size_t n : layout.row_counts())
      for (const Fill kind : all_fills) {
        GuardedMatrix<float> w(n, 45, 2);
        for (std::size_t i = 0; i < n; ++i) fill(w.row_span(i), kind, r, 1e4f);
        w.seal();
        check_rows(layout, w.input());
      }
  }
}

TEST(FloatRows, ZeroPaddingEqualsPaddedRows) {
  // Beyond the header, k = 45 gives the bytes of k = 64 with zeros in the last 19 places.
  Random r(3);
  for (const Layout& layout : block_layouts()) {
    SCOPED_TRACE(layout.text());
    const std::size_t n = layout.n + 1;
    GuardedMatrix<float> w(n, 64);
    for (std::size_t i = 0; i < n; ++i) {
      fill(w.row_span(i), Fill::gaussian, r);
      for (std::size_t q = 45; q < 64; ++q) w(i, q) = 0.0f;
    }
    auto padded = layout.image(n, 64);
    auto image = layout.image(n, 45);
    MatrixView<const float> cut = w.input();
    cut.cols = 45;
    ASSERT_EQ(layout.pack_floats(w.input(), padded.span(), {}), Status::ok);
    ASSERT_EQ(layout.pack_floats(cut, image.span(), {}), Status::ok);
    EXPECT_TRUE(same_bytes(image.span().subspan(64), padded.span().subspan(64)));
    EXPECT_EQ(layout.check(image.span(), n, 45), Status::ok);
    EXPECT_EQ(layout.check(image.span(), n, 64), Status::packed_shape);
  }
}

TEST(FloatRows, SplitsGiveTheSameBytes) {
  Random r(4);
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    const std::size_t n = layout.n + 3;
    GuardedMatrix<float> w(n, 45, 1);
    for (std::size_t i = 0; i < n; ++i) fill(w.row_span(i), Fill::gaussian, r);
    auto whole = layout.image(n, 45);
    ASSERT_EQ(layout.pack_floats(w.input(), whole.span(), {}), Status::ok);
    auto image = layout.image(n, 45);
    for (std::size_t i = n; i > 0; --i)
      ASSERT_EQ(layout.pack_floats(w.input(), image.span(), {i - 1, i}), Status::ok);
    EXPECT_TRUE(same_bytes(image.span(), whole.span()));
  }
}

TEST(FloatRows, StridesMayRepeatOverlapAndWalkBackwards) {
  Random r(5);
  GuardedBuffer<float> memory(400);
  fill(memory.span(), Fill::gaussian, r);
  memory.seal();
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    check_rows(layout, {memory.data() + 350, 9, 50, 0});
    check_rows(layout, {memory.data(), 9, 50, 1});
    check_rows(layout, {memory.data() + 350, 8, 50, -50});
    check_rows(layout, {memory.data() + 350, 9, 50, -3});
  }
}

TEST(FloatRows, Refusals) {
  Random r(6);
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    GuardedMatrix<float> w(3, 40);
    for (std::size_t i = 0; i < 3; ++i) fill(w.row_span(i), Fill::gaussian, r);
    auto image = layout.image(3, 40);
    const auto pack = [&](MatrixView<const float> v) {
      return layout.pack_floats(v, image.span(), {});
    };
    const float* p = w.row(0);
    const auto* odd = reinterpret_cast<const float*>(reinterpret_cast<const char*>(p) + 2);
    EXPECT_EQ(pack({p, 0, 40, 40}), Status::empty_shape);
    EXPECT_EQ(pack({p, 3, 0, 40}), Status::empty_shape);
    EXPECT_EQ(pack({nullptr, 3, 40, 40}), Status::null_pointer);
    EXPECT_EQ(pack({odd, 2, 40, 40}), Status::misaligned);
    EXPECT_EQ(pack({p, SIZE_MAX, 40, 40}), Status::shape_too_large);
    EXPECT_EQ(pack({p, SIZE_MAX, SIZE_MAX / 16, 0}), Status::shape_too_large);
    EXPECT_EQ(pack({p, 40 * layout.n, 40, 0}), Status::packed_too_small);
    EXPECT_TRUE(image.untouched());
  }
}

TEST(BlockRows, LengthsMustBeWholeBlocks) {
  Random r(7);
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    const std::size_t group = layout.format.group;
    const std::size_t k = 3 * group;
    const StoredWeights w(layout.format, 3, k, r);
    auto image = layout.image(3, k);
    const auto pack = [&](const std::byte* data, std::size_t rows, std::size_t cols,
                          tessera::RowRange range) {
      return layout.pack_blocks(data, rows, cols, 200, image.span(), range);
    };
    for (std::size_t cols = 0; cols <= 2 * group; ++cols) {
      const Status want = cols == 0           ? Status::empty_shape
                          : cols % group == 0 ? Status::ok
                                              : Status::group_multiple;
      EXPECT_EQ(pack(w.row(0), 3, cols, {0, 0}), want) << cols;
    }
    EXPECT_EQ(pack(w.row(0), 0, k, {}), Status::empty_shape);
    EXPECT_EQ(pack(nullptr, 3, k, {}), Status::null_pointer);
    EXPECT_EQ(pack(w.row(0), SIZE_MAX, k, {}), Status::shape_too_large);
    EXPECT_TRUE(image.untouched());
  }
}

/// Five rows at `offset` bytes before the end of memory, `stride` bytes apart.
void check_blocks_at(const Layout& layout, std::size_t offset, std::ptrdiff_t stride, Random& r) {
  const std::size_t k = 2 * layout.format.group;
  const std::size_t row = 2 * layout.format.block_bytes;
  const auto step = static_cast<std::size_t>(stride < 0 ? -stride : stride);
  GuardedBuffer<std::byte> memory(4 * step + row, Guard::rear, offset);
  fill_bytes(memory.span(), r);
  memory.seal();
  const std::byte* data = memory.data() + (stride < 0 ? 4 * step : 0);
  auto image = layout.image(5, k);
  ASSERT_EQ(layout.pack_blocks(data, 5, k, stride, image.span(), {}), Status::ok);
  GuardedMatrix<std::byte> back(5, row);
  ASSERT_EQ(layout.unpack(image.span(), 5, k, back.row(0), row, {}), Status::ok);
  for (std::ptrdiff_t i = 0; i < 5; ++i)
    ASSERT_TRUE(
        same_bytes(back.row_span(static_cast<std::size_t>(i)), std::span(data + i * stride, row)))
        << offset << ' ' << stride << ' ' << i;
}

TEST(BlockRows, AnyAddressAndAnyRowStride) {
  Random r(8);
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    const auto row = static_cast<std::ptrdiff_t>(2 * layout.format.block_bytes);
    for (std::size_t offset = 0; offset < 8; ++offset)
      for (const std::ptrdiff_t stride : {row, row + 1, -row - 3, std::ptrdiff_t{0}})
        check_blocks_at(layout, offset, stride, r);
  }
}

}  // namespace
