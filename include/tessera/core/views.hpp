// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Views: a pointer, a shape and explicit strides. They own nothing.
#ifndef TESSERA_CORE_VIEWS_HPP_
#define TESSERA_CORE_VIEWS_HPP_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"

TESSERA_NAMESPACE_BEGIN

/// `rows` x `cols` elements; elements of a row are contiguous, row i starts at
/// `data + i * row_stride`. The stride counts elements; for inputs it may be anything (0 repeats one
/// row, negative walks backwards), for outputs rows must not overlap.
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::ptrdiff_t row_stride = 0;

  [[nodiscard]] TESSERA_INLINE constexpr T* row(std::size_t i) const noexcept {
    return data + static_cast<std::ptrdiff_t>(i) * row_stride;
  }
  /// What one kernel has written the next one reads.
  TESSERA_INLINE constexpr operator MatrixView<const T>() const noexcept
    requires(!std::is_const_v<T>)
  {
    return {data, rows, cols, row_stride};
  }
};

/// Contiguous rows: the row stride is the row length.
template <class T>
[[nodiscard]] TESSERA_INLINE constexpr MatrixView<T> matrix(T* data, std::size_t rows,
                                                            std::size_t cols) noexcept {
  return {data, rows, cols, static_cast<std::ptrdiff_t>(cols)};
}

/// `heads` x `tokens` rows of `dim` contiguous elements: element d of token t of head h is
/// `data[h * head_stride + t * token_stride + d]`. Strides count elements; any order of heads and
/// tokens in memory is a choice of the two strides.
template <class T>
struct HeadView {
  T* data = nullptr;
  std::size_t heads = 0;
  std::size_t tokens = 0;
  std::size_t dim = 0;
  std::ptrdiff_t head_stride = 0;
  std::ptrdiff_t token_stride = 0;

  [[nodiscard]] TESSERA_INLINE constexpr T* row(std::size_t h, std::size_t t) const noexcept {
    return data + static_cast<std::ptrdiff_t>(h) * head_stride +
           static_cast<std::ptrdiff_t>(t) * token_stride;
  }
  /// As for matrices.
  TESSERA_INLINE constexpr operator HeadView<const T>() const noexcept
    requires(!std::is_const_v<T>)
  {
    return {data, heads, tokens, dim, head_stride, token_stride};
  }
};

