// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Weights in arrays of codes, scales and zero points (formats/int8_row.hpp, formats/nbits.hpp) behind the C
/// interface.
#ifndef TESSERA_C_INTERFACE_ARRAYS_HPP_
#define TESSERA_C_INTERFACE_ARRAYS_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/c_interface/common.hpp"
#include "tessera/c_interface/formats.hpp"
#include "tessera/c_interface/tiles.hpp"
#include "tessera/config.hpp"
#include "tessera/formats/all.hpp"
#include "tessera/tile/pack_int8_row.hpp"
#include "tessera/tile/pack_nbits.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace TSR_COPY_ {

/// Calls body(Type<F>{}), which returns a Status, for a format of arrays.
template <class Body>
[[nodiscard]] Status with_arrays_format(tsr_format format, Body&& body) {
  return with_known_format(format, [&]<class F>(Type<F> type) {
    if constexpr (ArraysFormat<F>) return body(type);
    return Status::unknown_format;
  });
}

template <RowFormat F>
TESSERA_INLINE RowView<F> arrays(const tsr_const_arrays& w) noexcept {
  using Code = typename F::Code;
  return {static_cast<const Code*>(w.codes),
          static_cast<const float*>(w.scales),
          static_cast<const Code*>(w.zero_points),
          w.rows,
          w.cols,
          w.row_stride};
}
template <RowFormat F>
TESSERA_INLINE RowOutput<F> arrays(const tsr_arrays& w) noexcept {
  using Code = typename F::Code;
  return {static_cast<Code*>(w.codes), static_cast<float*>(w.scales),
          static_cast<Code*>(w.zero_points), w.row_stride};
}
template <NBitsFormat F>
TESSERA_INLINE NBitsView<F> arrays(const tsr_const_arrays& w) noexcept {
  return {static_cast<const std::uint8_t*>(w.codes),
          static_cast<const typename F::Scale*>(w.scales),
          static_cast<const std::uint8_t*>(w.zero_points), w.rows, w.cols};
}
template <NBitsFormat F>
TESSERA_INLINE NBitsOutput<F> arrays(const tsr_arrays& w) noexcept {
  return {static_cast<std::uint8_t*>(w.codes), static_cast<typename F::Scale*>(w.scales),
          static_cast<std::uint8_t*>(w.zero_points)};
}

/// The arrays beside a matrix of floats, of one shape, and rows of both.
template <class F, class Matrix, class Arrays>
[[nodiscard]] Status check_arrays(const Matrix& x, const Arrays& w, RowRange rows) noexcept {
  if (x.rows != w.rows || x.cols != w.cols) return Status::shape_mismatch;
  if (rows.begin > rows.end || rows.end > x.rows) return Status::bad_unit_range;
  if constexpr (RowFormat<F>)
    return detail::check_row_arrays(arrays<F>(w), w.rows, w.cols);
  else
    return detail::check_nbits<F>(arrays<F>(w));
}

inline Status quantize_arrays(tsr_format format, const tsr_const_matrix* from, const tsr_arrays* to,
                              RowRange rows) noexcept {
  if (from == nullptr || to == nullptr) return Status::null_pointer;
  const auto x = view(*from);
  return with_arrays_format(format, [&]<class F>(Type<F>) {
    if (const Status s = detail::check_input(x); s != Status::ok) return s;
    if (rows.end == SIZE_MAX) rows.end = x.rows;
    if (const Status s = check_arrays<F>(x, *to, rows); s != Status::ok) return s;
    const auto out = arrays<F>(*to);
    if constexpr (RowFormat<F>) {
      if (!F::is_signed && out.zero_points == nullptr) return Status::null_pointer;
      for (std::size_t i = rows.begin; i < rows.end; ++i) {
        typename F::Code zero_point;
        F::choose_scale(x.row(i), x.cols, out.scales[i], zero_point);
        if (out.zero_points != nullptr) out.zero_points[i] = zero_point;
        F::quantize_codes(x.row(i), x.cols, out.scales[i], zero_point,
                          out.codes + static_cast<std::ptrdiff_t>(i) * out.row_stride);
      }
    } else {
      for (std::size_t i = rows.begin; i < rows.end; ++i)
        for (std::size_t at = 0, b = 0; at < x.cols; at += F::group, ++b) {
          float elements[F::group];
          for (std::size_t e = 0; e < F::group; ++e)
            elements[e] = at + e < x.cols ? x.row(i)[at + e] : 0.0f;
          typename F::Block block;
          F::quantize_block(elements, block);
          F::scatter(block, x.cols, i, b, out);
        }
    }
    return Status::ok;
  });
}

inline Status dequantize_arrays(tsr_format format, const tsr_const_arrays* from,
                                const tsr_matrix* to, RowRange rows) noexcept {
  if (from == nullptr || to == nullptr) return Status::null_pointer;
  const auto x = view(*to);
  return with_arrays_format(format, [&]<class F>(Type<F>) {
    if (const Status s = detail::check_output(x); s != Status::ok) return s;
    if (rows.end == SIZE_MAX) rows.end = x.rows;
    if (const Status s = check_arrays<F>(x, *from, rows); s != Status::ok) return s;
    const auto w = arrays<F>(*from);
    for (std::size_t i = rows.begin; i < rows.end; ++i) {
      float* const row = x.row(i);
      if constexpr (RowFormat<F>) {
        F::dequantize_codes(w.codes + static_cast<std::ptrdiff_t>(i) * w.row_stride, x.cols,
                            w.scales[i], w.zero_points != nullptr ? w.zero_points[i] : 0, row);
      } else {
        for (std::size_t at = 0, b = 0; at < x.cols; at += F::group, ++b) {
          float elements[F::group];
          typename F::Block block;
          F::gather(w, i, b, block);
          F::dequantize_block(block, elements);
          for (std::size_t e = 0; e < F::group && at + e < x.cols; ++e) row[at + e] = elements[e];
        }
      }
    }
    return Status::ok;
  });
}

template <class B>
Status pack_arrays(tsr_format format, const tsr_tile& tile, const tsr_const_arrays* w,
                   std::span<std::byte> image, RowRange rows) noexcept {
  if (w == nullptr) return Status::null_pointer;
  return with_arrays_format(format, [&]<class F>(Type<F>) {
    return with_tile<B, F>(
        tile, [&]<class T>(Type<T>) { return pack_weights<F, T>(arrays<F>(*w), image, rows); });
  });
}

template <class B>
Status unpack_arrays(std::span<const std::byte> image, const tsr_arrays* out,
                     RowRange rows) noexcept {
  if (out == nullptr) return Status::null_pointer;
  return with_image<B>(image, [&]<class F>(Type<F>, const PackedHeader& h) {
    if constexpr (ArraysFormat<F>) {
      if (out->rows != h.n || out->cols != h.k) return Status::shape_mismatch;
      return with_tile<B, F>({h.tile.m, h.tile.n, h.tile.k}, [&]<class T>(Type<T>) {
        return unpack_weights<F, T>(image, h.n, h.k, arrays<F>(*out), rows);
      });
    }
    return Status::unknown_format;
  });
}

}  // namespace TSR_COPY_

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_C_INTERFACE_ARRAYS_HPP_
