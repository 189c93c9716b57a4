// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Makes the entries of layouts.hpp from types.
#ifndef TESSERA_TESTS_TILE_LAYOUT_ENTRIES_HPP_
#define TESSERA_TESTS_TILE_LAYOUT_ENTRIES_HPP_

#include <cstring>
#include <span>
#include <vector>

#include "tessera/core/float16.hpp"
#include "tessera/tile/packing.hpp"
#include "tests/tile/layouts.hpp"

namespace tessera_test {

/// A block at any address.
template <class F>
typename F::Block block_at(const std::byte* bytes) {
  typename F::Block b;
  std::memcpy(&b, bytes, sizeof b);
  return b;
}

template <class F>
FormatEntry format_entry() {
  FormatEntry e = {};
  e.name = F::name;
  e.id = static_cast<std::uint32_t>(F::id);
  e.is_float = F::is_float;
  e.group = F::group;
  e.block_bytes = F::block_bytes;
  if constexpr (F::is_float) {
    e.value = [](const std::byte* b) { return tessera::to_float(block_at<F>(b)); };
    e.quantize = [](const float* x, std::byte* out) {
      const typename F::Block b = F::from_float(*x);
      std::memcpy(out, &b, sizeof b);
    };
  } else {
    e.has_minima = F::has_minima;
    e.scale_group = F::scale_group;
    e.header_bytes = F::header_bytes;
    e.code_bits = F::code_bits;
    e.code_offset = F::code_offset;
    e.split = [](const std::byte* b, std::uint8_t* codes, std::uint8_t* header) {
      F::split(block_at<F>(b), codes, header);
    };
    e.level = [](unsigned code) { return F::level(code); };
    e.scales = [](const std::uint8_t* header, float* scale, float* minus_min) {
      F::scales(header, scale, minus_min);
    };
    e.quantize = [](const float* x, std::byte* out) {
      typename F::Block b;
      F::quantize_block(x, b);
      std::memcpy(out, &b, sizeof b);
    };
  }
  return e;
}

template <class F, class T>
Layout layout_entry() {
  Layout e = {};
  e.format = format_entry<F>();
  e.m = T::m;
  e.n = T::n;
  e.k = T::k;
  e.packed_size = [](std::size_t n, std::size_t k) { return tessera::packed_size<F, T>(n, k); };
  e.pack_blocks = [](const std::byte* data, std::size_t n, std::size_t k, std::ptrdiff_t row_bytes,
                     std::span<std::byte> image, tessera::RowRange range) {
    return tessera::pack_weights<F, T>(tessera::BlockView<F>{data, n, k, row_bytes}, image, range);
  };
  e.pack_floats = [](const tessera::MatrixView<const float>& w, std::span<std::byte> image,
                     tessera::RowRange range) {
    return tessera::pack_weights<F, T>(w, image, range);
  };
  e.check = [](std::span<const std::byte> image, std::size_t n, std::size_t k) {
    return tessera::check_packed<F, T>(image, n, k);
  };
  e.unpack = [](std::span<const std::byte> image, std::size_t n, std::size_t k, std::byte* out,
                std::size_t row_bytes, tessera::RowRange range) {
    return tessera::unpack_weights<F, T>(image, n, k, out, row_bytes, range);
  };
  return e;
}

/// The formats of one kind, times the tiles.
template <bool Float, class Formats, class Tiles>
std::vector<Layout> layout_entries() {
  std::vector<Layout> all;
  Formats::for_each([&](auto f) {
    using F = typename decltype(f)::type;
    if constexpr (F::is_float == Float)
      Tiles::for_each(
          [&](auto t) { all.push_back(layout_entry<F, typename decltype(t)::type>()); });
  });
  return all;
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_TILE_LAYOUT_ENTRIES_HPP_
