// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Every instruction on every profile that has it, as test types, and a tile that can be run by both
// the library and the witness.
#ifndef TESSERA_TESTS_ISA_TILES_HPP_
#define TESSERA_TESTS_ISA_TILES_HPP_

#include "tessera/isa/ime/all.hpp"
#include "tests/isa/witness.hpp"

#include <gtest/gtest.h>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace tile_tests {

namespace ime = tessera::ime;
using ime::Element;

template <class InsnType, ime::Profile ProfileValue>
struct Case {
  using Insn = InsnType;
  static constexpr ime::Profile profile = ProfileValue;
  static constexpr ime::Tile tile = ime::dot_tile(ProfileValue, Insn::element);
  static constexpr int bits = Insn::element == Element::int4 ? 4 : 8;

  // From the mnemonic's letters, not from the library's template arguments.
  static constexpr std::string_view suffix() {
    return std::string_view(Insn::mnemonic).substr(std::string_view("smt.vmadot").size());
  }
  static constexpr bool a_signed = suffix() == "" || suffix() == "su";
  static constexpr bool b_signed = suffix() == "" || suffix() == "us";

  static std::vector<std::uint8_t> zero_operand() {
    return std::vector<std::uint8_t>(static_cast<std::size_t>(profile.vlen / 8));
  }
  static std::vector<std::int32_t> zero_sums() {
    return std::vector<std::int32_t>(static_cast<std::size_t>(tile.m * tile.n));
  }
  static void set(std::vector<std::uint8_t>& bytes, int index, int value) {
    if constexpr (bits == 8) {
      bytes.at(index) = static_cast<std::uint8_t>(value);
    } else {
      std::uint8_t& byte = bytes.at(index / 2);
      const int shift = index % 2 == 0 ? 0 : 4;
      byte = static_cast<std::uint8_t>((byte & ~(15 << shift)) | (value & 15) << shift);
    }
  }
  static std::vector<std::int32_t> run(std::vector<std::int32_t> c,
                                       const std::vector<std::uint8_t>& a,
                                       const std::vector<std::uint8_t>& b) {
    ime::exec_tile<Insn, ProfileValue>(c.data(), a.data(), b.data());
    return c;
  }
  static std::vector<std::int32_t> expected(const std::vector<std::int32_t>& c,
                                            const std::vector<std::uint8_t>& a,
                                            const std::vector<std::uint8_t>& b) {
    return witness::multiply({tile.m, tile.n, tile.k, bits, a_signed, b_signed}, c, a, b);
  }
};

using Cases = ::testing::Types<
    Case<ime::Vmadot<Element::int8>, ime::k1>, Case<ime::Vmadotu<Element::int8>, ime::k1>,
    Case<ime::Vmadotsu<Element::int8>, ime::k1>, Case<ime::Vmadotus<Element::int8>, ime::k1>,
    Case<ime::Vmadot<Element::int8>, ime::x100>, Case<ime::Vmadotu<Element::int8>, ime::x100>,
    Case<ime::Vmadotsu<Element::int8>, ime::x100>, Case<ime::Vmadotus<Element::int8>, ime::x100>,
    Case<ime::Vmadot<Element::int8>, ime::k3>, Case<ime::Vmadotu<Element::int8>, ime::k3>,
    Case<ime::Vmadotsu<Element::int8>, ime::k3>, Case<ime::Vmadotus<Element::int8>, ime::k3>,
    Case<ime::Vmadot<Element::int4>, ime::k3>, Case<ime::Vmadotu<Element::int4>, ime::k3>,
    Case<ime::Vmadotsu<Element::int4>, ime::k3>, Case<ime::Vmadotus<Element::int4>, ime::k3>>;

inline std::vector<std::uint8_t> random_bytes(std::mt19937& random, std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

inline std::vector<std::int32_t> random_sums(std::mt19937& random, std::size_t count) {
  std::vector<std::int32_t> sums(count);
  for (auto& sum : sums) sum = static_cast<std::int32_t>(random());
  return sums;
}

}  // namespace tile_tests

#endif  // TESSERA_TESTS_ISA_TILES_HPP_
