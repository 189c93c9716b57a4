// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Storage formats and packed weights behind the C interface: everything runs over the list of formats.
#ifndef TESSERA_C_INTERFACE_FORMATS_HPP_
#define TESSERA_C_INTERFACE_FORMATS_HPP_

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tessera/attention.hpp"
#include "tessera/c_interface/common.hpp"
#include "tessera/c_interface/tiles.hpp"
#include "tessera/config.hpp"
#include "tessera/formats/all.hpp"
#include "tessera/tile/packing.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace TSR_COPY_ {

/// A format whose weights may come as arrays (arrays.hpp).
template <class F>
concept ArraysFormat = RowFormat<F> || NBitsFormat<F>;

/// Calls body(Type<F>{}), which returns a Status, for a format.
template <class Body>
[[nodiscard]] Status with_known_format(tsr_format format, Body&& body) {
  Status status = Status::ok;
  const Status known = with_compiled_format(format, [&](auto type) { status = body(type); });
  return known != Status::ok ? known : status;
}

/// The same for a format of blocks, or of floats.
template <class Body>
[[nodiscard]] Status with_block_format(tsr_format format, Body&& body) {
  return with_known_format(format, [&]<class F>(Type<F> type) {
    if constexpr (!RowFormat<F>) return body(type);
    return Status::unknown_format;
  });
}

inline Status format_at(std::size_t index, tsr_format* format) noexcept {
  if (format == nullptr) return Status::null_pointer;
  std::size_t i = 0;
  Status status = Status::unknown_format;
  compiled_formats::for_each([&]<class F>(Type<F>) {
    if (i++ != index) return;
    *format = static_cast<tsr_format>(F::id);
    status = Status::ok;
  });
  return status;
}

