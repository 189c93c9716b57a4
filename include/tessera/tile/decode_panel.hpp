// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A packed panel of any tile and format to what a block kernel reads: int8 levels in the atom's tile
/// order with f32 scales (and minima) per column, or f32 columns. Exact; done once per call and
/// column block.
///
/// Decoding depends on the format; tiles are values, so that a format is compiled once.
#ifndef TESSERA_TILE_DECODE_PANEL_HPP_
#define TESSERA_TILE_DECODE_PANEL_HPP_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/core/unroll.hpp"
#include "tessera/tile/linear_codes.hpp"
#include "tessera/tile/packing.hpp"
#include "tessera/tile/panel_layout.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Codes can be read where they lie: same order, one byte each, every code its own level.
template <class F>
TESSERA_INLINE constexpr bool codes_in_place(TileShape from, TileShape to) noexcept {
  return from.n == to.n && from.k == to.k && F::code_bits == 8 && F::code_offset == 0;
}

/// Do the parts of every plane follow each other in the tile's own order?
template <class F>
TESSERA_INLINE constexpr bool planes_in_order(std::size_t steps) noexcept {
  constexpr std::size_t low = low_plane_bits(F::code_bits);
  constexpr std::size_t least = F::code_bits > low ? F::code_bits - low : low;
  return slice_elements * least / 8 % steps == 0;
}

/// Are levels gain * code - offset? Then eight codes in the bytes of a word become levels at once.
template <class F>
struct LinearLevels {
  static constexpr int offset = -F::level(0);
  static constexpr int gain = F::level(1) - F::level(0);

  TESSERA_INLINE static constexpr bool hold() noexcept {
    for (unsigned code = 0; code < 1u << F::code_bits; ++code)
      if (F::level(code) != gain * static_cast<int>(code) - offset) return false;
    // With 128 added no byte borrows from the next.
    return F::code_bits < 8 && gain > 0 && 128 >= offset;
  }
  template <class Word>
  TESSERA_INLINE static Word of(Word codes) noexcept {
    constexpr auto each = low_bits_of_bytes<Word, 1>;
    constexpr auto shifted = static_cast<Word>(each * static_cast<unsigned>(128 - offset));
    return (codes * static_cast<unsigned>(gain) + shifted) ^ static_cast<Word>(each * 128u);
  }
};

/// Levels of the codes in the bytes of a word, in memory.
template <class F, class Word>
TESSERA_INLINE Word levels_of(Word codes) noexcept {
  if constexpr (LinearLevels<F>::hold()) {
    return LinearLevels<F>::of(codes);
  } else {
    std::uint8_t each[sizeof codes];
    copy_bytes(each, &codes, sizeof codes);
    for (std::uint8_t& code : each) code = static_cast<std::uint8_t>(F::level(code));
    copy_bytes(&codes, each, sizeof codes);
    return codes;
  }
}

/// One Word of codes of part P of the finest plane: `low_plane` and `high_plane` point at its bytes.
template <class F, std::size_t P, class Word>
TESSERA_INLINE Word codes_of_part(const std::byte* low_plane,
                                  const std::byte* high_plane) noexcept {
  constexpr std::size_t low = low_plane_bits(F::code_bits);
  constexpr std::size_t high = F::code_bits - low;
  constexpr std::size_t parts_per_low = low / (high != 0 ? high : low);
  // Unaligned words are single bytes on RISC-V: the callers' are aligned.
  Word word;
  copy_bytes(&word, __builtin_assume_aligned(low_plane, sizeof word), sizeof word);
  word = static_cast<Word>(word >> P / parts_per_low * low & low_bits_of_bytes<Word, low>);
  if constexpr (high != 0) {
    Word more;
    copy_bytes(&more, __builtin_assume_aligned(high_plane, sizeof more), sizeof more);
    word = static_cast<Word>(word | (more >> P * high & low_bits_of_bytes<Word, high>) << low);
  }
  return word;
}

