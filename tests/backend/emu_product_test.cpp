// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The emu backend's products in lanes against the instructions' definition, bit for bit.
#include "tessera/backend/emu/product.hpp"
#include "tessera/isa/ime/all.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

namespace ime = tessera::ime;

// Operands of one value each: the sums and the products are then the largest that there are.
template <class Insn, ime::Profile P>
void agrees(const char* core) {
  SCOPED_TRACE(std::string(core) + " " + Insn::mnemonic);
  constexpr ime::Tile tile = ime::dot_tile(P, Insn::element);
  constexpr auto bytes = static_cast<std::size_t>(P.vlen_bytes());
  std::mt19937 random(20240917);
  // One more byte: registers of an emulated program may lie anywhere.
  std::vector<std::uint8_t> a(bytes + 1), b(bytes + 1), c(2 * bytes + 1);
  std::vector<std::int32_t> expected(static_cast<std::size_t>(tile.m * tile.n));
  for (int repetition = 0; repetition < 400; ++repetition) {
    for (auto* operand : {&a, &b, &c}) {
      for (auto& byte : *operand) byte = static_cast<std::uint8_t>(random());
    }
    constexpr std::uint8_t extremes[] = {0x80, 0xff, 0x7f, 0x88, 0x77};
    if (repetition < 25) {
      std::memset(a.data(), extremes[repetition / 5], a.size());
      std::memset(b.data(), extremes[repetition % 5], b.size());
    }
    const std::size_t offset = repetition % 2;
    std::memcpy(expected.data(), c.data() + offset, 2 * bytes);
    ime::exec_tile<Insn, P>(expected.data(), a.data() + offset, b.data() + offset);
    tessera::detail::emu_product<P>(Insn{}).multiply(c.data() + offset, a.data() + offset,
                                                     b.data() + offset);
    ASSERT_EQ(std::memcmp(c.data() + offset, expected.data(), 2 * bytes), 0) << repetition;
  }
}

template <ime::Element E, ime::Profile P>
void every_signedness_agrees(const char* core) {
  agrees<ime::Vmadot<E>, P>(core);
  agrees<ime::Vmadotu<E>, P>(core);
  agrees<ime::Vmadotsu<E>, P>(core);
  agrees<ime::Vmadotus<E>, P>(core);
}

TEST(EmuProduct, agrees_with_the_definition) {
  every_signedness_agrees<ime::Element::int8, ime::k1>("k1");
  every_signedness_agrees<ime::Element::int8, ime::k3>("k3");
  every_signedness_agrees<ime::Element::int4, ime::k3>("k3 int4");
}

}  // namespace
