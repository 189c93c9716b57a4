// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Weights of formats/nbits.hpp from their three arrays to a packed image and back. Lossless.
#ifndef TESSERA_TILE_PACK_NBITS_HPP_
#define TESSERA_TILE_PACK_NBITS_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/formats/nbits.hpp"
#include "tessera/tile/packing.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// The three arrays: are those there that the format has, and are the scales aligned?
template <class F, class Arrays>
[[nodiscard]] TESSERA_INLINE Status check_nbits(const Arrays& w) noexcept {
  if (w.codes == nullptr || w.scales == nullptr || (F::has_zero_points && w.zero_points == nullptr))
    return Status::null_pointer;
  const bool aligned = reinterpret_cast<std::uintptr_t>(w.scales) % alignof(typename F::Scale) == 0;
  return aligned ? Status::ok : Status::misaligned;
}

}  // namespace detail

/// Packs rows `range` of the operand of MatMulNBits; every bit of it is kept. `cols` may be any number: codes
/// behind a row's end are kept too, and meet activations of 0.
/// Errors: empty_shape, shape_too_large, null_pointer, misaligned, packed_too_small, bad_unit_range.
template <NBitsFormat F, class T>
[[nodiscard]] Status pack_weights(const NBitsView<F>& w, std::span<std::byte> image,
                                  RowRange range = {}) noexcept {
  constexpr detail::PanelTraits f = detail::panel_traits<F>();
  constexpr TileShape tile = tile_shape<T>;
  if (const Status s = detail::check_packing(f, tile, w.rows, w.cols, image, range);
      s != Status::ok)
    return s;
  if (const Status s = detail::check_nbits<F>(w); s != Status::ok) return s;
  const std::size_t end = range.end == SIZE_MAX ? w.rows : range.end;
  if (range.begin == 0 && end != 0) detail::write_header(image.data(), f, tile, w.rows, w.cols);
  detail::pack_rows<F>(image.data(), tile, w.rows, w.cols, range.begin, end,
                       [&](const detail::PanelPlace& place, std::size_t j, std::size_t n)
                           TESSERA_LAMBDA {
                             for (std::size_t b = 0; b < place.format.blocks(place.k); ++b) {
                               typename F::Block block;
                               F::gather(w, n, b, block);
                               detail::put_block<F>(place, b, j, block);
                             }
                           });
  return Status::ok;
}

/// The three arrays of rows `range` at their places among those of all rows. Nibbles of zero points that
/// belong to no block become 0. Errors: those of check_packed, bad_unit_range, null_pointer, misaligned.
template <NBitsFormat F, class T>
[[nodiscard]] Status unpack_weights(std::span<const std::byte> image, std::size_t n, std::size_t k,
                                    const NBitsOutput<F>& out, RowRange range = {}) noexcept {
  constexpr detail::PanelTraits f = detail::panel_traits<F>();
  if (const Status s = check_packed<F, T>(image, n, k); s != Status::ok) return s;
  const std::size_t end = range.end == SIZE_MAX ? n : range.end;
  if (range.begin > end || end > n) return Status::bad_unit_range;
  if (const Status s = detail::check_nbits<F>(out); s != Status::ok) return s;
  for (std::size_t i = range.begin; i < end; ++i) {
    // The place's pointer is for writing too, but unpacking only reads.
    const detail::PanelPlace place =
        detail::panel_of(const_cast<std::byte*>(image.data()), f, tile_shape<T>, i, k);
    for (std::size_t b = 0; b < f.blocks(k); ++b) {
      typename F::Block block;
      detail::take_block<F>(place, b, i % T::n, block);
      F::scatter(block, k, i, b, out);
    }
  }
  return Status::ok;
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_PACK_NBITS_HPP_
