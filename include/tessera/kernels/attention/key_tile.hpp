// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Query rows against a block of keys: float products, or integer ones by the backend's tiles.
#ifndef TESSERA_KERNELS_ATTENTION_KEY_TILE_HPP_
#define TESSERA_KERNELS_ATTENTION_KEY_TILE_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/type_list.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/unroll.hpp"
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

/// The float block of attention, whose rows are few and columns not many.
template <class B>
struct AttentionFmaOf {
  using type = typename B::FloatAtom;
};
template <class B>
  requires requires { typename B::ShortFloatAtom; }
struct AttentionFmaOf<B> {
  using type = typename B::ShortFloatAtom;
};
template <class B>
using AttentionFma = typename AttentionFmaOf<B>::type;

/// out[row] = sum of weights[row][key] * values[key], `rows` of `dv` side by side.
template <class B, class Stride>
TESSERA_INLINE void weighted_sums(const float* weights, Stride apart, const float* values,
                                  std::ptrdiff_t values_apart, std::size_t keys, std::size_t rows,
                                  std::size_t dv, float* out) noexcept {
  const auto sums = [&]<class Atom>(Type<Atom>) TESSERA_LAMBDA {
    fma_rows<B, Atom>(weights, apart, values, values_apart, keys, rows, dv, out,
                      static_cast<std::ptrdiff_t>(dv));
  };
  if constexpr (requires { B::ShortFloatAtom::fills(dv); }) {
    if (!B::ShortFloatAtom::fills(dv)) return sums(Type<typename B::FloatAtom>());
  }
  sums(Type<AttentionFma<B>>());
}

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
        needs_{activation_group, layout.minima ? std::uint8_t{activation_group} : std::uint8_t{0}},
        quantized_(layout.rows, layout.dk, needs_),
        query_(reinterpret_cast<float*>(scratch)),
        query_codes_(scratch + layout.query_codes()),
        floats_(reinterpret_cast<float*>(scratch + layout.key_tile())),
        codes_(reinterpret_cast<std::int8_t*>(scratch + layout.key_tile())),
        scales_(reinterpret_cast<float*>(scratch + layout.key_scales())),
        minima_(reinterpret_cast<float*>(scratch + layout.key_minima())),
        raw_scales_(reinterpret_cast<std::uint16_t*>(scratch + layout.raw_scales())),
        raw_minima_(reinterpret_cast<std::uint16_t*>(scratch + layout.raw_minima())),
        keys_(codes_),
        key_scales_(raw_scales_) {}

  /// Row r of the query, to be filled before quantize() or score().
  TESSERA_INLINE float* query_row(std::size_t r) noexcept { return query_ + r * dk_; }

  TESSERA_NOINLINE void quantize(std::size_t rows) noexcept {
    const auto view = matrix<const float>(query_, rows, dk_);
    quantized_ = QuantizedRows<Atom>(rows, dk_, needs_);
    if (!quantize_by_groups(rows))
      for (std::size_t t = 0; t < quantized_.row_tiles; ++t)
        quantize_row_tile<B, Atom>(view, t, needs_, query_codes_);
    if constexpr (by_key) {
      using Major = typename B::KeyMajor;
      for (std::size_t r = 0; takes_by_key(rows) && r < rows; r += Major::queries) {
        const std::size_t t = r / Major::stacked_rows;
        Major::take_tile(quantized_.codes(query_codes_, t), quantized_.scales(query_codes_, t),
                         r / Major::queries % 2, groups_, major_codes(r), major_scales(r));
      }
    }
  }

  /// n keys in f32: lanes run across them.
  TESSERA_INLINE void set_keys(const float* const* rows, std::size_t n) noexcept {
    B::Vectors::transpose(rows, n, dk_, floats_, attention_block);
  }
  /// The f32 keys, [element][attention_block].
  TESSERA_INLINE float* floats() noexcept { return floats_; }

  /// Where keys go as codes; set_scales() when all of a block are there.
  TESSERA_INLINE CodeTile codes() noexcept { return {codes_, raw_scales_, raw_minima_, groups_}; }
  /// Codes and scales in the order of codes() that are read where they lie.
  TESSERA_INLINE void read(const std::byte* codes, const std::byte* scales) noexcept {
    keys_ = reinterpret_cast<const std::int8_t*>(codes);
    key_scales_ = reinterpret_cast<const std::uint16_t*>(scales);
  }

  /// scores[row][key] of n keys, rows ld apart. One fma chain over ascending d each, or one over
  /// ascending groups.
  TESSERA_NOINLINE void score(std::size_t rows, std::size_t n, float* scores) noexcept {
    fma_rows<B, AttentionFma<B>>(query_, static_cast<std::ptrdiff_t>(dk_), floats_,
                                 static_cast<std::ptrdiff_t>(attention_block), dk_, rows, n, scores,
                                 static_cast<std::ptrdiff_t>(ld));
  }
  TESSERA_INLINE void score_codes(std::size_t n, float* scores) noexcept {
    if (needs_.weighted_sums(activation_group)) {
      score_code_blocks<true>(n, scores);
    } else {
      score_code_blocks<false>(n, scores);
    }
  }

  /// Can scores come out key by key? Their rows are [tile of queries][attention_block][queries] then.
  static constexpr bool by_key = requires { typename B::KeyMajor; };
  /// So many rows, that is: what a tile of keys leaves of its memory holds no more.
  TESSERA_INLINE static bool takes_by_key(std::size_t rows) noexcept {
    return rows <= internal::attention_rows;
  }
  TESSERA_NOINLINE void score_by_key(std::size_t rows, float* scores) noexcept {
    if constexpr (by_key) {
      using Major = typename B::KeyMajor;
      static_assert(Major::keys == attention_block);
      for (std::size_t r = 0; r < rows; r += Major::queries) {
        Major::multiply_scales(key_scales_, major_scales(r), groups_, scales_);
        Major::score(keys_, major_codes(r), scales_, groups_, scores + r * attention_block);
      }
    }
  }

  /// The stored scales and minima to f32, laid out for the atom's accumulators.
  TESSERA_INLINE void set_scales() noexcept {
    expand(key_scales_, scales_);
    if (needs_.weighted_sums(activation_group)) expand(raw_minima_, minima_);
  }

 private:
  /// Quantises all rows if the backend can do so by groups, and the groups are plain numbers.
  TESSERA_INLINE bool quantize_by_groups(std::size_t rows) noexcept {
    if constexpr (requires { typename B::QueryRows; }) {
      using Rows = typename B::QueryRows;
      if (dk_ % activation_group != 0 || needs_.weighted_sums(activation_group) ||
          !takes_by_key(rows))
        return false;
      // Through the memory of the first keys.
      if (!Rows::quantize(query_, rows * groups_, codes_, scales_)) return false;
      Rows::stack(codes_, scales_, rows, groups_, quantized_.codes(query_codes_, 0),
                  quantized_.scales(query_codes_, 0));
      return true;
    } else {
      (void)rows;
      return false;
    }
  }

  /// The query tile that begins with row r, behind the keys' codes and products of scales.
  TESSERA_INLINE std::int8_t* major_codes(std::size_t r) noexcept {
    return codes_ + (attention_block + r) * groups_ * activation_group;
  }
  TESSERA_INLINE float* major_scales(std::size_t r) noexcept {
    using Major = typename B::KeyMajor;
    return scales_ + groups_ * (Major::product_lanes + r / Major::queries * Major::scale_lanes);
  }

  TESSERA_NOINLINE void expand(const std::uint16_t* halves, float* lanes) noexcept {
    constexpr std::size_t panels = div_up(attention_block, T::n);
    const std::size_t apart = groups_ * Atom::b_scale_lanes;  // panels
    for (std::size_t g = 0; g < groups_; ++g) {
      const auto* raw = reinterpret_cast<const Float16*>(halves + g * attention_block);
      float floats[panels * T::n];
      float* const out = lanes + g * Atom::b_scale_lanes;
      float* const to = panels == 1 && Atom::b_scale_lanes == T::n ? out : floats;
      if constexpr (panels * T::n != attention_block)
        for (std::size_t j = attention_block; j < panels * T::n; ++j) floats[j] = 0.0f;
      B::Vectors::template for_lanes<4>(attention_block, [&](auto d, std::size_t i) TESSERA_LAMBDA {
        d.store(to + i, d.load(raw + i));
      });
      if (to == out) continue;
      if constexpr (requires { Atom::expand_columns(floats, panels, out, apart); }) {
        Atom::expand_columns(floats, panels, out, apart);
      } else {
        for (std::size_t j = 0; j < panels; ++j) Atom::expand_b(floats + j * T::n, out + j * apart);
      }
    }
  }

  template <bool Minima>
  TESSERA_NOINLINE void score_code_blocks(std::size_t n, float* scores) noexcept {
    const std::size_t panels = div_up(n, T::n);
    for (std::size_t j0 = 0; j0 < panels; j0 += Atom::panels) {
      std::size_t t = 0;
      if constexpr (requires { Atom::many_rows; })
        for (; Atom::takes_many_rows() && t + Atom::many_rows <= quantized_.row_tiles;
             t += Atom::many_rows)
          score_panels<Atom::many_rows, Minima>(t, j0, panels, scores);
      for (; t + Atom::row_tiles <= quantized_.row_tiles; t += Atom::row_tiles)
        score_panels<Atom::row_tiles, Minima>(t, j0, panels, scores);
      if constexpr (Atom::row_tiles > 2)
        for (; t + 2 <= quantized_.row_tiles; t += 2)
          score_panels<2, Minima>(t, j0, panels, scores);
      for (; t < quantized_.row_tiles; ++t) score_panels<1, Minima>(t, j0, panels, scores);
    }
  }

  // Apart, for together they want more registers than there are.
  template <std::size_t MR, bool Minima>
  TESSERA_NOINLINE void score_panels(std::size_t t, std::size_t j0, std::size_t panels,
                                     float* scores) noexcept {
    DotOperands<MR, Atom::panels> in;
    if constexpr (!requires { Atom::sums_in_memory; }) in = {};  // is copied whole
    in.groups = groups_;
    for (std::size_t i = 0; i < MR; ++i) {
      in.a_codes[i] = quantized_.codes(query_codes_, t + i);
      in.a_scales[i] = quantized_.scales(query_codes_, t + i);
      in.a_sums[i] = quantized_.sums(query_codes_, t + i);
      if constexpr (Minima) in.a_weighted_sums[i] = quantized_.weighted_sums(query_codes_, t + i);
    }
    for (std::size_t j = 0; j < Atom::panels; ++j) {
      // A register block that sticks out repeats its last panel: computed, never read.
      const std::size_t panel = j0 + j < panels ? j0 + j : panels - 1;
      in.b_codes[j] = keys_ + panel * groups_ * T::n * activation_group;
      in.b_scales[j] = scales_ + panel * groups_ * Atom::b_scale_lanes;
      if constexpr (Minima) in.b_minus_minima[j] = minima_ + panel * groups_ * Atom::b_scale_lanes;
    }
    float* const out = scores + t * T::m * ld + j0 * T::n;
    if constexpr (requires { Atom::sums_in_memory; }) {
      dot_block_in_memory<Atom, activation_group, MR, Minima>(in, out, ld);
    } else {
      dot_block<Atom, activation_group, MR, Atom::panels, Minima>(in, out, ld);
    }
  }

  std::size_t dk_;
  std::size_t groups_;
  ActivationNeeds needs_;
  QuantizedRows<Atom> quantized_;  ///< where the unit's rows lie as codes
  float* query_;
  std::byte* query_codes_;
  float* floats_;
  std::int8_t* codes_;
  float* scales_;
  float* minima_;
  std::uint16_t* raw_scales_;
  std::uint16_t* raw_minima_;
  const std::int8_t* keys_;  ///< of the block at hand
  const std::uint16_t* key_scales_;
};

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ATTENTION_KEY_TILE_HPP_
