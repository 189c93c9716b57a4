// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The runtime's products, several columns to a word, against the instructions' definition.
#include "emu/trap/scalar_product.hpp"

#include <gtest/gtest.h>
#include <cstring>
#include <random>

namespace {

namespace ime = tessera::ime;

template <ime::Element E, ime::Reading A, ime::Reading B, ime::Profile P>
void agrees() {
  constexpr auto size = static_cast<std::size_t>(P.vlen_bytes());
  alignas(4) std::uint8_t a[size], b[size], c[2 * size], expected[2 * size];
  std::mt19937 random(5);
  for (int repetition = 0; repetition < 300; ++repetition) {
    for (auto& byte : a) byte = static_cast<std::uint8_t>(random());
    for (auto& byte : b) byte = static_cast<std::uint8_t>(random());
    for (auto& byte : c) byte = static_cast<std::uint8_t>(random());
    // One value each: the largest sums of either sign, where a field is fullest.
    constexpr std::uint8_t extremes[] = {0x80, 0xff, 0x7f, 0x88, 0x77};
    if (repetition < 25) {
      std::memset(a, extremes[repetition / 5], size);
      std::memset(b, extremes[repetition % 5], size);
    }
    std::int32_t sums[P.vlen_bytes() / 2];
    std::memcpy(sums, c, sizeof sums);
    ime::IntegerTile<E, A, B>::template multiply<P, ime::DefaultNumerics>(sums, a, b);
    std::memcpy(expected, sums, sizeof sums);
    tessera::trap::ScalarProduct<E, A, B, P>::multiply(c, a, b);
    ASSERT_EQ(std::memcmp(c, expected, sizeof c), 0) << repetition;
  }
}

template <ime::Element E, ime::Profile P>
void every_signedness_agrees() {
  constexpr auto s = ime::Reading::as_signed;
  constexpr auto u = ime::Reading::as_unsigned;
  agrees<E, s, s, P>();
  agrees<E, u, u, P>();
  agrees<E, s, u, P>();
  agrees<E, u, s, P>();
}

TEST(ScalarProduct, agrees_with_the_definition) {
  every_signedness_agrees<ime::Element::int8, ime::k1>();
  every_signedness_agrees<ime::Element::int8, ime::k3>();
  every_signedness_agrees<ime::Element::int4, ime::k3>();
}

}  // namespace
