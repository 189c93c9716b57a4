// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Panels of any tile decoded for any other: every code, scale and float where its kernel looks for it.
#include <gtest/gtest.h>

#include <algorithm>
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
  tessera::detail::PanelSource (*source)(const std::byte*, std::size_t n, std::size_t k);
  void (*scales)(const tessera::detail::PanelSource&, std::size_t group, bool minima,
                 std::size_t n0, float*, float*);
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

/// Expansion for an atom's tile, of the four kinds of formats.
template <class To>
void expand(const tessera::detail::PanelSource& w, std::size_t group, bool minima, std::size_t n0,
            float* scale, float* minus_min) {
  using tessera::detail::expand_scales;
  using B = tessera::backend::scalar;
  if (group == 32 && minima) return expand_scales<B, Atom<To>, 32, true>(w, n0, scale, minus_min);
  if (group == 32) return expand_scales<B, Atom<To>, 32, false>(w, n0, scale, minus_min);
  if (minima) return expand_scales<B, Atom<To>, 16, true>(w, n0, scale, minus_min);
  return expand_scales<B, Atom<To>, 16, false>(w, n0, scale, minus_min);
}

template <class F, class From, class To>
Decoding decoding(const Layout& from) {
  Decoding d = {from, To::n, To::k, 0, nullptr, nullptr, nullptr};
  if constexpr (F::is_float) {
    d.floats = [](const std::byte* image, std::size_t n, std::size_t k, std::size_t n0, float* o) {
      tessera::detail::decode_floats<tessera::backend::scalar, F, From, To>(image, n, k, n0, o);
    };
  } else {
    d.scale_lanes = Atom<To>::b_scale_lanes;
    d.source = [](const std::byte* image, std::size_t n, std::size_t k) {
      return tessera::detail::panel_source<F, From>(image, n, k, tessera::tile_shape<To>);
    };
    d.scales = &expand<To>;
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

/// Level of element q of row i.
int level_of(const Decoding& d, const StoredWeights& w, std::size_t i, std::size_t q) {
  const std::size_t group = d.from.format.group;
  return d.from.format.level(w.parts(i, q / group).codes[q % group]);
}

void check_codes(const Decoding& d, std::size_t n, std::size_t k, Random& r) {
  const FormatEntry& f = d.from.format;
  const std::size_t slices = (k + 31) / 32;
  const std::size_t stored = f.blocks_in(k) * f.group;  // the image is that of whole blocks
  const StoredWeights w(f, n, stored, r);
  const auto image = packed(d.from, w, n, stored);
  const auto source = d.source(image.data(), n, k);
  std::vector<std::vector<BlockParts>> rows(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t b = 0; b < f.blocks_in(k); ++b) rows[i].push_back(w.parts(i, b));
  for (std::size_t n0 = 0; n0 < n; n0 += d.n) {
    GuardedBuffer<std::int8_t> out(d.n * slices * 32);
    source.codes(source, n0, {0, std::uint16_t(d.n), std::uint16_t(d.k)}, out.data());
    EXPECT_TRUE(out.untouched_outside());
    std::size_t at = 0;
    for (std::size_t q = 0; q < slices * 32; q += d.k)  // [slice][k step][n][k]
      for (std::size_t j = n0; j < n0 + d.n; ++j)
        for (std::size_t i = q; i < q + d.k; ++i, ++at)
          ASSERT_TRUE(j >= n || out[at] == f.level(rows[j][i / f.group].codes[i % f.group]))
              << "column " << j << " of " << n << " element " << i;
  }
}

TEST(DecodePanel, CodesOfEveryTileForEveryTile) {
  Random r(1);
  for (const Decoding& d : block_decodings()) {
    SCOPED_TRACE(d.text());
    std::size_t turn = 0;
    for (const std::size_t n : d.row_counts()) {
      if (n > d.n + 1 && n > d.from.n + 1 && d.from.format.group > 64) continue;
      // Rows may end within a block: the slices that hold something are decoded.
      check_codes(d, n, turn++ % 2 == 0 ? 40 : (n % 2 + 1) * d.from.format.group, r);
    }
  }
}

TEST(DecodePanel, CodesReadInPlaceAreTheDecodedOnes) {
  Random r(2);
  std::size_t in_place = 0;
  for (const Decoding& d : block_decodings()) {
    const std::size_t n = d.n + 1;
    const StoredWeights w(d.from.format, n, d.from.format.group, r);
    const auto image = packed(d.from, w, n, d.from.format.group);
    const auto source = d.source(image.data(), n, d.from.format.group);
    const bool same_order = d.from.n == d.n && d.from.k == d.k;
    EXPECT_EQ(source.in_place, same_order && d.from.format.code_bits == 8) << d.text();
    if (!source.in_place) continue;
    ++in_place;
    for (std::size_t j = 0; j < n; ++j) {
      const std::byte* panel = image.data() + 64 + j / d.n * source.panel_bytes + source.codes_at;
      for (std::size_t i = 0; i < 32; ++i)
        ASSERT_EQ(static_cast<std::int8_t>(panel[(i / d.k * d.n + j % d.n) * d.k + i % d.k]),
                  level_of(d, w, j, i))
            << d.text();
    }
  }
  EXPECT_EQ(in_place, 5u);
}

TEST(DecodePanel, ScalesMeetTheirColumns) {
  Random r(3);
  for (const Decoding& d : block_decodings()) {
    SCOPED_TRACE(d.text());
    const FormatEntry& f = d.from.format;
    for (const std::size_t n : d.row_counts()) {
      const std::size_t k = n % 2 == 0 ? 40 : 2 * f.group;
      const std::size_t groups = (k + 31) / 32 * (32 / f.scale_group);
      const std::size_t stored = f.blocks_in(k) * f.group;
      const StoredWeights w(f, n, stored, r);
      const auto image = packed(d.from, w, n, stored);
      for (std::size_t n0 = 0; n0 < n; n0 += d.n) {
        GuardedBuffer<float> scale(groups * d.scale_lanes);
        GuardedBuffer<float> minus_min(groups * d.scale_lanes);
        d.scales(d.source(image.data(), n, k), f.scale_group, f.has_minima, n0, scale.data(),
                 minus_min.data());
        EXPECT_TRUE(scale.untouched_outside());
        EXPECT_TRUE(f.has_minima ? minus_min.untouched_outside() : minus_min.untouched());
        const std::size_t per_block = f.group / f.scale_group;
        for (std::size_t j = 0; j < d.n && n0 + j < n; ++j)  // those beyond are never stored
          for (std::size_t first = 0; first < groups; first += per_block) {
            const BlockParts parts = w.parts(n0 + j, first / per_block);
            for (std::size_t g = first; g < std::min(groups, first + per_block); ++g)
              for (std::size_t lane = j; lane < d.scale_lanes; lane += d.n) {
                const std::size_t at = g * d.scale_lanes + lane;
                ASSERT_TRUE(same_bits(scale[at], parts.scale[g - first])) << g << ' ' << j;
                ASSERT_TRUE(!f.has_minima || same_bits(minus_min[at], parts.minus_min[g - first]))
                    << g << ' ' << j;
              }
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
