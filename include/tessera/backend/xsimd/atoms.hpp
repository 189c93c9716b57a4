// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Tile operations of the xsimd backend.
#ifndef TESSERA_BACKEND_XSIMD_ATOMS_HPP_
#define TESSERA_BACKEND_XSIMD_ATOMS_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/backend/pack_lanes.hpp"
#include "tessera/backend/xsimd/register.hpp"
#include "tessera/config.hpp"
#include "tessera/core/unroll.hpp"
#include "tessera/tile/scale_lanes.hpp"
#include "tessera/tile/tile.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// int8 x int8 -> int32, 1x16x4. xsimd has no byte products: codes are multiplied as floats, whose
/// fma is exact while a group's sum stays below 2^24.
struct XsimdDot : ColumnScales<tile::columns16> {
  using tile = tessera::tile::columns16;
  static constexpr const char* name = "fma";
  static constexpr std::size_t row_tiles = XsimdRegister::lanes == 16 ? 8 : 4;
  static constexpr std::size_t panels = 1;

  template <class Body>
  TESSERA_INLINE static void for_strips(Body&& body) {
    body(Lanes(), std::size_t{0});
  }
  template <class D>
  TESSERA_INLINE static auto start(D d, const std::int32_t*, std::size_t) noexcept {
    return d.set_i32(0);
  }
  template <std::size_t KSteps, std::size_t MR, std::size_t NR, class D, class... Acc>
  TESSERA_INLINE static void group(D d, std::size_t, const std::int8_t* const (&a)[MR],
                                   const std::int8_t* const (&b)[NR], Acc&... acc) noexcept {
    constexpr std::size_t length = KSteps * tile::k;
    static_assert(length * 128 * 128 <= 1 << 24, "the group's sum may not be exact in a float");
    alignas(64) float codes[MR][length];
    for (std::size_t i = 0; i < MR; ++i) to_floats<length>(a[i], codes[i]);
    with_accumulators<MR * NR>(
        [&]() TESSERA_LAMBDA { return d.set(0.0f); },
        [&](auto&... sums) TESSERA_LAMBDA {
          for (std::size_t q = 0; q < KSteps; ++q) {
            unroll<NR>([&](auto j) TESSERA_LAMBDA {
              const auto four = load_words(b[j] + q * tile::n * tile::k);
              unroll<tile::k>([&](auto k) TESSERA_LAMBDA {
                const auto w = weight<decltype(k)::value>(d, four);
                unroll<MR>([&](auto i) TESSERA_LAMBDA {
                  auto& sum = nth<decltype(i)::value * NR + decltype(j)::value>(sums...);
                  sum = d.fma(d.set(codes[i][q * tile::k + k]), w, sum);
                });
              });
            });
          }
          ((acc = d.iadd(acc, d.round_to_i32(sums))), ...);
        });
  }

 private:
  using Lanes = PackLanes<XsimdRegister, tile::n / XsimdRegister::lanes, true>;

  template <std::size_t N>
  TESSERA_INLINE static void to_floats(const std::int8_t* codes, float* to) noexcept {
    static_assert(N % XsimdRegister::lanes == 0);
    for (std::size_t k = 0; k < N; k += XsimdRegister::lanes)
      XsimdRegister::store(to + k, XsimdRegister::to_f32(XsimdRegister::load_i8(codes + k)));
  }
  /// Four codes of each column, one column a lane. The panel's alignment is 64.
  TESSERA_INLINE static Lanes::I32 load_words(const std::int8_t* p) noexcept {
    return Lanes().load_i32(reinterpret_cast<const std::int32_t*>(p));
  }
  /// Code k of each column.
  template <std::size_t k, class D>
  TESSERA_INLINE static auto weight(D d, const typename D::I32& four) noexcept {
    if constexpr (k == 3) {
      return d.to_f32(d.template sra<24>(four));
    } else {
      return d.to_f32(d.template sra<24>(d.template shl<24 - 8 * static_cast<int>(k)>(four)));
    }
  }
};

/// Two registers per row: a panel's 16 columns are one with AVX-512, two with AVX2, four on AArch64
/// (walked singly, doubly, as two pairs); wider operands give each broadcast two uses.
struct XsimdFma {
  using tile = tessera::tile::floats16;
  static constexpr const char* name = "fma";
  static constexpr std::size_t rows = XsimdRegister::lanes == 16 ? 8 : 4;
  static constexpr std::size_t registers = 2;
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_XSIMD_ATOMS_HPP_