inline bool equal(const char* a, const char* b) noexcept {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

inline Status format_find(const char* name, tsr_format* format) noexcept {
  if (name == nullptr || format == nullptr) return Status::null_pointer;
  Status status = Status::unknown_format;
  compiled_formats::for_each([&]<class F>(Type<F>) {
    if (!equal(name, F::name)) return;
    *format = static_cast<tsr_format>(F::id);
    status = Status::ok;
  });
  return status;
}

inline Status format_facts(tsr_format format, tsr_format_facts* facts) noexcept {
  return with_known_format(format, [&]<class F>(Type<F>) {
    tsr_format_facts f = {};
    f.name = F::name;
    f.group = RowFormat<F> ? 1 : F::group;
    f.block_bytes = RowFormat<F> ? 1 : F::block_bytes;
    f.is_float = F::is_float;
    f.is_cache = CacheFormat<F>;
    f.has_arrays = ArraysFormat<F>;
    if constexpr (F::is_float) {
      f.scale_group = 1;
    } else {
      if constexpr (NBitsFormat<F>)
        f.scale_group = F::elements;
      else
        f.scale_group = F::scale_group;
      f.has_minima = F::has_minima;
    }
    return give(f, facts);
  });
}

inline Status quantize(tsr_format format, const float* x, std::size_t count,
                       void* blocks) noexcept {
  if (count != 0 && (x == nullptr || blocks == nullptr)) return Status::null_pointer;
  return with_block_format(format, [&]<class F>(Type<F>) {
    if (count % F::group != 0) return Status::group_multiple;
    auto* to = static_cast<std::byte*>(blocks);
    for (std::size_t i = 0; i < count; i += F::group, to += F::block_bytes) {
      typename F::Block block;
      if constexpr (F::is_float) {
        block = F::from_float(x[i]);
      } else {
        F::quantize_block(x + i, block);
      }
      __builtin_memcpy(to, &block, F::block_bytes);
    }
    return Status::ok;
  });
}

inline Status dequantize(tsr_format format, const void* blocks, std::size_t count,
                         float* x) noexcept {
  if (count != 0 && (x == nullptr || blocks == nullptr)) return Status::null_pointer;
  return with_block_format(format, [&]<class F>(Type<F>) {
    if (count % F::group != 0) return Status::group_multiple;
    const auto* from = static_cast<const std::byte*>(blocks);
    for (std::size_t i = 0; i < count; i += F::group, from += F::block_bytes) {
      typename F::Block block;
      __builtin_memcpy(&block, from, F::block_bytes);
      if constexpr (F::is_float) {
        F::dequantize(&block, 1, x + i);
      } else {
        F::dequantize_block(block, x + i);
      }
    }
    return Status::ok;
  });
}

template <class B>
Status native_tile(tsr_format format, tsr_tile* tile) noexcept {
  if (tile == nullptr) return Status::null_pointer;
  return with_known_format(format, [&]<class F>(Type<F>) {
    using T = NativeTile<B, F>;
    *tile = {T::m, T::n, T::k};
    return Status::ok;
  });
}

/// Calls body(Type<F>{}, shape) for a format and one of its tiles, all zeros being B's own.
template <class B, class Body>
[[nodiscard]] Status with_layout(tsr_format format, const tsr_tile& tile, Body&& body) {
  return with_known_format(format, [&]<class F>(Type<F> type) {
    TileShape shape;
    if (const Status s = find_tile<B, F>(tile, shape); s != Status::ok) return s;
    return body(type, shape);
  });
}

template <class B>
Status size_of_packed(tsr_format format, const tsr_tile& tile, std::size_t n, std::size_t k,
                      std::size_t* size) noexcept {
  if (size == nullptr) return Status::null_pointer;
  return with_layout<B>(format, tile, [&]<class F>(Type<F>, TileShape shape) {
    bool overflow = false;
    *size = n == 0 || k == 0
                ? 0
                : detail::image_bytes(detail::panel_traits<F>(), shape.n, n, k, &overflow);
    return Status::ok;
  });
}

template <class B>
Status pack(tsr_format format, const tsr_tile& tile, const tsr_const_matrix* w,
            std::span<std::byte> image, RowRange rows) noexcept {
  if (w == nullptr) return Status::null_pointer;
  return with_layout<B>(format, tile, [&]<class F>(Type<F>, TileShape shape) {
    return detail::pack_floats<F>(view(*w), image, shape, rows);
  });
}

template <class B>
Status pack_stored(tsr_format format, const tsr_tile& tile, const void* data, std::size_t n,
                   std::size_t k, std::ptrdiff_t row_bytes, std::span<std::byte> image,
                   RowRange rows) noexcept {
  return with_layout<B>(format, tile, [&]<class F>(Type<F>, TileShape shape) {
    if constexpr (!RowFormat<F>) {
      const BlockView<F> w = {static_cast<const std::byte*>(data), n, k, row_bytes};
      return detail::pack_stored<F>(w, image, shape, rows);
    }
    return Status::unknown_format;
  });
}

/// Calls body(Type<F>{}, header) for an image whose header is right.
template <class B, class Body>
[[nodiscard]] Status with_image(std::span<const std::byte> image, Body&& body) {
  PackedHeader header;
  if (const Status s = read_header(image, header); s != Status::ok) return s;
  const tsr_tile tile = {header.tile.m, header.tile.n, header.tile.k};
  if (tile.n == 0) return Status::packed_tile;  // zeros would stand for B's own
  const auto format = static_cast<tsr_format>(header.format);
  return with_layout<B>(format, tile, [&]<class F>(Type<F> type, TileShape shape) {
    if (const Status s =
            detail::check_image(image, detail::panel_traits<F>(), shape, header.n, header.k);
        s != Status::ok)
      return s;
    return body(type, header);
  });
}

template <class B>
Status unpack(std::span<const std::byte> image, void* rows, std::size_t row_bytes,
              RowRange range) noexcept {
  return with_image<B>(image, [&]<class F>(Type<F>, const PackedHeader& h) {
    if constexpr (!RowFormat<F>)
      return detail::unpack<F>(image, h.tile, h.n, h.k, static_cast<std::byte*>(rows), row_bytes,
                               range);
    return Status::unknown_format;
  });
}

template <class B>
Status packed_facts(std::span<const std::byte> image, tsr_packed_facts* facts) noexcept {
  return with_image<B>(image, [&](auto, const PackedHeader& h) {
    tsr_packed_facts f = {};
    f.format = static_cast<tsr_format>(h.format);
    f.tile = {h.tile.m, h.tile.n, h.tile.k};
    f.n = h.n, f.k = h.k, f.bytes = h.bytes;
    return give(f, facts);
  });
}

}  // namespace TSR_COPY_

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_C_INTERFACE_FORMATS_HPP_
