// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The forms in which activations come, and how products read them.
#ifndef TESSERA_KERNELS_MATMUL_ACTIVATIONS_HPP_
#define TESSERA_KERNELS_MATMUL_ACTIVATIONS_HPP_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/matmul/batches.hpp"
#include "tessera/kernels/matmul/multiply.hpp"
#include "tessera/kernels/matmul/quantize_rows.hpp"
#include "tessera/kernels/matmul/quantized_header.hpp"

TESSERA_NAMESPACE_BEGIN

namespace internal {

/// The operand for activations of A: a matrix of floats, or what quantize_rows wrote.
template <class A>
struct ActivationOperand {
  using type = MatrixView<const A>;
};
template <>
struct ActivationOperand<QuantizedActivations> {
  using type = QuantizedActivations;
};

/// Do activations of A meet weights of F as they are given, or after a phase of preparation?
template <class F, class A>
inline constexpr bool is_prepared =
    F::is_float ? std::is_same_v<A, float> : std::is_same_v<A, QuantizedActivations>;

}  // namespace internal

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Rows that the prepared activations of `m` rows take, so that every product begins with a row tile.
template <class B, class F>
TESSERA_INLINE std::size_t prepared_row_count(std::size_t m, std::size_t products) noexcept {
  return products * (F::is_float ? m : round_up(m, B::DotAtom::block_tile::m));
}

/// The activations as products read them, after the phase of preparation: quantised rows for a block format,
/// f32 for a float format.
template <class B, class F, class A>
TESSERA_INLINE auto prepared_rows(const MatrixView<const A>& a, const Batches& b,
                                  std::byte* shared) noexcept {
  if constexpr (!F::is_float) {
    using Atom = typename B::DotAtom;
    return RowTiles<Atom>{
        {prepared_row_count<B, F>(a.rows, b.count()), a.cols, ActivationNeeds::of<F>()}, shared};
  } else if constexpr (std::is_same_v<A, float>) {
    return FloatRows{a, a.rows, b.inner, b.a_outer, b.a_inner};
  } else {
    return FloatRows{matrix(reinterpret_cast<const float*>(shared), a.rows * b.count(), a.cols)};
  }
}
template <class B, class F>
TESSERA_INLINE auto prepared_rows(const QuantizedActivations& a, const Batches&,
                                  std::byte*) noexcept {
  using Atom = typename B::DotAtom;
  return RowTiles<Atom>{{a.rows, a.cols, needs_of(header_of(a))}, rows_of(a)};
}

/// A row of floats of any size to f32, exact.
template <class B, class A>
TESSERA_NOINLINE void widen_row(const A* from, std::size_t n, float* to) noexcept {
  B::Vectors::template for_lanes<4>(
      n, [&](auto d, std::size_t i) TESSERA_LAMBDA { d.store(to + i, d.load(from + i)); });
}

/// Units of the phase that prepares the activations: row tiles to quantise, or rows to widen.
template <class B, class F>
TESSERA_INLINE std::size_t prepare_units(std::size_t m) noexcept {
  return F::is_float ? m : div_up(m, B::DotAtom::block_tile::m);
}
template <class B, class F, class A>
TESSERA_INLINE void prepare_unit(const MatrixView<const A>& a, const Batches& b, std::size_t u,
                                 std::byte* shared) noexcept {
  const std::size_t of_product = prepare_units<B, F>(a.rows);
  const auto rows = rows_of_product(a, u / of_product, b.inner, b.a_outer, b.a_inner);
  if constexpr (F::is_float) {
    widen_row<B>(rows.row(u % of_product), a.cols, reinterpret_cast<float*>(shared) + u * a.cols);
  } else {
    using Atom = typename B::DotAtom;
    const QuantizedRows<Atom> all(prepared_row_count<B, F>(a.rows, b.count()), a.cols,
                                  ActivationNeeds::of<F>());
    quantize_rows_to<B>(rows, u % of_product * Atom::block_tile::m, all, u, shared);
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_MATMUL_ACTIVATIONS_HPP_
