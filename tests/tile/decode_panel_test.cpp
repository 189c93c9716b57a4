// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Panels of any tile decoded for any other: every code, scale and float where its kernel looks for it.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tessera/backend/scalar/backend.hpp"
#include "tessera/formats/all.hpp"
#include "tessera/tile/decode_panel.hpp"
#include "tessera/tile/packing.hpp"
#include "tessera/tile/scale_lanes.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/norms.hpp"
#include "tests/support/random.hpp"
#include "tests/tile/layouts.hpp"

namespace {

using namespace tessera_test;
using tessera::Status;

/// The part of an integer atom that decoding needs.
template <class T>
struct Atom : tessera::TileScales<T> {
  using tile = T;
};
template <class T>
  requires(T::m == 1)
struct Atom<T> : tessera::ColumnScales<T> {
  using tile = T;
};

/// Decoding of one packed layout for one tile; what the layout's kind has not is null.
struct Decoding {
  Layout from;
  std::size_t n, k;  ///< of the tile decoded for
  std::size_t scale_lanes;
  bool in_place;
  void (*codes)(const std::byte*, std::size_t n, std::size_t k, std::size_t n0, std::int8_t*);
  void (*scales)(const std::byte*, std::size_t n, std::size_t k, std::size_t n0, float*);
  void (*floats)(const std::byte*, std::size_t n, std::size_t k, std::size_t n0, float*);

