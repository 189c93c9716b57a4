// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The loops of a matrix product over packed weights: column block outside, row block inside, the
/// whole of K in the register block. One design for many rows and for one.
#ifndef TESSERA_KERNELS_MATMUL_MULTIPLY_HPP_
#define TESSERA_KERNELS_MATMUL_MULTIPLY_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/matmul/plan.hpp"
#include "tessera/kernels/matmul/quantize_rows.hpp"
#include "tessera/tile/decode_panel.hpp"
#include "tessera/tile/dot_block.hpp"
#include "tessera/tile/fma_block.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Rows of finished sums through the epilogue into the output.
template <class B, class E>
TESSERA_INLINE void finish_rows(const float* sums, std::size_t ld, const MatrixView<float>& c,
                                std::size_t m0, std::size_t rows, std::size_t n0,
                                std::size_t columns, const E& epilogue) noexcept {
  for (std::size_t i = 0; i < rows; ++i) {
    float* out = c.row(m0 + i) + n0;
    B::Vectors::template for_lanes<4>(columns, [&](auto d, std::size_t j) TESSERA_LAMBDA {
      d.store(out + j, epilogue(d, d.load(sums + i * ld + j), m0 + i, n0 + j));
    });
  }
}

/// A product with a block format whose types are forgotten: what differs between formats is in `w`, the
/// size of a scale group and whether there are minima, so one kernel serves many formats.
struct BlockProduct {
  PanelSource w;
  std::size_t row_chunks;
  std::size_t chunk_rows;
  std::size_t code_scratch;  ///< bytes of the scratch's three parts (plan.hpp)
  std::size_t scale_scratch;
};

/// The integer blocks of rows [tile0, tile0 + MR) row tiles and one column block.
template <class B, std::size_t Group, bool Minima, std::size_t MR, class E>
TESSERA_INLINE void multiply_row_tiles(DotOperands<MR, B::DotAtom::panels>& in,
                                       const QuantizedRows<typename B::DotAtom>& rows,
                                       std::byte* shared, std::size_t tile0,
                                       const MatrixView<float>& c, std::size_t n0,
                                       const E& epilogue) noexcept {
  using Atom = typename B::DotAtom;
  using T = typename Atom::block_tile;
  constexpr std::size_t ld = Atom::panels * T::n;
  for (std::size_t i = 0; i < MR; ++i) {
    in.a_codes[i] = rows.codes(shared, tile0 + i);
    in.a_scales[i] = rows.scales(shared, tile0 + i);
    in.a_sums[i] = rows.sums(shared, tile0 + i);
    in.a_weighted_sums[i] = rows.weighted_sums(shared, tile0 + i);
  }
  float sums[MR * T::m * ld];
  dot_block<Atom, Group, MR, Atom::panels, Minima>(in, sums, ld);
  const std::size_t m0 = tile0 * T::m;
  const std::size_t m = c.rows - m0 < MR * T::m ? c.rows - m0 : MR * T::m;
  const std::size_t n = c.cols - n0 < ld ? c.cols - n0 : ld;
  finish_rows<B>(sums, ld, c, m0, m, n0, n, epilogue);
}

/// The panels of the column block at n0, decoded into scratch where they cannot be read in place.
template <class B, std::size_t Group, bool Minima, std::size_t MR>
TESSERA_NOINLINE void decode_column_block(const BlockProduct& p, std::byte* scratch, std::size_t n0,
                                          DotOperands<MR, B::DotAtom::panels>& in) noexcept {
  using Atom = typename B::DotAtom;
  using To = typename Atom::tile;
  const PanelSource& w = p.w;
  auto* const codes = reinterpret_cast<std::int8_t*>(scratch);
  auto* const scales = reinterpret_cast<float*>(scratch + p.code_scratch);
  auto* const minima = reinterpret_cast<float*>(scratch + p.code_scratch + p.scale_scratch);
  const std::size_t slices = div_up(w.k, slice_elements);
  std::size_t last = 0;
  for (std::size_t j = 0; j < Atom::panels; ++j) {
    // A column block that sticks out repeats its last panel: computed, never stored.
    const std::size_t at = n0 + j * To::n < w.n ? j : last;
    const std::size_t column = n0 + at * To::n;
    const std::size_t lanes = at * in.groups * Atom::b_scale_lanes;
    in.b_scales[j] = scales + lanes;
    in.b_minus_minima[j] = minima + lanes;
    if (w.in_place) {
      in.b_codes[j] = reinterpret_cast<const std::int8_t*>(
          w.image + sizeof(PackedHeader) + column / To::n * w.panel_bytes + w.codes_at);
    } else {
      in.b_codes[j] = codes + at * slices * slice_elements * To::n;
    }
    if (at == j) {
      expand_scales<B, Atom, Group, Minima>(w, column, scales + lanes, minima + lanes);
      if (!w.in_place)
        decode_levels<B>(w, column, tile_shape<To>, codes + at * slices * slice_elements * To::n);
    }
    last = at;
  }
}

