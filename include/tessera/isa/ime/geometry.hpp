// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What the cores look like: vector length, extensions and the tile that one instruction computes.
#ifndef TESSERA_ISA_IME_GEOMETRY_HPP_
#define TESSERA_ISA_IME_GEOMETRY_HPP_

#include "tessera/config.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// Element type of the A and B operands (the DT field of the encoding). float16 is either of the
/// 16-bit floating formats; none: the layout instructions, which move bytes.
enum class Element : std::uint8_t { int8, int4, float16, none };

/// Bits of one element; 0 for none.
TESSERA_INLINE constexpr int element_bits(Element element) {
  switch (element) {
    case Element::int8:
      return 8;
    case Element::int4:
      return 4;
    case Element::float16:
      return 16;
    case Element::none:
      return 0;
  }
  return 0;
}

/// Which format 16-bit floats have: the BF16 bit of the machine register MCPM (0x7c1, bit 32), that
/// a program can neither set nor read.
enum class HalfFormat : std::uint8_t { fp16, bf16 };

/// The vendor's extension that holds an instruction. xsmtvdotii contains all of xsmtvdot.
enum class Extension : std::uint8_t { xsmtvdot, xsmtvdotii };

/// The core types that exist.
enum class Core : std::uint8_t { k1, x100, k3 };

/// One core type: everything the meaning of an instruction depends on besides the registers.
/// A structural type, so that it can be a template argument: `emu<ime::k1>`.
struct Profile {
  Core core;
  int vlen;                            ///< bits of one vector register
  Extension highest;                   ///< the last extension it implements
  HalfFormat half = HalfFormat::fp16;  ///< boards are seen to run with fp16

  TESSERA_INLINE constexpr bool has(Extension extension) const {
    return static_cast<int>(extension) <= static_cast<int>(highest);
  }
  TESSERA_INLINE constexpr int vlen_bytes() const { return vlen / 8; }
  TESSERA_INLINE constexpr const char* name() const {
    if (core != Core::k3) return core == Core::k1 ? "k1" : "x100";
    return half == HalfFormat::fp16 ? "k3" : "k3-bf16";
  }
};

/// K1 (core A60), cores 0-3.
inline constexpr Profile k1{Core::k1, 256, Extension::xsmtvdot};
/// K3's X100 cores.
inline constexpr Profile x100{Core::x100, 256, Extension::xsmtvdot};
/// K3's A100 cores.
inline constexpr Profile k3{Core::k3, 1024, Extension::xsmtvdotii};
/// The same with MCPM.BF16 set.
inline constexpr Profile k3_bf16{Core::k3, 1024, Extension::xsmtvdotii, HalfFormat::bf16};

/// What one matrix instruction computes: C (m x n) += A (m x k) * transposed B (n x k).
struct Tile {
  int m;
  int n;
  int k;
  TESSERA_INLINE friend constexpr bool operator==(const Tile&, const Tile&) = default;
};

/// Tile of the dot products on a profile; {0, 0, 0} where the profile has no such tile.
/// A and B fill one register each, C (int32 or fp32) fills two.
TESSERA_INLINE constexpr Tile dot_tile(const Profile& profile, Element element) {
  if (element == Element::none) return {0, 0, 0};
  if (element != Element::int8 && !profile.has(Extension::xsmtvdotii)) return {0, 0, 0};
  const int rows = profile.vlen == 256 ? 4 : profile.vlen == 1024 ? 8 : 0;
  if (rows == 0) return {0, 0, 0};
  return {rows, rows, profile.vlen / element_bits(element) / rows};
}

static_assert(dot_tile(k1, Element::int8) == Tile{4, 4, 8});
static_assert(dot_tile(x100, Element::int8) == Tile{4, 4, 8});
static_assert(dot_tile(k3, Element::int8) == Tile{8, 8, 16});
static_assert(dot_tile(k3, Element::int4) == Tile{8, 8, 32});
static_assert(dot_tile(k3, Element::float16) == Tile{8, 8, 8});
static_assert(dot_tile(k1, Element::int4) == Tile{0, 0, 0});
static_assert(dot_tile(x100, Element::float16) == Tile{0, 0, 0});

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_GEOMETRY_HPP_
