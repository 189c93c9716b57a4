// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Query rows against a block of keys: float products, or integer ones by the backend's tiles.
#ifndef TESSERA_KERNELS_ATTENTION_KEY_TILE_HPP_
#define TESSERA_KERNELS_ATTENTION_KEY_TILE_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/attention/decode_rows.hpp"
#include "tessera/kernels/attention/problem.hpp"
#include "tessera/kernels/matmul/quantize_rows.hpp"
#include "tessera/tile/dot_block.hpp"
#include "tessera/tile/fma_block.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Columns of a row of scores: a block of keys in whole register blocks.
template <class B>
inline constexpr std::size_t score_columns =
    div_up(attention_block, B::KeyAtom::panels* B::KeyAtom::tile::n) * B::KeyAtom::panels *
    B::KeyAtom::tile::n;

/// The query rows of a unit and one block of keys, in scratch.
template <class B>
class KeyTile {
  using Atom = typename B::KeyAtom;
  using T = typename Atom::block_tile;
  static_assert(score_columns<B> <= AttentionScratch::key_columns);
  static_assert(Atom::row_tiles * T::m <= AttentionScratch::row_multiple &&
                Atom::a_scale_lanes <= AttentionScratch::lanes_per_scale * T::m &&
                Atom::b_scale_lanes <= AttentionScratch::lanes_per_scale * T::n);

 public:
  static constexpr std::size_t ld = score_columns<B>;

  TESSERA_INLINE KeyTile(std::byte* scratch, const AttentionScratch& layout) noexcept
      : dk_(layout.dk),
        groups_(layout.groups()),
        query_(reinterpret_cast<float*>(scratch)),
        query_codes_(scratch + layout.query_codes()),
        floats_(reinterpret_cast<float*>(scratch + layout.key_tile())),
        codes_(reinterpret_cast<std::int8_t*>(scratch + layout.key_tile())),
        scales_(reinterpret_cast<float*>(scratch + layout.key_scales())),
        raw_scales_(reinterpret_cast<Float16*>(scratch + layout.raw_scales())) {}

  /// Row r of the query, to be filled before quantize() or score().
  TESSERA_INLINE float* query_row(std::size_t r) noexcept { return query_ + r * dk_; }

  TESSERA_NOINLINE void quantize(std::size_t rows) noexcept {
    const auto view = matrix<const float>(query_, rows, dk_);
    for (std::size_t t = 0; t < div_up(rows, T::m); ++t)
      quantize_row_tile<B, Atom>(view, t, ActivationNeeds(), query_codes_);
  }

  /// n keys in f32: lanes run across them.
  TESSERA_INLINE void set_keys(const float* const* rows, std::size_t n) noexcept {
    B::Vectors::transpose(rows, n, dk_, floats_, attention_block);
  }
  /// The f32 keys, [element][attention_block].
  TESSERA_INLINE float* floats() noexcept { return floats_; }

  /// n keys as codes.
  TESSERA_INLINE void set_keys(LoadCodes load, const std::byte* const* rows,
                               std::size_t n) noexcept {
    load(rows, n, {codes_, raw_scales_, groups_});
    expand_scales();
  }

  /// scores[row][key] of n keys, rows ld apart. One fma chain over ascending d each, or one over
  /// ascending groups.
  TESSERA_NOINLINE void score(std::size_t rows, std::size_t n, float* scores) noexcept {
    fma_rows<B>(query_, static_cast<std::ptrdiff_t>(dk_), floats_,
                static_cast<std::ptrdiff_t>(attention_block), dk_, rows, n, scores,
                static_cast<std::ptrdiff_t>(ld));
  }
  TESSERA_NOINLINE void score_codes(std::size_t rows, std::size_t n, float* scores) noexcept {
    const QuantizedRows<Atom> quantized(rows, dk_, ActivationNeeds());
    const std::size_t panels = div_up(n, T::n);
    for (std::size_t j0 = 0; j0 < panels; j0 += Atom::panels) {
      std::size_t t = 0;
      for (; t + Atom::row_tiles <= quantized.row_tiles; t += Atom::row_tiles)
        score_panels<Atom::row_tiles>(quantized, t, j0, panels, scores);
      for (; t < quantized.row_tiles; ++t) score_panels<1>(quantized, t, j0, panels, scores);
    }
  }

 private:
  template <std::size_t MR>
  TESSERA_INLINE void score_panels(const QuantizedRows<Atom>& quantized, std::size_t t,
                                   std::size_t j0, std::size_t panels, float* scores) noexcept {
    DotOperands<MR, Atom::panels> in = {};
    in.groups = groups_;
    for (std::size_t i = 0; i < MR; ++i) {
      in.a_codes[i] = quantized.codes(query_codes_, t + i);
      in.a_scales[i] = quantized.scales(query_codes_, t + i);
      in.a_sums[i] = quantized.sums(query_codes_, t + i);
    }
    for (std::size_t j = 0; j < Atom::panels; ++j) {
      // A register block that sticks out repeats its last panel: computed, never read.
      const std::size_t panel = j0 + j < panels ? j0 + j : panels - 1;
      in.b_codes[j] = codes_ + panel * groups_ * T::n * activation_group;
      in.b_scales[j] = scales_ + panel * groups_ * Atom::b_scale_lanes;
    }
    dot_block<Atom, activation_group, MR, Atom::panels>(in, scores + t * T::m * ld + j0 * T::n, ld);
  }

  /// The stored scales to f32, laid out for the atom's accumulators.
  TESSERA_NOINLINE void expand_scales() noexcept {
    constexpr std::size_t panels = div_up(attention_block, T::n);
    for (std::size_t g = 0; g < groups_; ++g) {
      float scales[panels * T::n] = {};
      const Float16* raw = raw_scales_ + g * attention_block;
      B::Vectors::template for_lanes<8>(attention_block, [&](auto d, std::size_t i) TESSERA_LAMBDA {
        d.store(scales + i, d.load(raw + i));
      });
      for (std::size_t j = 0; j < panels; ++j)
        Atom::expand_b(scales + j * T::n, scales_ + (j * groups_ + g) * Atom::b_scale_lanes);
    }
  }

  std::size_t dk_;
  std::size_t groups_;
  float* query_;
  std::byte* query_codes_;
  float* floats_;
  std::int8_t* codes_;
  float* scales_;
  Float16* raw_scales_;
};

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ATTENTION_KEY_TILE_HPP_
