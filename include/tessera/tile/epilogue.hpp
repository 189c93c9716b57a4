// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What happens to a product before it is stored: composable functors over lanes.
///
/// A functor is called as `e(d, v, row, column)` for the size() outputs of one row that start at
/// `column`, and returns the new lanes. Element-wise, so splitting changes nothing. It runs once, while
/// the sums of a block are at hand, and then the lanes are stored as the output's type: f32, or f16 and
/// bf16 rounded to nearest even. One that computes much says `registers`: lanes' registers per vector
/// (the M of for_lanes, 4 if it says nothing). Arithmetic: one rounding per operation, no product meets
/// an addition unrounded, so the bits are the same everywhere.
#ifndef TESSERA_TILE_EPILOGUE_HPP_
#define TESSERA_TILE_EPILOGUE_HPP_

#include <cstddef>
#include <type_traits>

#include "tessera/config.hpp"
#include "tessera/core/math.hpp"
#include "tessera/core/views.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace epilogue {

/// Stores the product as it is.
struct Identity {
  template <class D>
  TESSERA_INLINE auto operator()(D, typename D::F32 v, std::size_t, std::size_t) const noexcept {
    return v;
  }
};

/// v * factor, one rounding.
struct Scale {
  float factor = 1.0f;
  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 v, std::size_t, std::size_t) const noexcept {
    return d.rounded(d.mul(v, d.set(factor)));
  }
};

/// v * factors[row]; `factors` has as many elements as the output has rows.
struct RowScale {
  const float* factors = nullptr;
  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 v, std::size_t row,
                                 std::size_t) const noexcept {
    return d.rounded(d.mul(v, d.set(factors[row])));
  }
};

/// v + bias[column]; `bias` has as many elements as the output has columns.
struct Bias {
  const float* bias = nullptr;
  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 v, std::size_t,
                                 std::size_t column) const noexcept {
    return d.add(v, d.load(bias + column));
  }
};

/// v + residual[row][column]; T: float, Float16 or BFloat16. The output itself may be the residual: an
/// element is read before it is written, and by nobody else.
template <class T>
struct Residual {
  MatrixView<const T> residual;  ///< the output's shape
  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 v, std::size_t row,
                                 std::size_t column) const noexcept {
    return d.add(v, d.load(residual.row(row) + column));
  }
};
template <class T>
Residual(MatrixView<T>) -> Residual<std::remove_const_t<T>>;

/// v limited to [low, high]; a NaN becomes low.
struct Clamp {
  float low;
  float high;
  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 v, std::size_t, std::size_t) const noexcept {
    return d.min(d.max(v, d.set(low)), d.set(high));
  }
};

/// v where it is above 0, else 0; a NaN and -0 become 0.
struct Relu {
  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 v, std::size_t, std::size_t) const noexcept {
    return d.max(v, d.set(0.0f));
  }
};

/// v / (1 + e^-v): `silu` of core/math.hpp.
struct Silu {
  static constexpr std::size_t registers = 2;
  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 v, std::size_t, std::size_t) const noexcept {
    return silu(d, v);
  }
};

/// v / 2 * (1 + tanh(sqrt(2 / pi) * (v + 0.044715 v^3))), the tanh form: `gelu` of core/math.hpp.
struct Gelu {
  static constexpr std::size_t registers = 2;
  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 v, std::size_t, std::size_t) const noexcept {
    return gelu(d, v);
  }
};

namespace detail {

/// What a functor says about registers, 4 if nothing.
template <class E>
inline constexpr std::size_t registers_of = 4;
template <class E>
  requires requires { E::registers; }
inline constexpr std::size_t registers_of<E> = E::registers;

}  // namespace detail

/// Of a pair of products g and u: activation(g) * u, one rounding. Gated{Silu{}} is SwiGLU, Gated{Gelu{}}
/// GeGLU, Gated{Relu{}} ReGLU; for a gate with a bias, Gated{Chain{Bias{b}, Silu{}}}. What follows
/// is chained behind it: Chain{Gated{Silu{}}, Scale{x}}.
template <class Activation>
struct Gated {
  static constexpr std::size_t registers = detail::registers_of<Activation>;
  Activation activation;
  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 g, typename D::F32 u, std::size_t row,
                                 std::size_t column) const noexcept {
    return d.rounded(d.mul(activation(d, g, row, column), u));
  }
};
template <class Activation>
Gated(Activation) -> Gated<Activation>;

/// First, then Second. Written `Chain{first, second}`; chains nest.
template <class First, class Second>
struct Chain {
  static constexpr std::size_t registers =
      detail::registers_of<First> < detail::registers_of<Second> ? detail::registers_of<First>
                                                                 : detail::registers_of<Second>;
  First first;
  Second second;
  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 v, std::size_t row,
                                 std::size_t column) const noexcept {
    return second(d, first(d, v, row, column), row, column);
  }
  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 g, typename D::F32 u, std::size_t row,
                                 std::size_t column) const noexcept {
    return second(d, first(d, g, u, row, column), row, column);
  }
};
template <class First, class Second>
Chain(First, Second) -> Chain<First, Second>;

}  // namespace epilogue

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_EPILOGUE_HPP_