namespace internal {

TESSERA_INLINE constexpr bool mul_overflows(std::size_t a, std::size_t b, std::size_t* product) {
  return __builtin_mul_overflow(a, b, product);
}

TESSERA_INLINE constexpr std::size_t magnitude(std::ptrdiff_t stride) noexcept {
  return stride < 0 ? std::size_t{0} - static_cast<std::size_t>(stride)
                    : static_cast<std::size_t>(stride);
}

template <class T>
TESSERA_INLINE bool misaligned(const T* p) noexcept {
  return reinterpret_cast<std::uintptr_t>(p) % alignof(T) != 0;
}

/// Does `count` steps of `stride` elements of `size` bytes stay within what a pointer can span?
TESSERA_INLINE constexpr bool extent_overflows(std::size_t count, std::ptrdiff_t stride,
                                               std::size_t last, std::size_t size) noexcept {
  std::size_t n = 0;
  if (__builtin_mul_overflow(count == 0 ? 0 : count - 1, magnitude(stride), &n)) return true;
  if (__builtin_add_overflow(n, last, &n)) return true;
  if (__builtin_mul_overflow(n, size, &n)) return true;
  return n > static_cast<std::size_t>(PTRDIFF_MAX);
}

/// Shape, pointer and alignment of an operand that is only read.
template <class T>
[[nodiscard]] TESSERA_INLINE Status check_input(const MatrixView<T>& v) noexcept {
  if (v.rows == 0 || v.cols == 0) return Status::empty_shape;
  if (v.data == nullptr) return Status::null_pointer;
  if (extent_overflows(v.rows, v.row_stride, v.cols, sizeof(T))) return Status::shape_too_large;
  if (misaligned(v.data)) return Status::misaligned;
  return Status::ok;
}

/// The same for a written operand: its rows must not overlap.
template <class T>
[[nodiscard]] TESSERA_INLINE Status check_output(const MatrixView<T>& v) noexcept {
  if (const Status s = check_input(v); s != Status::ok) return s;
  if (v.rows > 1 && magnitude(v.row_stride) < v.cols) return Status::stride_too_small;
  return Status::ok;
}

/// First and last byte address a view touches, as a half-open range of addresses.
struct Extent {
  std::uintptr_t begin;
  std::uintptr_t end;
};

template <class T>
[[nodiscard]] TESSERA_INLINE Extent extent(const MatrixView<T>& v) noexcept {
  const std::ptrdiff_t far = static_cast<std::ptrdiff_t>(v.rows - 1) * v.row_stride;
  const T* low = v.data + (far < 0 ? far : 0);
  const T* high = v.data + (far < 0 ? 0 : far) + v.cols;
  return {reinterpret_cast<std::uintptr_t>(low), reinterpret_cast<std::uintptr_t>(high)};
}

[[nodiscard]] TESSERA_INLINE constexpr bool intersects(Extent a, Extent b) noexcept {
  return a.begin < b.end && b.begin < a.end;
}

/// Are the two different columns of one buffer's rows, such as the halves of a fused projection?
template <class T, class U>
[[nodiscard]] TESSERA_INLINE bool columns_apart(const MatrixView<T>& a,
                                                const MatrixView<U>& b) noexcept {
  if (sizeof(T) != sizeof(U) || a.row_stride != b.row_stride || a.row_stride == 0) return false;
  const std::uintptr_t stride = magnitude(a.row_stride) * sizeof(T);
  const auto place_a = reinterpret_cast<std::uintptr_t>(a.data);
  const auto place_b = reinterpret_cast<std::uintptr_t>(b.data);
  // The distance from a's columns to b's, upwards, within one row of the buffer.
  const std::uintptr_t apart = place_b >= place_a ? (place_b - place_a) % stride
                                                  : stride - 1 - (place_a - place_b - 1) % stride;
  return apart >= a.cols * sizeof(T) && apart + b.cols * sizeof(U) <= stride;
}

/// May `out` be written while `in` is read element by element at the same place? Only if they are
/// the same rows, or different columns of the same rows, or do not touch at all.
template <class T, class U>
[[nodiscard]] TESSERA_INLINE bool same_rows_or_apart(const MatrixView<T>& out,
                                                     const MatrixView<U>& in) noexcept {
  if (!intersects(extent(out), extent(in)) || columns_apart(out, in)) return true;
  return static_cast<const void*>(out.data) == static_cast<const void*>(in.data) &&
         sizeof(T) == sizeof(U) && (out.row_stride == in.row_stride || out.rows == 1);
}

/// The bytes a head view spans, wherever its strides lead. Precondition: no dimension is 0.
template <class T>
[[nodiscard]] TESSERA_INLINE Extent extent(const HeadView<T>& v) noexcept {
  const std::ptrdiff_t heads = static_cast<std::ptrdiff_t>(v.heads - 1) * v.head_stride;
  const std::ptrdiff_t tokens = static_cast<std::ptrdiff_t>(v.tokens - 1) * v.token_stride;
  const T* low = v.data + (heads < 0 ? heads : 0) + (tokens < 0 ? tokens : 0);
  const T* high = v.data + (heads < 0 ? 0 : heads) + (tokens < 0 ? 0 : tokens) + v.dim;
  return {reinterpret_cast<std::uintptr_t>(low), reinterpret_cast<std::uintptr_t>(high)};
}

/// Shape, pointer and alignment of a head view that is only read. No tokens is legal.
template <class T>
[[nodiscard]] TESSERA_INLINE Status check_input(const HeadView<T>& v) noexcept {
  if (v.heads == 0 || v.dim == 0) return Status::empty_shape;
  if (v.tokens == 0) return Status::ok;
  if (v.data == nullptr) return Status::null_pointer;
  std::size_t reach = 0;
  if (extent_overflows(v.heads, v.head_stride, v.dim, sizeof(T)) ||
      extent_overflows(v.tokens, v.token_stride, v.dim, sizeof(T)) ||
      __builtin_mul_overflow(v.heads - 1, magnitude(v.head_stride), &reach) ||
      extent_overflows(v.tokens, v.token_stride, reach + v.dim, sizeof(T)))
    return Status::shape_too_large;
  return misaligned(v.data) ? Status::misaligned : Status::ok;
}

/// The same for a written head view: no two rows may overlap.
template <class T>
[[nodiscard]] TESSERA_INLINE Status check_output(const HeadView<T>& v) noexcept {
  if (const Status s = check_input(v); s != Status::ok) return s;
  if (v.tokens == 0) return Status::ok;  // a contiguous view of no tokens has a head stride of 0
  const std::size_t head = magnitude(v.head_stride);
  const std::size_t token = magnitude(v.token_stride);
  if (v.tokens > 1 && token < v.dim) return Status::stride_too_small;
  if (v.heads > 1 && head < v.dim) return Status::stride_too_small;
  if (v.heads > 1 && v.tokens > 1) {  // one dimension must step over all of the other
    const bool heads_outside = head >= (v.tokens - 1) * token + v.dim;
    const bool tokens_outside = token >= (v.heads - 1) * head + v.dim;
    if (!heads_outside && !tokens_outside) return Status::stride_too_small;
  }
  return Status::ok;
}

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_CORE_VIEWS_HPP_