/// A slice whose planes are in order, `columns` wide, to levels. Word: a byte where compilers make vectors
/// of the loops, eight where panels are too narrow for that (4 and 8 columns, whose parts are aligned).
template <class F, class Word>
TESSERA_INLINE void decode_slice_in_order(const std::byte* slice, std::size_t columns,
                                          std::int8_t* out) noexcept {
  constexpr std::size_t low = low_plane_bits(F::code_bits);
  constexpr std::size_t high = F::code_bits - low;
  constexpr std::size_t least = high != 0 ? high : low;
  constexpr std::size_t parts_per_low = low / least;  // parts of the finest plane in one of the low
  const std::size_t length = columns * slice_elements * least / 8;  // of a part of the finest plane
  const std::byte* const high_plane = slice + columns * slice_elements * low / 8;
  unroll<8 / least>([&](auto part) TESSERA_LAMBDA {
    constexpr std::size_t p = decltype(part)::value;
    const std::byte* const low_plane = slice + p % parts_per_low * length;
    std::int8_t* const to = out + p * length;
    for (std::size_t i = 0; i < length; i += sizeof(Word)) {
      const Word codes = codes_of_part<F, p, Word>(low_plane + i, high_plane + i);
      if constexpr (sizeof(Word) == 1) {
        to[i] = static_cast<std::int8_t>(F::level(codes));
      } else {
        const Word levels = levels_of<F>(codes);
        copy_bytes(__builtin_assume_aligned(to + i, sizeof levels), &levels, sizeof levels);
      }
    }
  });
}

/// Levels of 32 elements of a column to their places in the order [k step][n][k].
TESSERA_INLINE void place_levels(const std::int8_t* levels, TileShape to, std::size_t j,
                                 std::int8_t* out) noexcept {
  auto* const dense = reinterpret_cast<std::uint8_t*>(const_cast<std::int8_t*>(levels));
  copy_column<true>(dense, slice_elements, reinterpret_cast<std::byte*>(out), to.n, to.k, j);
}

/// Levels of the columns [n0, n0 + to.n) as int8 in the order of `to`, [slice of 32][k step][n][k];
/// columns beyond n hold any levels.
template <class F>
TESSERA_NOINLINE void decode_codes(const std::byte* image, TileShape from, std::size_t n,
                                   std::size_t k, std::size_t n0, TileShape to,
                                   std::int8_t* out) noexcept {
  constexpr PanelTraits f = panel_traits<F>();
  const std::size_t slices = div_up(k, slice_elements);
  std::byte* const data = const_cast<std::byte*>(image);  // read only
  if (from.n == to.n && from.k == to.k && planes_in_order<F>(from.k)) {
    const PanelPlace place = panel_of(data, f, from, n0, k);
    for (std::size_t s = 0; s < slices; ++s)
      if (from.n == 4 || from.n == 8)
        decode_slice_in_order<F, std::uint64_t>(place.slice(s), from.n,
                                                out + s * slice_elements * to.n);
      else
        decode_slice_in_order<F, std::uint8_t>(place.slice(s), from.n,
                                               out + s * slice_elements * to.n);
    return;
  }
  for (std::size_t j = 0; j < to.n; ++j) {
    const bool inside = n0 + j < n;
    const PanelPlace place = panel_of(data, f, from, inside ? n0 + j : n0, k);
    for (std::size_t s = 0; s < slices; ++s) {
      std::int8_t levels[slice_elements] = {};
      if (inside) {
        std::uint8_t codes[slice_elements];
        copy_codes<F::code_bits, false>(codes, place.slice(s), from.n, from.k, (n0 + j) % from.n);
        for (std::size_t i = 0; i < slice_elements; i += 8) {
          std::uint64_t word;
          copy_bytes(&word, codes + i, sizeof word);
          word = levels_of<F>(word);
          copy_bytes(levels + i, &word, sizeof word);
        }
      }
      place_levels(levels, to, j, out + s * slice_elements * to.n);
    }
  }
}

/// Scales of one block of the columns [n0, n0 + columns): [scale group][column], and the negated minima
/// where the format has them; columns beyond n hold anything.
template <class F>
TESSERA_NOINLINE void decode_block_scales(const std::byte* image, TileShape from, std::size_t n,
                                          std::size_t k, std::size_t block, std::size_t n0,
                                          std::size_t columns, float* scale,
                                          float* minus_min) noexcept {
  constexpr PanelTraits f = panel_traits<F>();
  constexpr std::size_t groups = F::group / F::scale_group;
  for (std::size_t j = 0; j < columns; ++j) {
    float of_column[groups] = {};
    float min_of_column[groups] = {};
    if (n0 + j < n) {
      const PanelPlace place = panel_of(const_cast<std::byte*>(image), f, from, n0 + j, k);
      std::uint8_t header[F::header_bytes];
      copy_header<F, false>(header, place.header(block, (n0 + j) % from.n), from.n);
      F::scales(header, of_column, min_of_column);
    }
    for (std::size_t g = 0; g < groups; ++g) {
      scale[g * columns + j] = of_column[g];
      if constexpr (F::has_minima) minus_min[g * columns + j] = min_of_column[g];
    }
  }
}

