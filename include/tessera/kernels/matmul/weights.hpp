// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Packed weights as operands: one matrix, or a pair that meets the same activations.
#ifndef TESSERA_KERNELS_MATMUL_WEIGHTS_HPP_
#define TESSERA_KERNELS_MATMUL_WEIGHTS_HPP_

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/kernels/matmul/batches.hpp"
#include "tessera/kernels/matmul/multiply.hpp"
#include "tessera/kernels/matmul/plan.hpp"
#include "tessera/tile/decode_rows.hpp"
#include "tessera/tile/epilogue.hpp"
#include "tessera/tile/packing.hpp"

TESSERA_NAMESPACE_BEGIN

/// Weights packed by pack_weights<F, T>: an n x k matrix, one row per output column.
template <class F, class T>
struct PackedWeights {
  static constexpr std::size_t sources = 1;  ///< matrices that meet the activations
  static constexpr bool packed = true;
  std::span<const std::byte> image = {};
  std::size_t n = 0;
  std::size_t k = 0;

  [[nodiscard]] TESSERA_INLINE std::span<const std::byte> source(std::size_t) const noexcept {
    return image;
  }
};

/// Two such matrices of one shape: their products g and u meet in a functor of both (epilogue::Gated).
template <class F, class T>
struct PackedPair {
  static constexpr std::size_t sources = 2;
  static constexpr bool packed = true;
  std::span<const std::byte> gate = {};
  std::span<const std::byte> up = {};
  std::size_t n = 0;
  std::size_t k = 0;

  [[nodiscard]] TESSERA_INLINE std::span<const std::byte> source(std::size_t i) const noexcept {
    return i == 0 ? gate : up;
  }
};

/// Rows as they are stored, nothing packed: `n` rows of `k` elements of format F, an operand that another
/// kernel has written. Blocks of a row lie one behind the other; elements of a float format are
/// `element_bytes` apart, so that rows and columns may be exchanged. Strides are bytes, of any sign or 0.
template <class F>
struct StoredRows {
  static constexpr std::size_t sources = 1;
  static constexpr bool packed = false;
  const std::byte* data = nullptr;
  std::size_t n = 0;
  std::size_t k = 0;
  std::ptrdiff_t row_bytes = 0;
  std::ptrdiff_t element_bytes = F::block_bytes;  ///< float formats only
};

/// The tile of what is not packed.
using no_tile = Tile<0, 0, 0>;

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// What becomes of the products if the caller says nothing.
template <class W>
using DefaultEpilogue =
    std::conditional_t<W::sources == 1, epilogue::Identity, epilogue::Gated<epilogue::Silu>>;

/// The images of group `g` of those that lie one behind the other.
template <class F, class T, class W>
[[nodiscard]] TESSERA_INLINE Status check_weights(const W& w, std::size_t g = 0) noexcept {
  const std::size_t bytes = packed_size<F, T>(w.n, w.k);
  for (std::size_t i = 0; i < W::sources; ++i) {
    std::span<const std::byte> images = w.source(i);
    if (images.data() == nullptr) return Status::null_pointer;
    if (g != 0 && bytes != 0) {
      if (images.size() / bytes <= g) return Status::packed_too_small;
      images = images.subspan(g * bytes);
    }
    const Status s = check_packed<F, T>(images, w.n, w.k);
    if (s != Status::ok) return s;
  }
  return Status::ok;
}

/// The steps between the weights of `b`'s products.
template <class F, class T, class W>
TESSERA_INLINE WeightSteps weight_steps(const W& w, const Batches& b) noexcept {
  WeightSteps steps = {b.inner, b.outer / b.outer_weights, b.inner / b.inner_weights, b.b_outer,
                       b.b_inner};
  if constexpr (W::packed) {
    if (b.inner_weights * b.outer_weights == 1) return steps;  // no step is made
    steps.inner_bytes = static_cast<std::ptrdiff_t>(packed_size<F, T>(w.n, w.k));
    steps.outer_bytes = static_cast<std::ptrdiff_t>(b.inner_weights) * steps.inner_bytes;
  }
  return steps;
}

/// The products of one group with weights `w` of a float format.
template <class B, class F, class T, class W>
TESSERA_INLINE FloatProduct float_product(const W& w) noexcept {
  using To = typename B::FloatAtom::tile;
  FloatProduct p = {};
  p.sources = W::sources;
  p.n = w.n;
  p.k = w.k;
  if constexpr (W::packed) {
    for (std::size_t i = 0; i < W::sources; ++i) p.images[i] = w.source(i).data();
    p.panel_bytes = PanelLayout<F, T>::panel_bytes(w.k);
    if constexpr (!MatmulPlan<B, F, T>::reads_floats_in_place)
      p.decode = [](const FloatProduct& of, const std::byte* image, std::size_t n0,
                    float* out) noexcept {
        decode_floats<B, F, T, To>(image, of.n, of.k, n0, out);
      };
  } else {
    p.images[0] = w.data;
    p.row_bytes = w.row_bytes;
    p.element_bytes = w.element_bytes;
    p.decode = [](const FloatProduct& of, const std::byte* image, std::size_t n0,
                  float* out) noexcept {
      decode_stored_floats<B, F, To::n>({image, of.n, of.k, of.row_bytes, of.element_bytes}, n0,
                                        out);
    };
  }
  return p;
}

/// The same for a block format.
template <class B, class F, class T, class W>
TESSERA_INLINE BlockProduct block_product(const MatmulPlan<B, F, T>& plan, const W& w) noexcept {
  BlockProduct p = {{}, W::sources, plan.code_scratch(), plan.scale_scratch(), plan.scratch()};
  if constexpr (W::packed) {
    for (std::size_t i = 0; i < W::sources; ++i)
      p.w[i] =
          panel_source<F, T>(w.source(i).data(), w.n, w.k, tile_shape<typename B::DotAtom::tile>);
  } else {
    static_assert(!RowFormat<F>, "StoredRows: not of a format with a scale per row; pack them");
    p.w[0] = stored_rows_source<F>(w.data, w.n, w.k, w.row_bytes);
  }
  return p;
}

/// Units `range` of a product with a block format. Of F only scale_group and has_minima are asked.
template <class B, class F>
TESSERA_INLINE void multiply_product(const BlockProduct& product, const Schedule& schedule,
                                     const RowTiles<typename B::DotAtom>& rows, std::byte* scratch,
                                     UnitRange range, const Finish& finish) noexcept {
  if constexpr (requires { typename B::DotAtom::RowSums; }) {
    if (has_single_rows<B, F>(product, schedule))
      return multiply_blocks_and_rows<B>(product, schedule, rows, scratch, range, finish);
  }
  multiply_blocks<B, F::scale_group, F::has_minima>(product, schedule, rows, scratch, range,
                                                    finish);
}

/// Units `range` of products with weights `w`. `rows`: RowTiles, or FloatRows for a float format.
template <class B, class F, class T, class W, class Rows>
TESSERA_INLINE void multiply(const MatmulPlan<B, F, T>& plan, const W& w, const Schedule& schedule,
                             const Rows& rows, std::byte* scratch, UnitRange range,
                             const Finish& finish) noexcept {
  if constexpr (F::is_float) {
    multiply_floats<B>(float_product<B, F, T>(w), schedule, rows, scratch, range, finish);
  } else {
    multiply_product<B, F>(block_product(plan, w), schedule, rows, scratch, range, finish);
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_MATMUL_WEIGHTS_HPP_
