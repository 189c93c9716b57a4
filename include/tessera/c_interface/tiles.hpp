// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Tiles as numbers: those of the lists, a backend's own, that of a packed image.
#ifndef TESSERA_C_INTERFACE_TILES_HPP_
#define TESSERA_C_INTERFACE_TILES_HPP_

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tessera/c_interface/common.hpp"
#include "tessera/config.hpp"
#include "tessera/tile/packing.hpp"
#include "tessera/tile/tile.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace TSR_COPY_ {

/// As tile_for of matmul.hpp.
template <class B, class F>
using NativeTile =
    std::conditional_t<F::is_float, typename B::FloatAtom::tile, typename B::DotAtom::tile>;

/// Calls body(Type<T>{}) for one of the tiles that weights of format F can have; zeros: B's own.
template <class B, class F, class Body>
[[nodiscard]] Status with_tile(const tsr_tile& tile, Body&& body) {
  using Tiles = std::conditional_t<F::is_float, all_float_tiles, all_int8_tiles>;
  tsr_tile wanted = tile;
  if ((tile.m | tile.n | tile.k) == 0) {
    using Own = NativeTile<B, F>;
    wanted = {Own::m, Own::n, Own::k};
  }
  Status status = Status::packed_tile;
  Tiles::for_each([&]<class T>(Type<T> type) {
    if (T::m == wanted.m && T::n == wanted.n && T::k == wanted.k) status = body(type);
  });
  return status;
}

/// The same tile as values.
template <class B, class F>
[[nodiscard]] Status find_tile(const tsr_tile& tile, TileShape& shape) noexcept {
  return with_tile<B, F>(tile, [&]<class T>(Type<T>) {
    shape = tile_shape<T>;
    return Status::ok;
  });
}

/// The header of an image, as far as it can be told apart from other bytes.
inline Status read_header(std::span<const std::byte> image, PackedHeader& header) noexcept {
  if (image.data() == nullptr) return Status::null_pointer;
  if (image.size() < sizeof header) return Status::packed_too_small;
  __builtin_memcpy(&header, image.data(), sizeof header);
  for (std::size_t i = 0; i < sizeof header.magic; ++i)
    if (header.magic[i] != detail::packed_magic[i]) return Status::packed_magic;
  return Status::ok;
}

}  // namespace TSR_COPY_

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_C_INTERFACE_TILES_HPP_
