// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What can be wrong with the operands of a matrix product.
#ifndef TESSERA_KERNELS_MATMUL_CHECKS_HPP_
#define TESSERA_KERNELS_MATMUL_CHECKS_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/strided.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/matmul/activations.hpp"
#include "tessera/kernels/matmul/batches.hpp"
#include "tessera/kernels/matmul/weights.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Do sizes of all rows together, of n x k weights, fit size_t?
template <class F, class T, class W>
[[nodiscard]] TESSERA_INLINE bool shapes_fit(std::size_t rows, const Batches& b,
                                             const W& w) noexcept {
  std::size_t all = 0;
  if (check_batches(b) != Status::ok || mul_overflows(rows, b.count(), &all) ||
      all > PTRDIFF_MAX / 64 || extent_overflows(all, static_cast<std::ptrdiff_t>(w.k), w.k, 64))
    return false;
  if constexpr (W::packed) {
    return packed_size<F, T>(w.n, w.k) != 0;
  } else {
    return w.n != 0 && w.k != 0 &&
           !extent_overflows(w.n, static_cast<std::ptrdiff_t>(w.k), w.k, 64);
  }
}

template <class B, class F, class A>
[[nodiscard]] TESSERA_INLINE Status check_activations(const MatrixView<const A>& a,
                                                      const Batches& b) noexcept {
  if (a.rows == 0 || a.cols == 0) return Status::empty_shape;
  return check_input(strided_rows(a, b, b.a_outer, b.a_inner));
}
/// Quantised rows are those of one product.
template <class B, class F>
[[nodiscard]] TESSERA_INLINE Status check_activations(const QuantizedActivations& a,
                                                      const Batches& b) noexcept {
  const Status s = check_quantized<typename B::DotAtom>(a, ActivationNeeds::of<F>());
  return s == Status::ok && b.count() != 1 ? Status::shape_mismatch : s;
}

/// All packed weights, their images one behind the other.
template <class F, class T, class W>
  requires W::packed
[[nodiscard]] TESSERA_INLINE Status check_all_weights(const W& w, const Batches& b) noexcept {
  for (std::size_t g = 0; g < b.outer_weights * b.inner_weights; ++g)
    if (const Status s = check_weights<F, T>(w, g); s != Status::ok) return s;
  return Status::ok;
}

/// The bytes of all stored rows.
template <class F>
[[nodiscard]] TESSERA_INLINE Strided<5> strided_bytes(const StoredRows<F>& w,
                                                      const Batches& b) noexcept {
  const std::ptrdiff_t apart =
      F::is_float ? w.element_bytes : static_cast<std::ptrdiff_t>(F::block_bytes);
  return strided(w.data, {{b.outer_weights, b.b_outer},
                          {b.inner_weights, b.b_inner},
                          {w.n, w.row_bytes},
                          {w.k / F::group, apart},
                          {F::block_bytes, 1}});
}

template <class F, class T>
[[nodiscard]] TESSERA_INLINE Status check_all_weights(const StoredRows<F>& w,
                                                      const Batches& b) noexcept {
  if (w.n == 0 || w.k == 0) return Status::empty_shape;
  if (w.k % F::group != 0) return Status::group_multiple;
  if (const Status s = check_input(strided_bytes(w, b)); s != Status::ok) return s;
  if constexpr (F::is_float) {
    const auto off = [](auto x) TESSERA_LAMBDA {
      return static_cast<std::size_t>(x) % alignof(typename F::Element) != 0;
    };
    if (off(reinterpret_cast<std::uintptr_t>(w.data)) || off(w.row_bytes) || off(w.element_bytes) ||
        off(b.b_outer) || off(b.b_inner))
      return Status::misaligned;
  }
  return Status::ok;
}

/// Is the output apart from what is read?
template <class C, class A>
[[nodiscard]] TESSERA_INLINE bool is_apart(const MatrixView<C>& c, const MatrixView<const A>& a,
                                           const Batches& b) noexcept {
  if (!intersects(extent(strided_rows(c, b, b.c_outer, b.c_inner)),
                  extent(strided_rows(a, b, b.a_outer, b.a_inner))))
    return true;
  return b.count() == 1 && columns_apart(c, a);
}
template <class C>
[[nodiscard]] TESSERA_INLINE bool is_apart(const MatrixView<C>& c, const QuantizedActivations& a,
                                           const Batches&) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(a.bytes.data());
  return !intersects(extent(c), {begin, begin + a.bytes.size()});
}
/// Packed weights are images of their own; stored rows may be part of anything.
template <class C, class W>
[[nodiscard]] TESSERA_INLINE bool is_apart_from(const MatrixView<C>& c, const W& w,
                                                const Batches& b) noexcept {
  if constexpr (W::packed) {
    return true;
  } else {
    return !intersects(extent(strided_rows(c, b, b.c_outer, b.c_inner)),
                       extent(strided_bytes(w, b)));
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_MATMUL_CHECKS_HPP_
