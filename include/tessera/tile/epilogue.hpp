// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What happens to a product before it is stored: composable functors over lanes.
///
/// A functor is called as `e(d, v, row, column)` for the size() outputs of one row that start at
/// `column`, and returns the new lanes. Element-wise, so splitting changes nothing.
#ifndef TESSERA_TILE_EPILOGUE_HPP_
#define TESSERA_TILE_EPILOGUE_HPP_

#include <cstddef>

#include "tessera/config.hpp"

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

/// v + bias[column]; `bias` has as many elements as the output has columns.
struct Bias {
  const float* bias = nullptr;
  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 v, std::size_t,
                                 std::size_t column) const noexcept {
    return d.add(v, d.load(bias + column));
  }
};

/// v limited to [low, high]; a NaN becomes low.
struct Clamp {
  float low;
  float high;
  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 v, std::size_t, std::size_t) const noexcept {
    return d.min(d.max(v, d.set(low)), d.set(high));
  }
};

/// First, then Second. Written `Chain{first, second}`; chains nest.
template <class First, class Second>
struct Chain {
  First first;
  Second second;
  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 v, std::size_t row,
                                 std::size_t column) const noexcept {
    return second(d, first(d, v, row, column), row, column);
  }
};
template <class First, class Second>
Chain(First, Second) -> Chain<First, Second>;

}  // namespace epilogue

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_EPILOGUE_HPP_
