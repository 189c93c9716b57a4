// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The integer products of isa/ime computed in 16-byte lanes: the same bits, for programs that
/// execute many of them natively.
#ifndef TESSERA_BACKEND_EMU_PRODUCT_HPP_
#define TESSERA_BACKEND_EMU_PRODUCT_HPP_

#include <cstdint>
#include <cstring>

#include "tessera/config.hpp"
#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/insns/dot.hpp"
#include "tessera/isa/ime/insns/elements.hpp"
#include "tessera/isa/ime/numerics.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

using Int8x8 = std::int8_t __attribute__((vector_size(8)));
using Uint8x8 = std::uint8_t __attribute__((vector_size(8)));
using Int16x8 = std::int16_t __attribute__((vector_size(16)));
using Uint16x8 = std::uint16_t __attribute__((vector_size(16)));
using Int32x4 = std::int32_t __attribute__((vector_size(16)));
using Uint32x4 = std::uint32_t __attribute__((vector_size(16)));

/// The twin of ime::Dot<E, A, B>::tile on profile P.
template <ime::Element E, ime::Reading A, ime::Reading B, ime::Profile P>
struct EmuProduct {
  static constexpr ime::Tile tile = ime::dot_tile(P, E);
  static constexpr int bits = ime::element_bits(E);
  static constexpr int chunks = tile.k / 8;  ///< of 8 elements, in a row
  static_assert(tile.n % 4 == 0 && tile.k % 8 == 0);

  /// c[N*i + j] += sum over q of a[K*i + q] * b[K*j + q], wrapping. `c` is M * N int32 of any
  /// alignment, `a` and `b` are a register's bytes each.
  TESSERA_INLINE static void multiply(void* c, const std::uint8_t* a,
                                      const std::uint8_t* b) noexcept {
    Int16x8 wide_b[tile.n * chunks];
    for (int e = 0; e < tile.n * chunks; ++e) wide_b[e] = widened<B>(b + e * bits);
    auto* row = static_cast<std::uint8_t*>(c);
    for (int i = 0; i < tile.m; ++i) {
      Int16x8 wide_a[chunks];
      for (int e = 0; e < chunks; ++e) wide_a[e] = widened<A>(a + (i * chunks + e) * bits);
      for (int j = 0; j < tile.n; j += 4) {
        const Int16x8* columns = wide_b + j * chunks;
        accumulate(row + 4 * j, transposed_sums(dot(wide_a, columns), dot(wide_a, columns + chunks),
                                                dot(wide_a, columns + 2 * chunks),
                                                dot(wide_a, columns + 3 * chunks)));
      }
      row += 4 * tile.n;
    }
  }

 private:
  // A product of two elements fits 16 bits; unsigned int8 needs all of them.
  static constexpr bool unsigned_products =
      E == ime::Element::int8 && A == ime::Reading::as_unsigned && B == ime::Reading::as_unsigned;

  /// Eight elements; a row of int4 gives the even ones, then the odd ones, of each four bytes: the
  /// same order in both operands.
  template <ime::Reading R>
  TESSERA_INLINE static Int16x8 widened(const std::uint8_t* from) noexcept {
    Uint8x8 bytes{};
    if constexpr (E == ime::Element::int4) {
      std::uint32_t packed;
      std::memcpy(&packed, from, sizeof packed);
      const std::uint64_t nibbles = (packed & 0x0f0f0f0full) | (packed & 0xf0f0f0f0ull) << 28;
      std::memcpy(&bytes, &nibbles, sizeof bytes);
      if constexpr (R == ime::Reading::as_signed) bytes = (bytes ^ 8) - 8;
    } else {
      std::memcpy(&bytes, from, sizeof bytes);
    }
    if constexpr (R == ime::Reading::as_signed) {
      return __builtin_convertvector(reinterpret_cast<Int8x8>(bytes), Int16x8);
    }
    return __builtin_convertvector(bytes, Int16x8);
  }

  TESSERA_INLINE static Int32x4 pairwise_sums(Int16x8 products) noexcept {
    if constexpr (unsigned_products) {
      const auto pairs = reinterpret_cast<Uint32x4>(products);
      return reinterpret_cast<Int32x4>((pairs & 0xffff) + (pairs >> 16));
    }
    const auto pairs = reinterpret_cast<Int32x4>(products);
    const auto low = reinterpret_cast<Uint32x4>(products) << 16;
    return (reinterpret_cast<Int32x4>(low) >> 16) + (pairs >> 16);
  }

  /// Four partial sums of one row of A with one row of B.
  TESSERA_INLINE static Int32x4 dot(const Int16x8* a, const Int16x8* b) noexcept {
    // Multiplied as unsigned, whose overflow is defined: the low 16 bits are the product.
    if constexpr (E == ime::Element::int4) {
      Uint16x8 sums{};  // of at most 4 products: 900
      for (int e = 0; e < chunks; ++e) {
        sums += reinterpret_cast<Uint16x8>(a[e]) * reinterpret_cast<Uint16x8>(b[e]);
      }
      return pairwise_sums(reinterpret_cast<Int16x8>(sums));
    }
    Int32x4 sums{};
    for (int e = 0; e < chunks; ++e) {
      sums += pairwise_sums(reinterpret_cast<Int16x8>(reinterpret_cast<Uint16x8>(a[e]) *
                                                      reinterpret_cast<Uint16x8>(b[e])));
    }
    return sums;
  }

  TESSERA_INLINE static Int32x4 zipped_low(Int32x4 x, Int32x4 y) noexcept {
    return __builtin_shufflevector(x, y, 0, 4, 1, 5);
  }
  TESSERA_INLINE static Int32x4 zipped_high(Int32x4 x, Int32x4 y) noexcept {
    return __builtin_shufflevector(x, y, 2, 6, 3, 7);
  }

  /// {sum of x, sum of y, sum of z, sum of w}. By zips alone: GCC 14 for RVV makes lanes 2 and 3 of
  /// a shuffle 0, 1, 4, 5 by vslideup under an agnostic tail, which may lose them.
  TESSERA_INLINE static Int32x4 transposed_sums(Int32x4 x, Int32x4 y, Int32x4 z,
                                                Int32x4 w) noexcept {
    const Int32x4 xz = zipped_low(x, z) + zipped_high(x, z);
    const Int32x4 yw = zipped_low(y, w) + zipped_high(y, w);
    return zipped_low(xz, yw) + zipped_high(xz, yw);
  }

  TESSERA_INLINE static void accumulate(std::uint8_t* c, Int32x4 sums) noexcept {
    std::int32_t old[4];
    std::memcpy(old, c, sizeof old);
    for (int j = 0; j < 4; ++j) old[j] = ime::DefaultNumerics::accumulate_int32(old[j], sums[j]);
    std::memcpy(c, old, sizeof old);
  }
};

/// The twin of an instruction that is a Dot; Insn{} converts to its base.
template <ime::Profile P, ime::Element E, ime::Reading A, ime::Reading B>
TESSERA_INLINE constexpr EmuProduct<E, A, B, P> emu_product(const ime::Dot<E, A, B>&) noexcept {
  return {};
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_EMU_PRODUCT_HPP_