  std::string text() const {
    return from.text() + ", decoded for " + std::to_string(n) + " columns of " + std::to_string(k);
  }
  /// Row counts that end inside, at and behind panels of both tiles.
  std::set<std::size_t> row_counts() const {
    auto counts = from.row_counts();
    counts.insert(n);
    counts.insert(n + 1);
    return counts;
  }
};

template <class F, class From, class To>
Decoding decoding(const Layout& from) {
  Decoding d = {from, To::n, To::k, 0, false, nullptr, nullptr, nullptr};
  if constexpr (F::is_float) {
    d.floats = [](const std::byte* image, std::size_t n, std::size_t k, std::size_t n0, float* o) {
      tessera::detail::decode_floats<tessera::backend::scalar, F, From, To>(image, n, k, n0, o);
    };
  } else {
    d.scale_lanes = Atom<To>::b_scale_lanes;
    d.in_place = tessera::detail::codes_in_place<F, From, To>;
    d.codes = [](const std::byte* image, std::size_t n, std::size_t k, std::size_t n0,
                 std::int8_t* o) {
      tessera::detail::decode_codes<F, From, To>(image, n, k, n0, o);
    };
    d.scales = [](const std::byte* image, std::size_t n, std::size_t k, std::size_t n0, float* o) {
      tessera::detail::decode_scales<F, From, Atom<To>>(image, n, k, n0, o);
    };
  }
  return d;
}

template <bool Float, class Tiles>
std::vector<Decoding> decodings(const std::vector<Layout>& layouts) {
  std::vector<Decoding> all;
  std::size_t next = 0;
  tessera::all_formats::for_each([&](auto f) {
    using F = typename decltype(f)::type;
    if constexpr (F::is_float == Float)
      Tiles::for_each([&](auto from) {
        const Layout& layout = layouts[next++];
        Tiles::for_each([&](auto to) {
          all.push_back(
              decoding<F, typename decltype(from)::type, typename decltype(to)::type>(layout));
        });
      });
  });
  return all;
}
std::vector<Decoding> block_decodings() {
  return decodings<false, tessera::all_int8_tiles>(block_layouts());
}
std::vector<Decoding> float_decodings() {
  return decodings<true, tessera::all_float_tiles>(float_layouts());
}

GuardedBuffer<std::byte> packed(const Layout& layout, const StoredWeights& w, std::size_t n,
                                std::size_t k) {
  auto image = layout.image(n, k);
  EXPECT_EQ(w.pack(layout, image.span()), Status::ok);
  image.seal();
  return image;
}

void check_codes(const Decoding& d, std::size_t n, std::size_t k, Random& r) {
  const StoredWeights w(d.from.format, n, k, r);
  const auto image = packed(d.from, w, n, k);
  for (std::size_t n0 = 0; n0 < n; n0 += d.n) {
    GuardedBuffer<std::int8_t> out(d.n * k);
    d.codes(image.data(), n, k, n0, out.data());
    EXPECT_TRUE(out.untouched_outside());
    std::size_t at = 0;
    for (std::size_t q = 0; q < k; q += d.k)  // [group][k step][n][k]
      for (std::size_t j = n0; j < n0 + d.n; ++j)
        for (std::size_t i = q; i < q + d.k; ++i, ++at)
          ASSERT_EQ(out[at], j < n ? w.code(j, i) : 0)
              << "column " << j << " of " << n << " element " << i;
  }
}

TEST(DecodePanel, CodesOfEveryTileForEveryTile) {
  Random r(1);
  for (const Decoding& d : block_decodings()) {
    SCOPED_TRACE(d.text());
    for (const std::size_t n : d.row_counts())
      check_codes(d, n, (n % 3 + 1) * d.from.format.group, r);
  }
}

TEST(DecodePanel, CodesReadInPlaceAreTheDecodedOnes) {
  Random r(2);
  std::size_t in_place = 0;
  for (const Decoding& d : block_decodings()) {
    const bool same_order = d.from.n == d.n && d.from.k == d.k;
    EXPECT_EQ(d.in_place, same_order && d.from.format.code_bits == 8) << d.text();
    if (!d.in_place) continue;
    ++in_place;
    const std::size_t n = d.n + 1;
    const StoredWeights w(d.from.format, n, 96, r);
    const auto image = packed(d.from, w, n, 96);
    const std::size_t scale_bytes = to_64(3 * d.n * 2);
    const std::size_t panel_bytes = to_64(scale_bytes + d.n * 96);
    for (std::size_t panel = 0; panel < 2; ++panel) {
      GuardedBuffer<std::int8_t> out(d.n * 96);
      d.codes(image.data(), n, 96, panel * d.n, out.data());
      EXPECT_TRUE(
          same_bytes(std::as_bytes(out.span()),
                     image.span().subspan(64 + panel * panel_bytes + scale_bytes, out.size())))
          << d.text();
    }
  }
  EXPECT_EQ(in_place, 5u);
}

TEST(DecodePanel, ScalesMeetTheirColumns) {
  Random r(3);
  for (const Decoding& d : block_decodings()) {
    SCOPED_TRACE(d.text());
    for (const std::size_t n : d.row_counts()) {
      const std::size_t groups = n % 3 + 1;
      const std::size_t k = groups * d.from.format.group;
      const StoredWeights w(d.from.format, n, k, r);
      const auto image = packed(d.from, w, n, k);
      for (std::size_t n0 = 0; n0 < n; n0 += d.n) {
        GuardedBuffer<float> out(groups * d.scale_lanes);
        d.scales(image.data(), n, k, n0, out.data());
        EXPECT_TRUE(out.untouched_outside());
        for (std::size_t i = 0; i < out.size(); ++i) {
          const std::size_t column = n0 + i % d.scale_lanes % d.n;
          const std::size_t g = i / d.scale_lanes;
          const float want = column < n ? d.from.format.value(w.block(column, g)) : 0.0f;
          ASSERT_TRUE(same_bits(out[i], want)) << "group " << g << " column " << column;
        }
      }
    }
  }
}

TEST(DecodePanel, FloatsOfEveryTileForEveryTile) {
  Random r(4);
  for (const Decoding& d : float_decodings()) {
    SCOPED_TRACE(d.text());
    for (const std::size_t n : d.row_counts())
      for (const std::size_t k : {1, 5, 33}) {
        const StoredWeights w(d.from.format, n, k, r);
        const auto image = packed(d.from, w, n, k);
        for (std::size_t n0 = 0; n0 < n; n0 += d.n) {
          GuardedBuffer<float> out(k * d.n);
          d.floats(image.data(), n, k, n0, out.data());
          EXPECT_TRUE(out.untouched_outside());
          for (std::size_t i = 0; i < out.size(); ++i) {
            const std::size_t column = n0 + i % d.n;
            const float want = column < n ? d.from.format.value(w.block(column, i / d.n)) : 0.0f;
            ASSERT_TRUE(same_bits(out[i], want)) << "k " << i / d.n << " column " << column;
          }
        }
      }
  }
}

TEST(ScaleLanes, TilesRepeatRowsAndColumns) {
  using S = tessera::TileScales<tessera::tile::ime1_int8>;
  GuardedBuffer<float> scales(4);
  for (std::size_t i = 0; i < 4; ++i) scales[i] = static_cast<float>(i + 1);
  GuardedBuffer<float> lanes(S::a_scale_lanes);
  S::expand_a(scales.data(), lanes.data());
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(lanes[i], static_cast<float>(i / 4 + 1));
  S::expand_b(scales.data(), lanes.data());
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(lanes[i], static_cast<float>(i % 4 + 1));
  EXPECT_TRUE(lanes.untouched_outside());
}

TEST(ScaleLanes, ColumnsHaveOneRowScale) {
  using S = tessera::ColumnScales<tessera::tile::columns16>;
  static_assert(S::a_scale_lanes == 1 && S::b_scale_lanes == 16);
  GuardedBuffer<float> scales(16);
  for (std::size_t i = 0; i < 16; ++i) scales[i] = static_cast<float>(i);
  GuardedBuffer<float> lanes(16);
  S::expand_b(scales.data(), lanes.data());
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(lanes[i], static_cast<float>(i));
  GuardedBuffer<float> one(1);
  S::expand_a(scales.data() + 3, one.data());
  EXPECT_EQ(one[0], 3.0f);
}

}  // namespace