/// Units [begin, end) of a product with a block format; the activations are quantised already.
template <class B, std::size_t Group, bool Minima, class E>
TESSERA_NOINLINE void multiply_blocks(const BlockProduct& p, std::byte* shared, std::byte* scratch,
                                      const MatrixView<float>& c, UnitRange range,
                                      const E& epilogue) noexcept {
  using Atom = typename B::DotAtom;
  using To = typename Atom::block_tile;
  constexpr std::size_t panels = Atom::panels;
  const QuantizedRows<Atom> rows(c.rows, p.w.k, {Group, Minima});
  DotOperands<Atom::row_tiles, panels> many = {};
  DotOperands<1, panels> one = {};
  many.groups = one.groups = rows.sum_groups;
  std::size_t decoded = SIZE_MAX;
  for (std::size_t u = range.begin; u < range.end; ++u) {
    const std::size_t block = u / p.row_chunks;
    const std::size_t n0 = block * panels * To::n;
    if (block != decoded) {
      decoded = block;
      decode_column_block<B, Group, Minima>(p, scratch, n0, many);
      for (std::size_t j = 0; j < panels; ++j) {
        one.b_codes[j] = many.b_codes[j];
        one.b_scales[j] = many.b_scales[j];
        one.b_minus_minima[j] = many.b_minus_minima[j];
      }
    }
    const std::size_t tiles_per_chunk = p.chunk_rows / To::m;
    std::size_t tile = u % p.row_chunks * tiles_per_chunk;
    const std::size_t end =
        tile + tiles_per_chunk < rows.row_tiles ? tile + tiles_per_chunk : rows.row_tiles;
    for (; end - tile >= Atom::row_tiles && tile < end; tile += Atom::row_tiles)
      multiply_row_tiles<B, Group, Minima>(many, rows, shared, tile, c, n0, epilogue);
    for (; tile < end; ++tile)
      multiply_row_tiles<B, Group, Minima>(one, rows, shared, tile, c, n0, epilogue);
  }
}

/// Units [begin, end) of a product with block format F.
template <class B, class F, class T, class E>
TESSERA_INLINE void multiply_quantized(const MatmulPlan<B, F, T>& plan, const std::byte* image,
                                       std::byte* shared, std::byte* scratch,
                                       const MatrixView<float>& c, UnitRange range,
                                       const E& epilogue) noexcept {
  using To = typename B::DotAtom::tile;
  const BlockProduct p{panel_source<F, T>(image, plan.n, plan.k, tile_shape<To>), plan.row_chunks(),
                       plan.chunk_rows, plan.code_scratch(), plan.scale_scratch()};
  multiply_blocks<B, F::scale_group, F::has_minima>(p, shared, scratch, c, range, epilogue);
}

/// Units [begin, end) of a product with a float format.
template <class B, class F, class T, class E>
TESSERA_NOINLINE void multiply_floats(const MatmulPlan<B, F, T>& plan,
                                      const MatrixView<const float>& a, const std::byte* image,
                                      std::byte* scratch, const MatrixView<float>& c,
                                      UnitRange range, const E& epilogue) noexcept {
  using Atom = typename B::FloatAtom;
  using To = typename Atom::tile;
  constexpr auto ld = static_cast<std::ptrdiff_t>(To::n);
  std::size_t decoded = SIZE_MAX;
  const float* panel = nullptr;
  for (std::size_t u = range.begin; u < range.end; ++u) {
    const std::size_t block = u / plan.row_chunks();
    const std::size_t n0 = block * To::n;
    if (block != decoded) {
      decoded = block;
      if constexpr (MatmulPlan<B, F, T>::reads_floats_in_place) {
        panel = reinterpret_cast<const float*>(image + sizeof(PackedHeader) +
                                               block * PanelLayout<F, T>::panel_bytes(plan.k));
      } else {
        auto* to = reinterpret_cast<float*>(scratch);
        decode_floats<B, F, T, To>(image, plan.n, plan.k, n0, to);
        panel = to;
      }
    }
    const std::size_t columns = plan.n - n0 < To::n ? plan.n - n0 : To::n;
    std::size_t m0 = u % plan.row_chunks() * plan.chunk_rows;
    const std::size_t end = m0 + plan.chunk_rows < plan.m ? m0 + plan.chunk_rows : plan.m;
    while (m0 < end) {
      const std::size_t rows = end - m0 < Atom::rows ? end - m0 : Atom::rows;
      float sums[Atom::rows * To::n];
      fma_rows<B>(a.row(m0), a.row_stride, panel, ld, plan.k, rows, columns, sums, ld);
      finish_rows<B>(sums, To::n, c, m0, rows, n0, columns, epilogue);
      m0 += rows;
    }
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_MATMUL_MULTIPLY_HPP_