/// Packed weights without their format's and tile's types: what a block kernel asks for.
struct PanelSource {
  const std::byte* image;
  std::size_t n;
  std::size_t k;
  TileShape from;
  std::size_t group;  ///< elements of a block
  std::size_t panel_bytes;
  std::size_t codes_at;  ///< bytes from a panel's start to its codes
  std::size_t slice_bytes;
  bool in_place;       ///< codes are levels in the order the kernel reads
  LinearCodes linear;  ///< holds if the planes are in the order the kernel reads, too
  bool half_scales;  ///< the headers are one f16 scale a scale group, in the order the kernel reads
  void (*codes)(const PanelSource& w, std::size_t n0, TileShape to, std::int8_t* out) noexcept;
  /// Of one block; of a format with a scale per row that, and what carries the zero points.
  void (*scales)(const PanelSource& w, std::size_t block, std::size_t n0, std::size_t columns,
                 float* scale, float* minus_min) noexcept;
  std::ptrdiff_t row_bytes = 0;  ///< of rows that are not packed
};

/// Is a header nothing but the f16 scale of all its block?
template <class F>
TESSERA_INLINE constexpr bool scales_are_halves() noexcept {
  return F::header_bytes == 2 && F::group == F::scale_group;
}

template <class F>
TESSERA_INLINE constexpr LinearCodes linear_codes(TileShape from, TileShape to) noexcept {
  constexpr std::size_t low = low_plane_bits(F::code_bits);
  if constexpr (LinearLevels<F>::hold()) {
    if (from.n == to.n && from.k == to.k && planes_in_order<F>(from.k))
      return {true, low, F::code_bits - low, LinearLevels<F>::gain, LinearLevels<F>::offset};
  }
  return {};
}

/// Levels of the atom's columns from n0 on, in its order.
template <class B>
TESSERA_INLINE void decode_levels(const PanelSource& w, std::size_t n0, TileShape to,
                                  std::int8_t* out) noexcept {
  if constexpr (requires { typename B::Codes; }) {
    if (w.linear.hold) {
      const std::byte* panel = w.image + sizeof(PackedHeader) + n0 / to.n * w.panel_bytes;
      return B::Codes::unpack(w.linear, reinterpret_cast<const std::uint8_t*>(panel + w.codes_at),
                              w.slice_bytes, div_up(w.k, slice_elements), to.n, out);
    }
  }
  w.codes(w, n0, to, out);
}

template <class F, class T>
TESSERA_INLINE PanelSource panel_source(const std::byte* image, std::size_t n, std::size_t k,
                                        TileShape to) noexcept {
  constexpr PanelTraits f = panel_traits<F>();
  PanelSource w = {
      image,
      n,
      k,
      tile_shape<T>,
      F::group,
      f.panel_bytes(T::n, k),
      f.header_area(T::n, k),
      f.slice_bytes(T::n),
      codes_in_place<F>(tile_shape<T>, to),
      linear_codes<F>(tile_shape<T>, to),
      scales_are_halves<F>() && T::n == to.n,
      [](const PanelSource& w, std::size_t n0, TileShape tile, std::int8_t* out) noexcept {
        decode_codes<F>(w.image, w.from, w.n, w.k, n0, tile, out);
      },
      nullptr};
  if constexpr (RowFormat<F>) {
    w.scales = [](const PanelSource& of, std::size_t, std::size_t n0, std::size_t columns,
                  float* scale, float* zero) noexcept {
      decode_row_headers(of.image + sizeof(PackedHeader), of.panel_bytes, of.from.n, of.n, n0,
                         columns, scale, zero);
    };
  } else {
    w.scales = [](const PanelSource& of, std::size_t block, std::size_t n0, std::size_t columns,
                  float* scale, float* minus_min) noexcept {
      decode_block_scales<F>(of.image, of.from, of.n, of.k, block, n0, columns, scale, minus_min);
    };
  }
  return w;
}

