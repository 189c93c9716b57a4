// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Packing stored blocks: the image is the described one byte for byte, unpacking gives the exact
// blocks, for every format, tile, edge and group count.
#include "tessera/tile/packing.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "tessera/formats/all.hpp"
#include "tessera/tile/tile.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/norms.hpp"
#include "tests/support/random.hpp"
#include "tests/tile/layouts.hpp"

namespace {

using namespace tessera_test;
using tessera::Status;

void pack_and_unpack(const Layout& layout, std::size_t n, std::size_t k, Random& r) {
  SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(k));
  const StoredWeights w(layout.format, n, k, r);
  auto image = layout.image(n, k);
  ASSERT_EQ(w.pack(layout, image.span()), Status::ok);
  EXPECT_TRUE(image.untouched_outside());
  EXPECT_TRUE(same_bytes(image.span(), w.literal_image(layout)));
  ASSERT_EQ(layout.check(image.span(), n, k), Status::ok);

  image.seal();
  GuardedMatrix<std::byte> back(n, w.row_bytes(), 3);
  ASSERT_EQ(layout.unpack(image.span(), n, k, back.row(0), back.stride(), {}), Status::ok);
  EXPECT_TRUE(back.untouched_outside());
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_TRUE(same_bytes(back.row_span(i), w.row_span(i))) << "row " << i;
}

TEST(Packing, EveryFormatMeetsEveryTile) {
  std::size_t floats = 0;
  tessera::all_formats::for_each([&](auto f) { floats += decltype(f)::type::is_float ? 1 : 0; });
  EXPECT_EQ(float_layouts().size(), floats * tessera::all_float_tiles::size);
  EXPECT_EQ(block_layouts().size(),
            (tessera::all_formats::size - floats) * tessera::all_int8_tiles::size);
}

/// Long rows of blocks of 256 elements with few columns, wide panels with short rows.
constexpr std::size_t most_elements = 80000;

TEST(Packing, UnpackGivesWhatWasPackedAtEveryEdge) {
  Random r(1);
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    for (const std::size_t n : layout.row_counts())
      for (const std::size_t k : layout.row_lengths())
        if (n * k <= most_elements) pack_and_unpack(layout, n, k, r);
  }
}

TEST(Packing, SizeIsExact) {
  Random r(2);
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    for (const std::size_t n : layout.row_counts())
      for (const std::size_t groups : {1, 3}) {
        const std::size_t k = groups * layout.format.group;
        const StoredWeights w(layout.format, n, k, r);
        const std::size_t size = layout.packed_size(n, k);
        EXPECT_EQ(size, w.literal_image(layout).size());
        // One byte less is refused before anything is written; more is not touched.
        GuardedBuffer<std::byte> image(size + 64, Guard::front);
        EXPECT_EQ(w.pack(layout, image.span().first(size - 1)), Status::packed_too_small);
        EXPECT_TRUE(image.untouched());
        EXPECT_EQ(w.pack(layout, image.span()), Status::ok);
        EXPECT_TRUE(image.untouched_except(0, size));
      }
  }
}

TEST(Packing, ImagesOfLargeMatricesAreNotLarger) {
  const std::set<std::string> same_size = {"q4_0", "q8_0", "iq4_nl", "mxfp4", "q4_K"};
  for (const Layout& layout : all_layouts())
    for (const std::size_t n : {1024, 4096, 4097})
      for (const std::size_t k : {1024, 4096, 14336}) {
        const auto stored =
            static_cast<double>(n * layout.format.blocks_in(k) * layout.format.block_bytes);
        const auto packed = static_cast<double>(layout.packed_size(n, k));
        EXPECT_GE(packed, stored);
        // Whole panels: the parts' alignment is left, of formats with 14 bytes of header the most.
        const bool round = same_size.count(layout.format.name) != 0;
        const double columns = static_cast<double>((n + layout.n - 1) / layout.n * layout.n);
        const double limit = (round ? 1.001 : 1.02) * columns / static_cast<double>(n);
        EXPECT_TRUE(within(packed / stored, limit)) << layout.text() << ' ' << n << " x " << k;
      }
}

TEST(Packing, SizesAreConstants) {
  using F = tessera::format::q4_0;
  using T = tessera::tile::ime1_int8;
  static_assert(tessera::packed_size<F, T>(4, 32) == 64 + 64 + 64);
  static_assert(tessera::packed_size<F, T>(5, 33) == 64 + 2 * (64 + 128));
  static_assert(tessera::packed_size<F, T>(0, 32) == 0);
  static_assert(tessera::packed_size<F, T>(4, 0) == 0);
  static_assert(tessera::packed_size<F, T>(SIZE_MAX, SIZE_MAX) == 0);
}

TEST(Packing, SizesThatDoNotFitAreZero) {
  constexpr std::size_t most = SIZE_MAX / 2;
  for (const Layout& layout : all_layouts()) {
    SCOPED_TRACE(layout.text());
    for (const std::size_t huge : {SIZE_MAX, SIZE_MAX - 63, most + 1, most, most / 2, most / 64})
      for (const std::size_t other : {std::size_t{1}, std::size_t{64}, std::size_t{4096}, huge})
        for (const bool swapped : {false, true}) {
          const std::size_t n = swapped ? other : huge;
          const std::size_t k = swapped ? huge : other;
          const std::size_t size = layout.packed_size(n, k);
          // A size that is named must hold all codes; a bit each, or more, in long double.
          const long double codes = static_cast<long double>(n) * static_cast<long double>(k);
          EXPECT_TRUE(size == 0 || static_cast<long double>(size) >= codes / 8) << n << ' ' << k;
          EXPECT_LE(size, most) << n << ' ' << k;
          EXPECT_TRUE(codes < static_cast<long double>(most) * 8 || size == 0) << n << ' ' << k;
        }
    EXPECT_NE(layout.packed_size(1, 1), 0u);
    EXPECT_NE(layout.packed_size(std::size_t{1} << 30, std::size_t{1} << 20), 0u);
  }
}

TEST(Packing, SizeGrowsWithEitherDimension) {
  for (const Layout& layout : all_layouts())
    for (std::size_t n = 1; n < 140; ++n)
      for (const std::size_t k : layout.row_lengths()) {
        EXPECT_LE(layout.packed_size(n, k), layout.packed_size(n + 1, k)) << layout.text();
        EXPECT_LE(layout.packed_size(n, k), layout.packed_size(n, k + 1)) << layout.text();
      }
}

}  // namespace
