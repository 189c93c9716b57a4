// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What the cores look like: vector length, extensions and the tile that one instruction computes.
#ifndef TESSERA_ISA_IME_GEOMETRY_HPP_
#define TESSERA_ISA_IME_GEOMETRY_HPP_

#include "tessera/config.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// Element type of the A and B operands (the DT field of the encoding).
enum class Element : std::uint8_t { int8, int4 };

/// Bits of one element.
TESSERA_INLINE constexpr int element_bits(Element element) {
  return element == Element::int4 ? 4 : 8;
}

/// The vendor's extension that holds an instruction. xsmtvdotii contains all of xsmtvdot.
enum class Extension : std::uint8_t { xsmtvdot, xsmtvdotii };

/// The core types that exist.
enum class Core : std::uint8_t { k1, x100, k3 };

/// One core type: everything the meaning of an instruction depends on besides the registers.
/// A structural type, so that it can be a template argument: `emu<ime::k1>`.
struct Profile {
  Core core;
  int vlen;           ///< bits of one vector register
  Extension highest;  ///< the last extension it implements

  TESSERA_INLINE constexpr bool has(Extension extension) const {
    return static_cast<int>(extension) <= static_cast<int>(highest);
  }
  TESSERA_INLINE constexpr int vlen_bytes() const { return vlen / 8; }
  TESSERA_INLINE constexpr const char* name() const {
    return core == Core::k1 ? "k1" : core == Core::x100 ? "x100" : "k3";
  }
};

/// K1 (core A60), cores 0-3.
inline constexpr Profile k1{Core::k1, 256, Extension::xsmtvdot};
/// K3's X100 cores.
inline constexpr Profile x100{Core::x100, 256, Extension::xsmtvdot};
/// K3's A100 cores.
inline constexpr Profile k3{Core::k3, 1024, Extension::xsmtvdotii};

/// What one matrix instruction computes: C (m x n) += A (m x k) * transposed B (n x k).
struct Tile {
  int m;
  int n;
  int k;
  TESSERA_INLINE friend constexpr bool operator==(const Tile&, const Tile&) = default;
};

/// Tile of the integer dot products on a profile; {0, 0, 0} where the profile has no such tile.
/// A and B fill one register each, C (int32) fills two.
TESSERA_INLINE constexpr Tile dot_tile(const Profile& profile, Element element) {
  if (element == Element::int4 && !profile.has(Extension::xsmtvdotii)) return {0, 0, 0};
  const int rows = profile.vlen == 256 ? 4 : profile.vlen == 1024 ? 8 : 0;
  if (rows == 0) return {0, 0, 0};
  return {rows, rows, profile.vlen / element_bits(element) / rows};
}

static_assert(dot_tile(k1, Element::int8) == Tile{4, 4, 8});
static_assert(dot_tile(x100, Element::int8) == Tile{4, 4, 8});
static_assert(dot_tile(k3, Element::int8) == Tile{8, 8, 16});
static_assert(dot_tile(k3, Element::int4) == Tile{8, 8, 32});
static_assert(dot_tile(k1, Element::int4) == Tile{0, 0, 0});

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_GEOMETRY_HPP_
