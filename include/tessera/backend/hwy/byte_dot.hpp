// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Four int8 products summed into each i32 lane, exactly, by the target's byte dot products.
#ifndef TESSERA_BACKEND_HWY_BYTE_DOT_HPP_
#define TESSERA_BACKEND_HWY_BYTE_DOT_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/backend/hwy/register.hpp"
#include "tessera/backend/hwy/target.hpp"
#include "tessera/backend/pack_lanes.hpp"
#include "tessera/config.hpp"
#include "tessera/core/unroll.hpp"
#include "tessera/tile/scale_lanes.hpp"
#include "tessera/tile/tile.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

using HwyBytes = hn::Repartition<std::int8_t, hn::ScalableTag<std::int32_t>>;
using HwyUnsignedBytes = hn::RebindToUnsigned<HwyBytes>;

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL

/// vpdpbusd: unsigned weights times signed activations. Weights are read with 128 added, so the
/// accumulator starts from -128 times the activations' sum.
struct HwyByteProduct {
  static constexpr const char* name = "vpdpbusd";
  static constexpr std::int32_t weight_offset = 128;
  static constexpr std::size_t row_tiles = 4;  // 4 x 3: 12 sums, 12 totals, 3 weights, 1 activation
  static constexpr std::size_t panels = 3;
  using Weights = hn::VFromD<HwyUnsignedBytes>;

  TESSERA_INLINE static Weights load(const std::int8_t* p) {
    const HwyUnsignedBytes du;
    return hn::Xor(hn::BitCast(du, hn::LoadU(HwyBytes(), p)), hn::Set(du, std::uint8_t{0x80}));
  }
  TESSERA_INLINE static HwyRegister::I add(Weights w, HwyRegister::I a, HwyRegister::I sum) {
    const hn::ScalableTag<std::int32_t> di;
    return hn::SumOfMulQuadAccumulate(di, w, hn::BitCast(HwyBytes(), a), sum);
  }
};

#elif HWY_ARCH_X86

/// vpmaddubsw of |w| and a * sign(w): exact, since 2 * 128 * 127 < 2^15.
struct HwyByteProduct {
  static constexpr const char* name = "vpmaddubsw";
  static constexpr std::int32_t weight_offset = 0;
  static constexpr std::size_t row_tiles =
      4;  // 4 x 1: 8 sums, 2 weights, 2 |weights|, 1 activation
  static constexpr std::size_t panels = 1;
  using Weights = hn::VFromD<HwyBytes>;

  TESSERA_INLINE static Weights load(const std::int8_t* p) { return hn::LoadU(HwyBytes(), p); }
  TESSERA_INLINE static HwyRegister::I add(Weights w, HwyRegister::I a, HwyRegister::I sum) {
    const hn::ScalableTag<std::int32_t> di;
    const hn::Repartition<std::int16_t, decltype(di)> di16;
    const auto signed_a = hn::IfNegativeThenNegOrUndefIfZero(w, hn::BitCast(HwyBytes(), a));
    const auto magnitude = hn::BitCast(HwyUnsignedBytes(), hn::Abs(w));
    const auto pairs = hn::SatWidenMulPairwiseAdd(di16, magnitude, signed_a);
    return hn::Add(sum, hn::WidenMulPairwiseAdd(di, pairs, hn::Set(di16, std::int16_t{1})));
  }
};

#else

/// sdot where the flags allow it (Highway 1.2 does not use it), widening multiplies elsewhere.
struct HwyByteProduct {
#if defined(__ARM_FEATURE_DOTPROD)
  static constexpr const char* name = "sdot";
#else
  static constexpr const char* name = "smull";
#endif
  static constexpr std::int32_t weight_offset = 0;
  static constexpr std::size_t row_tiles = 4;  // 4 x 1: 16 sums, 4 weights, 1 activation
  static constexpr std::size_t panels = 1;
  using Weights = hn::VFromD<HwyBytes>;

  TESSERA_INLINE static Weights load(const std::int8_t* p) { return hn::LoadU(HwyBytes(), p); }
  TESSERA_INLINE static HwyRegister::I add(Weights w, HwyRegister::I a, HwyRegister::I sum) {
    const auto codes = hn::BitCast(HwyBytes(), a);
#if defined(__ARM_FEATURE_DOTPROD)
    return HwyRegister::I(vdotq_s32(sum.raw, w.raw, codes.raw));
#else
    return hn::SumOfMulQuadAccumulate(hn::ScalableTag<std::int32_t>(), w, codes, sum);
#endif
  }
};

#endif

}  // namespace detail

/// int8 x int8 -> int32, 1x16x4. Activation codes are in [-127, 127], weights may be -128.
struct HwyDot : ColumnScales<tile::columns16> {
  using tile = tessera::tile::columns16;
  using Product = detail::HwyByteProduct;
  static constexpr const char* name = Product::name;
  static constexpr bool needs_sums = Product::weight_offset != 0;
  static constexpr std::size_t row_tiles = Product::row_tiles;
  static constexpr std::size_t panels = Product::panels;

  template <class Body>
  TESSERA_INLINE static void for_strips(Body&& body) {
    body(PackLanes<HwyRegister, registers, true>(), std::size_t{0});
  }
  template <class D>
  TESSERA_INLINE static auto start(D d, const std::int32_t* sums, std::size_t) noexcept {
    if constexpr (Product::weight_offset == 0) {
      return d.set_i32(0);
    } else {
      return d.set_i32(-Product::weight_offset * sums[0]);
    }
  }
  template <std::size_t KSteps, std::size_t MR, std::size_t NR, class D, class... Acc>
  TESSERA_INLINE static void group(D, std::size_t, const std::int8_t* const (&a)[MR],
                                   const std::int8_t* const (&b)[NR], Acc&... acc) noexcept {
    for (std::size_t q = 0; q < KSteps; ++q) {
      typename Product::Weights w[NR * registers];
      unroll<NR>([&](auto j) TESSERA_LAMBDA {
        unroll<registers>([&](auto r) TESSERA_LAMBDA {
          w[j * registers + r] = Product::load(b[j] + (q * registers + r) * bytes);
        });
      });
      unroll<MR>([&](auto i) TESSERA_LAMBDA {
        std::int32_t word;
        __builtin_memcpy(&word, a[i] + q * tile::k, sizeof(word));
        const auto codes = HwyRegister::set_i(word);
        unroll<NR>([&](auto j) TESSERA_LAMBDA {
          unroll<registers>([&](auto r) TESSERA_LAMBDA {
            auto& sum = nth<decltype(i)::value * NR + decltype(j)::value>(acc...).v[r];
            sum = Product::add(w[j * registers + r], codes, sum);
          });
        });
      });
    }
  }

 private:
  static constexpr std::size_t registers = tile::n / HwyRegister::lanes;
  static constexpr std::size_t bytes = HwyRegister::lanes * tile::k;
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_HWY_BYTE_DOT_HPP_
