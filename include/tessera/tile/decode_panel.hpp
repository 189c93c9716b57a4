// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A packed panel of any tile and format to what a block kernel reads: int8 codes in the atom's tile
/// order with one f32 scale per lane, or f32 columns. Exact; done once per call and column block.
#ifndef TESSERA_TILE_DECODE_PANEL_HPP_
#define TESSERA_TILE_DECODE_PANEL_HPP_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/tile/packing.hpp"
#include "tessera/tile/panel_layout.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Codes can be read where they lie: same order, one byte each, no offset.
template <class F, class From, class To>
inline constexpr bool codes_in_place =
    From::n == To::n && From::k == To::k && F::code_bits == 8 && F::code_offset == 0;

/// Codes of the columns [n0, n0 + To::n) as int8 in To's order, [group][k step][n][k].
template <class F, class From, class To>
TESSERA_INLINE void decode_codes(const std::byte* image, std::size_t n, std::size_t k,
                                 std::size_t n0, std::int8_t* out) noexcept {
  using L = PanelLayout<F, From>;
  const std::size_t groups = div_up(k, F::group);
  const std::byte* panels = image + sizeof(PackedHeader);
  if constexpr (From::n == To::n && From::k == To::k && F::code_bits == 4) {
    const std::byte* codes = panels + n0 / From::n * L::panel_bytes(k) + L::scale_bytes(groups);
    constexpr std::size_t half = L::codes_per_group / 2;
    for (std::size_t g = 0; g < groups; ++g, codes += half, out += 2 * half) {
      for (std::size_t i = 0; i < half; ++i) {
        const auto byte = static_cast<std::uint8_t>(codes[i]);
        out[i] = static_cast<std::int8_t>((byte & 15) - F::code_offset);
        out[i + half] = static_cast<std::int8_t>((byte >> 4) - F::code_offset);
      }
    }
  } else {
    for (std::size_t g = 0; g < groups; ++g, out += To::n * F::group) {
      for (std::size_t j = 0; j < To::n; ++j) {
        const std::size_t column = n0 + j;
        const std::byte* panel = panels + column / From::n * L::panel_bytes(k);
        for (std::size_t i = 0; i < F::group; ++i) {
          const int code =
              column < n ? PanelBlocks<F, From>::code(panel, groups, g, column % From::n, i) : 0;
          out[(i / To::k * To::n + j) * To::k + i % To::k] = static_cast<std::int8_t>(code);
        }
      }
    }
  }
}

/// Scales of the same columns, expanded for the atom: [group][b_scale_lanes].
template <class F, class From, class Atom>
TESSERA_INLINE void decode_scales(const std::byte* image, std::size_t n, std::size_t k,
                                  std::size_t n0, float* out) noexcept {
  using To = typename Atom::tile;
  const std::size_t groups = div_up(k, F::group);
  const std::size_t panel_bytes = PanelLayout<F, From>::panel_bytes(k);
  for (std::size_t g = 0; g < groups; ++g) {
    float scales[To::n];
    for (std::size_t j = 0; j < To::n; ++j) {
      const std::size_t column = n0 + j;
      Float16 d = {};
      if (column < n)
        copy_bytes(&d,
                   image + sizeof(PackedHeader) + column / From::n * panel_bytes +
                       (g * From::n + column % From::n) * sizeof d,
                   sizeof d);
      scales[j] = to_float(d);
    }
    Atom::expand_b(scales, out + g * Atom::b_scale_lanes);
  }
}

/// Columns [n0, n0 + To::n) of a float format as f32, [k][To::n]; columns beyond n are 0.
template <class B, class F, class From, class To>
TESSERA_INLINE void decode_floats(const std::byte* image, std::size_t n, std::size_t k,
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
