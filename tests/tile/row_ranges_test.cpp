// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Packing in pieces: any split of the rows in any order gives the bytes of one call, and no byte has
// two owners, so threads may pack their own rows without a lock.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "tessera/core/units.hpp"
#include "tessera/tile/packing.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/norms.hpp"
#include "tests/support/random.hpp"
#include "tests/tile/layouts.hpp"

namespace {

using namespace tessera_test;
using tessera::RowRange;
using tessera::Status;

/// A random partition of [0, n) in random order, empty pieces among them.
std::vector<RowRange> pieces_of(std::size_t n, Random& r) {
  std::vector<std::size_t> cuts = {0, n};
  for (std::uint64_t i = r.below(n + 2); i > 0; --i) cuts.push_back(r.below(n + 1));
  std::sort(cuts.begin(), cuts.end());
  std::vector<RowRange> pieces;
  for (std::size_t i = 1; i < cuts.size(); ++i) pieces.push_back({cuts[i - 1], cuts[i]});
  for (std::size_t i = pieces.size(); i > 1; --i) std::swap(pieces[i - 1], pieces[r.below(i)]);
  return pieces;
}

enum class Garbage { zeros, ones, random };

void fill_garbage(GuardedBuffer<std::byte>& image, Garbage kind, Random& r) {
  if (kind == Garbage::random)
    fill_bytes(image.span(), r);
  else
    image.fill_bytes(kind == Garbage::ones ? 0xff : 0x00);
}

TEST(RowRanges, AnySplitInAnyOrderGivesTheSameBytes) {
  Random r(1);
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    for (const std::size_t n : layout.row_counts())
      for (const std::size_t groups : {1, 3}) {
        const std::size_t k = groups * layout.format.group;
        const StoredWeights w(layout.format, n, k, r);
        auto whole = layout.image(n, k);
        ASSERT_EQ(w.pack(layout, whole.span()), Status::ok);
        for (const Garbage kind : {Garbage::zeros, Garbage::ones, Garbage::random}) {
          auto image = layout.image(n, k);
          fill_garbage(image, kind, r);
          for (const RowRange range : pieces_of(n, r))
            ASSERT_EQ(w.pack(layout, image.span(), range), Status::ok);
          EXPECT_TRUE(image.untouched_outside());
          ASSERT_TRUE(same_bytes(image.span(), whole.span()))
              << n << " x " << k << ", garbage " << static_cast<int>(kind);
        }
      }
  }
}

/// Counts for each byte of the image how many rows write it. Packing one row over two opposite
/// fillings leaves the same byte exactly where it wrote all of it.
std::vector<int> owners_of(const Layout& layout, const StoredWeights& w, std::size_t n,
                           std::size_t k) {
  auto zeros = layout.image(n, k);
  auto ones = layout.image(n, k);
  std::vector<int> owners(zeros.size(), 0);
  for (std::size_t row = 0; row < n; ++row) {
    zeros.fill_bytes(0x00);
    ones.fill_bytes(0xff);
    EXPECT_EQ(w.pack(layout, zeros.span(), {row, row + 1}), Status::ok);
    EXPECT_EQ(w.pack(layout, ones.span(), {row, row + 1}), Status::ok);
    for (std::size_t i = 0; i < owners.size(); ++i) {
      const bool untouched = zeros[i] == std::byte{0} && ones[i] == std::byte{255};
      if (zeros[i] == ones[i]) ++owners[i];
      if (zeros[i] != ones[i] && !untouched) owners[i] += 100;  // written in part
    }
  }
  return owners;
}

TEST(RowRanges, EveryByteHasOneOwner) {
  Random r(2);
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    for (const std::size_t n : {std::size_t{1}, layout.n, layout.n + 1, 2 * layout.n + 3}) {
      const std::size_t k = 2 * layout.format.group;
      const StoredWeights w(layout.format, n, k, r);
      const auto owners = owners_of(layout, w, n, k);
      for (std::size_t i = 0; i < owners.size(); ++i)
        ASSERT_EQ(owners[i], 1) << "byte " << i << " of " << n << " x " << k;
    }
  }
}

TEST(RowRanges, ThreadsGiveTheSameBytes) {
  Random r(3);
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    const std::size_t n = 2 * layout.n + 3;
    const std::size_t k = 2 * layout.format.group;
    const StoredWeights w(layout.format, n, k, r);
    auto whole = layout.image(n, k);
    ASSERT_EQ(w.pack(layout, whole.span()), Status::ok);
    auto image = layout.image(n, k);
    Status status[3];
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 3; ++i)
      threads.emplace_back([&, i] {
        const auto part = tessera::Slice{i, 3}.of(n);
        status[i] = w.pack(layout, image.span(), {part.begin, part.end});
      });
    for (auto& thread : threads) thread.join();
    for (const Status s : status) EXPECT_EQ(s, Status::ok);
    EXPECT_TRUE(same_bytes(image.span(), whole.span()));
  }
}

TEST(RowRanges, UnpackingAnyRangeWritesItsRowsOnly) {
  Random r(4);
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    const std::size_t n = layout.n + 3;
    const std::size_t k = 2 * layout.format.group;
    const StoredWeights w(layout.format, n, k, r);
    auto image = layout.image(n, k);
    ASSERT_EQ(w.pack(layout, image.span()), Status::ok);
    const RowRange ranges[] = {{0, 0}, {0, 1}, {n - 1, n}, {n, n}, {1, 3}, {2, n - 1}, {0, n}};
    for (const RowRange range : ranges) {
      GuardedMatrix<std::byte> back(n, w.row_bytes(), 1);
      ASSERT_EQ(layout.unpack(image.span(), n, k, back.row(0), back.stride(), range), Status::ok);
      EXPECT_TRUE(back.untouched_except_rows(range.begin, range.end));
      for (std::size_t i = range.begin; i < range.end; ++i)
        EXPECT_TRUE(same_bytes(back.row_span(i), w.row_span(i)));
    }
  }
}

TEST(RowRanges, EmptyRangesWriteNothing) {
  Random r(5);
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    const std::size_t n = layout.n + 1;
    const StoredWeights w(layout.format, n, layout.format.group, r);
    auto image = layout.image(n, layout.format.group);
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, n})
      EXPECT_EQ(w.pack(layout, image.span(), {at, at}), Status::ok);
    EXPECT_TRUE(image.untouched());
  }
}

TEST(RowRanges, RangesOutsideAreRefused) {
  Random r(6);
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    const std::size_t n = layout.n + 1;
    const std::size_t k = layout.format.group;
    const StoredWeights w(layout.format, n, k, r);
    auto image = layout.image(n, k);
    const RowRange bad[] = {{0, n + 1},        {1, 0},     {n + 1, n + 1},
                            {n + 1, SIZE_MAX}, {n, n - 1}, {0, SIZE_MAX - 1}};
    for (const RowRange range : bad)
      EXPECT_EQ(w.pack(layout, image.span(), range), Status::bad_unit_range)
          << range.begin << ' ' << range.end;
    EXPECT_TRUE(image.untouched());
    ASSERT_EQ(w.pack(layout, image.span()), Status::ok);
    GuardedMatrix<std::byte> back(n, w.row_bytes());
    for (const RowRange range : bad)
      EXPECT_EQ(layout.unpack(image.span(), n, k, back.row(0), back.stride(), range),
                Status::bad_unit_range)
          << range.begin << ' ' << range.end;
    EXPECT_TRUE(back.untouched());
  }
}

}  // namespace