/// f16 scales [group][columns] as they lie, expanded for the atom.
template <class B, class Atom>
TESSERA_INLINE void expand_half_scales(const Float16* halves, std::size_t groups,
                                       float* scale) noexcept {
  constexpr std::size_t columns = Atom::tile::n;
  constexpr std::size_t lanes = Atom::b_scale_lanes;
  if constexpr (requires { Atom::expand_halves(nullptr, groups, scale); }) {
    Atom::expand_halves(reinterpret_cast<const std::byte*>(halves), groups, scale);
  } else if constexpr (lanes == columns) {
    B::Vectors::template for_lanes<2>(groups * columns, [&](auto d, std::size_t i) TESSERA_LAMBDA {
      d.store(scale + i, d.load(halves + i));
    });
  } else {
    constexpr std::size_t at_once = 8;
    float wide[at_once * columns];
    for (std::size_t first = 0; first < groups; first += at_once) {
      const std::size_t count = groups - first < at_once ? groups - first : at_once;
      const Float16* const from = halves + first * columns;
      B::Vectors::template for_lanes<4>(count * columns, [&](auto d, std::size_t i) TESSERA_LAMBDA {
        d.store(wide + i, d.load(from + i));
      });
      for (std::size_t g = 0; g < count; ++g)
        Atom::expand_b(wide + g * columns, scale + (first + g) * lanes);
    }
  }
}

/// Scales of all K of the atom's columns from n0 on, expanded for it: [scale group][b_scale_lanes],
/// and the negated minima if asked for.
template <class B, class Atom, std::size_t Group, bool Minima>
TESSERA_INLINE void expand_scales(const PanelSource& w, std::size_t n0, float* scale,
                                  float* minus_min) noexcept {
  constexpr std::size_t columns = Atom::tile::n;
  constexpr std::size_t lanes = Atom::b_scale_lanes;
  constexpr std::size_t most = 256 / Group;  // scale groups of a block
  const std::size_t groups = div_up(w.k, slice_elements) * (slice_elements / Group);
  if constexpr (Group == slice_elements && !Minima) {
    if (w.half_scales) {
      const std::byte* panel = w.image + sizeof(PackedHeader) + n0 / columns * w.panel_bytes;
      return expand_half_scales<B, Atom>(reinterpret_cast<const Float16*>(panel), groups, scale);
    }
  }
  const std::size_t per_block = w.group / Group;
  float of_block[most * columns];
  float minima_of_block[Minima ? most * columns : 1];
  for (std::size_t first = 0; first < groups; first += per_block) {
    w.scales(w, first / per_block, n0, columns, of_block, minima_of_block);
    const std::size_t count = groups - first < per_block ? groups - first : per_block;
    for (std::size_t g = 0; g < count; ++g) {
      Atom::expand_b(of_block + g * columns, scale + (first + g) * lanes);
      if constexpr (Minima)
        Atom::expand_b(minima_of_block + g * columns, minus_min + (first + g) * lanes);
    }
  }
}

/// Scales and zero points (whole_row_block.hpp) of the atom's columns from n0 on, expanded for it.
template <class B, class Atom>
TESSERA_INLINE void expand_row_headers(const PanelSource& w, std::size_t n0, float* scale,
                                       float* zero) noexcept {
  constexpr std::size_t columns = Atom::tile::n;
  float scales[columns];
  float zeros[columns];
  const float* of = scales;
  if (w.from.n == columns) {
    const std::byte* const panel = w.image + sizeof(PackedHeader) + n0 / columns * w.panel_bytes;
    of = reinterpret_cast<const float*>(panel);
    const auto* levels = reinterpret_cast<const std::int8_t*>(panel + sizeof scales);
    B::Vectors::template for_lanes<1>(columns, [&](auto d, std::size_t j) TESSERA_LAMBDA {
      d.store(zeros + j, d.from_bits(d.load_i32(levels + j)));
    });
  } else {
    w.scales(w, 0, n0, columns, scales, zeros);
  }
  Atom::expand_b(of, scale);
  Atom::expand_b(zeros, zero);
}

/// Columns [n0, n0 + To::n) of a float format as f32, [k][To::n]; columns beyond n are 0.
template <class B, class F, class From, class To>
TESSERA_NOINLINE void decode_floats(const std::byte* image, std::size_t n, std::size_t k,
                                    std::size_t n0, float* out) noexcept {
  using Element = typename F::Element;
  const std::size_t panel_bytes = PanelLayout<F, From>::panel_bytes(k);
  const std::byte* panels = image + sizeof(PackedHeader);
  if constexpr (From::n == To::n) {
    const auto* in = reinterpret_cast<const Element*>(panels + n0 / From::n * panel_bytes);
    B::Vectors::template for_lanes<2>(k * From::n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
      d.store(out + i, d.load(in + i));
    });
  } else {
    for (std::size_t j = 0; j < To::n; ++j) {
      const std::size_t column = n0 + j;
      const auto* in = reinterpret_cast<const Element*>(panels + column / From::n * panel_bytes) +
                       column % From::n;
      for (std::size_t q = 0; q < k; ++q)
        out[q * To::n + j] = column < n ? to_float(in[q * From::n]) : 0.0f;
    }
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_DECODE_PANEL_HPP_
